/**
 * What a trigger has to tell and to remember, by the rules (design.md, guarantee 6, and docs/trigger.md):
 * every event exactly once, whatever is added, removed, reordered or returns, whatever fails, whichever
 * account and key is asked; and nobody who is watched is forgotten to be looked up.
 *
 * The model knows nothing of fingerprints, rounds or packed states. It keeps plain sets and lists.
 */
import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { COLLECTIONS, type Settings } from './moves.mts';
import { addressOf, numberOf, type Message, type Service } from './service.mts';

const HOUR = 3_600_000;
/** The rules, from docs/trigger.md: gone for a day and so many polls in a row means forgotten. */
const GRACE = { polls: 5, ms: 24 * HOUR };
/** Most gone at once: it counts from so much later on. */
const DOUBT = 29 * 24 * HOUR;
/** A number that the service has never answered for is looked up again after so many polls. */
const LONGEST_PAUSE = 8;

/** Since when and for how many polls in a row something has been missing; undefined: it is there. */
type Missing = { polls: number; from: number } | undefined;

/** With what the service was asked. */
interface Asked {
	address: string;
	key: string;
}

/** What is remembered of one source. */
interface Remembered {
	of: Asked;
	/** A later key, of which other sources have shown that it is of the same account. */
	sameAs?: string;
	collection?: { known: Record<string, Missing>; waiting: string[] };
	counters?: Record<string, number>;
	/** The balance is low, and that was told. */
	low?: boolean;
	/** By number. */
	watched?: Record<string, Watched>;
}

interface Watched {
	missing: Missing;
	/** Whether an existing status was to be emitted when it came to be watched. */
	emitExisting: boolean;
	/** The last thing seen; null when there was no message; undefined when there was no answer so far. */
	seen?: Message | null;
	/** The service has failed to answer so far. */
	failed: boolean;
}

/** What the trigger has to remember. */
export interface Memory {
	sources: Record<string, Remembered>;
	/** Sources that were known until the static data was emptied: what they have is old. */
	silent: string[];
}

export const nothing = (): Memory => ({ sources: {}, silent: [] });

/** Counts one more poll for what is known, and forgets what has been gone for long enough. */
function age<T extends string>(known: Record<T, Missing>, present: readonly T[]): T[] {
	const ids = Object.keys(known) as T[];
	const there = ids.filter((id) => known[id] === undefined);
	const lost = there.filter((id) => !present.includes(id));
	const now = Date.now();
	const from = lost.length > there.length - lost.length ? now + DOUBT : now;
	return ids.filter((id) => {
		if (present.includes(id)) known[id] = undefined;
		else known[id] = { polls: (known[id]?.polls ?? 0) + 1, from: known[id]?.from ?? from };
		const missing = known[id];
		return missing && missing.polls >= GRACE.polls && now - missing.from > GRACE.ms;
	});
}

/** An event that could be handed out: checks its item and says which event it is. */
type Check = (item: IDataObject) => string;

/** What a poll has to do with one source. */
export interface Expected {
	key: string;
	/** What could be handed out, in order. */
	waiting: Check[];
	/** Remembers that the first so many were handed out. */
	settle: (granted: number) => void;
}

/** What a poll has to find. */
export interface Outlook {
	expected: Expected[];
	/** Sources that were looked at. */
	sources: number;
	/** Keys of those that failed, at least in part. */
	failed: string[];
	/** How many of them failed wholly. */
	failedWholly: number;
	/** Sources that had no state, or one of another account. */
	baselines: string[];
	/** There were some of another account. */
	isMoved: boolean;
}

/** A source as the settings have it. */
interface Source {
	/** Its kind, and the category or threshold. */
	key: string;
	kind: string;
	place: string | undefined;
	fails: boolean;
}

/** Whose what is remembered of a source is, as far as that can be told now. */
type Verdict = 'new' | 'ours' | 'otherAddress' | 'otherAccount' | 'waits';

export class Model {
	memory = nothing();
	/** By number: polls since it was looked up. */
	private readonly pauses: Record<string, number> = {};
	private events = 0;
	service: Service;
	apiKey: string;

	constructor(service: Service, apiKey: string) {
		this.service = service;
		this.apiKey = apiKey;
	}

	/** n8n has nothing of the trigger any more, and somebody knows that there was something. */
	empty(settings: Settings): void {
		this.memory = { sources: {}, silent: this.sourcesOf(settings).map(({ key }) => key) };
	}

	/** Call it after the poll: which numbers were looked up is seen then. */
	expect(settings: Settings): Outlook {
		const sources = this.sourcesOf(settings);
		const verdicts = this.judgeAccount(sources, settings);
		const outlook: Outlook = {
			expected: [],
			sources: sources.length,
			failed: [],
			failedWholly: 0,
			baselines: [],
			isMoved: false,
		};
		for (const source of sources) {
			const { key, kind, place, fails } = source;
			const verdict = verdicts[key];
			if (fails) {
				outlook.failed.push(key);
				outlook.failedWholly++;
				continue;
			}
			if (kind === 'status') {
				this.statuses(settings, verdict, outlook);
				continue;
			}
			if (verdict === 'waits') continue;
			const emitExisting = this.begin(key, verdict, settings, outlook);
			if (kind === 'statistics')
				outlook.expected.push(this.statistics(key, place, emitExisting));
			else if (kind === 'credits')
				outlook.expected.push(this.balance(key, settings.threshold));
			else outlook.expected.push(this.collection(key, kind, place, emitExisting));
		}
		const wanted = sources.map(({ key }) => key);
		for (const key of Object.keys(this.memory.sources)) {
			// What is no longer asked for is no longer remembered.
			if (!wanted.includes(key)) delete this.memory.sources[key];
		}
		this.memory.silent = this.memory.silent.filter((key) => wanted.includes(key));
		return outlook;
	}

	/** In the order in which a poll looks at them. */
	private sourcesOf({ events, categories, threshold, numbers }: Settings): Source[] {
		const sources: Source[] = [];
		for (const place of categories.length > 0 ? categories : [undefined]) {
			for (const kind of COLLECTIONS) {
				if (!events.includes(kind)) continue;
				const list = kind === 'unsubscribed' ? 'unsubscribers' : 'bounces';
				const ofNumbers =
					place === undefined ? `${list}/default/contacts` : 'messages/blacklists';
				const path = kind === 'reply' ? 'messages/replies' : ofNumbers;
				const fails = this.service.fails(addressOf(path, place));
				sources.push({ key: `${kind} ${place ?? ''}`, kind, place, fails });
			}
			if (events.includes('statisticsChanged')) {
				const path = place === undefined ? 'account/stats' : 'messages/stats';
				const fails = this.service.fails(addressOf(path, place));
				sources.push({
					key: `statistics ${place ?? ''}`,
					kind: 'statistics',
					place,
					fails,
				});
			}
		}
		const place = undefined;
		if (events.includes('creditsLow')) {
			const fails = this.service.fails('account');
			sources.push({ key: `credits ${threshold}`, kind: 'credits', place, fails });
		}
		if (events.includes('statusChanged')) {
			const looks = this.firstLooks(numbers);
			sources.push({
				key: 'status',
				kind: 'status',
				place,
				fails: this.isDown(looks, numbers),
			});
		}
		return sources;
	}

	/** The looks of this poll, without those that were made once more for another account. */
	private firstLooks(numbers: readonly string[]): Service['asked'] {
		const { asked } = this.service;
		return asked.length > numbers.length ? asked.slice(0, -numbers.length) : asked;
	}

	/** Nothing was answered, and that is not only the fault of the numbers that were asked for. */
	private isDown(looks: Service['asked'], numbers: readonly string[]): boolean {
		const sawNothing = looks.length > 0 && looks.every(({ failed }) => failed);
		return sawNothing && (looks.length === numbers.length || this.service.fails('account'));
	}

	/**
	 * Another address is another account. With another key, it is the same as long as the service still has
	 * more than half of what it had. What fails says nothing: it is judged when it is back, and where it
	 * had nothing, by what the others have shown. Where nothing tells, and something may, all wait.
	 */
	private judgeAccount(
		sources: readonly Source[],
		{ numbers }: Settings,
	): Record<string, Verdict> {
		const { address } = this.service;
		const verdicts: Record<string, Verdict> = {};
		const doubtful: Source[] = [];
		for (const source of sources) {
			const { of } = this.memory.sources[source.key] ?? {};
			if (of === undefined) verdicts[source.key] = 'new';
			else if (of.address !== address) verdicts[source.key] = 'otherAddress';
			else if (of.key === this.apiKey) verdicts[source.key] = 'ours';
			else doubtful.push(source);
		}
		const answered = doubtful.filter(({ fails }) => !fails);
		let had = 0;
		let has = 0;
		for (const source of answered) {
			const evidence = this.evidence(source, numbers);
			had += evidence.had;
			has += evidence.has;
		}
		const isSame = has > 0 && has * 2 > had;
		const canStillTell = doubtful.length > answered.length;
		for (const { key, fails } of doubtful) {
			const remembered = this.memory.sources[key];
			if (fails) {
				if (isSame) remembered.sameAs = this.apiKey;
			} else if (isSame || (had === 0 && remembered.sameAs === this.apiKey)) {
				verdicts[key] = 'ours';
			} else {
				verdicts[key] = had === 0 && canStillTell ? 'waits' : 'otherAccount';
			}
		}
		return verdicts;
	}

	/** How much there was, and how much of that (or of what was missing before) there is now. */
	private evidence({ key, kind, place }: Source, numbers: readonly string[]) {
		const { collection, watched } = this.memory.sources[key];
		if (collection !== undefined) {
			const { known, waiting } = collection;
			const present = new Set(this.service.entries(kind, place));
			const there = Object.keys(known).filter((id) => known[id] === undefined);
			return {
				had: there.length + waiting.length,
				has: [...Object.keys(known), ...waiting].filter((id) => present.has(id)).length,
			};
		}
		let had = 0;
		let has = 0;
		for (const { number, failed } of watched === undefined ? [] : this.firstLooks(numbers)) {
			const seen = watched?.[number]?.seen;
			if (failed || !seen) continue;
			const now = this.service.statuses.get(number);
			// A newer message to the number hides the one before.
			if (now !== undefined && now.id !== seen.id) continue;
			had++;
			if (now !== undefined) has++;
		}
		return { had, has };
	}

	/** @returns whether what is there makes events where nothing is remembered */
	private begin(key: string, verdict: Verdict, settings: Settings, outlook: Outlook): boolean {
		const { sources, silent } = this.memory;
		const isMoved = verdict === 'otherAddress' || verdict === 'otherAccount';
		if (isMoved) delete sources[key];
		outlook.isMoved ||= isMoved;
		if (sources[key] === undefined) outlook.baselines.push(key);
		const of = { address: this.service.address, key: this.apiKey };
		sources[key] = { ...sources[key], of, sameAs: undefined };
		const isSilent = silent.includes(key);
		this.memory.silent = silent.filter((other) => other !== key);
		return settings.emitExisting && !isMoved && !isSilent;
	}

	private collection(
		key: string,
		event: string,
		place: string | undefined,
		emitExisting: boolean,
	): Expected {
		const present = [...new Set(this.service.entries(event, place))];
		const remembered = this.memory.sources[key];
		const isFirst = remembered.collection === undefined;
		const state = (remembered.collection ??= { known: {}, waiting: [] });
		if (isFirst && !emitExisting) for (const id of present) state.known[id] = undefined;
		state.waiting = state.waiting.filter((id) => present.includes(id));
		for (const id of age(state.known, present)) delete state.known[id];
		for (const id of present) {
			if (!(id in state.known) && !state.waiting.includes(id)) state.waiting.push(id);
		}
		return {
			key,
			waiting: state.waiting.map((id) => (item) => {
				expect(item).toMatchObject({ event, category: place ?? null });
				if (event === 'reply') expect(item).toMatchObject({ id, message: `text of ${id}` });
				else expect(item.identifier).toBe(numberOf(id));
				return `${key} ${id}`;
			}),
			settle(granted) {
				for (const id of state.waiting.splice(0, granted)) state.known[id] = undefined;
			},
		};
	}

	private statistics(key: string, place: string | undefined, emitExisting: boolean): Expected {
		const current: Record<string, number> =
			place === undefined
				? this.service.account()
				: { ...(this.service.counters.get(place) ?? { sent: 0, delivered: 0 }) };
		const { sources } = this.memory;
		const remembered = sources[key];
		const { counters: previous } = remembered;
		if (previous === undefined && !emitExisting) remembered.counters = current;
		// Until it is told what there is, nothing is known.
		if (previous === undefined && emitExisting) delete sources[key];
		const differs =
			previous === undefined
				? emitExisting
				: Object.keys(current).some((name) => current[name] !== previous[name]);
		const check: Check = (item) => {
			const before = previous ?? {};
			expect(item).toMatchObject({ event: 'statisticsChanged', current, previous: before });
			for (const [name, change] of Object.entries(item.change as Record<string, number>)) {
				expect(change).toBe(current[name] - (before[name] ?? 0));
			}
			return `${key} ${++this.events}`;
		};
		return {
			key,
			waiting: differs ? [check] : [],
			settle(granted) {
				if (granted > 0) sources[key] = { ...remembered, counters: current };
			},
		};
	}

	private balance(key: string, threshold: number): Expected {
		const { credits } = this.service;
		const remembered = this.memory.sources[key];
		const isLow = credits < threshold;
		const wasLow = remembered.low ?? false;
		remembered.low = isLow && wasLow;
		const check: Check = (item) => {
			expect(item).toMatchObject({ event: 'creditsLow', credits, threshold });
			return `${key} ${++this.events}`;
		};
		return {
			key,
			waiting: isLow && !wasLow ? [check] : [],
			settle(granted) {
				if (granted > 0) remembered.low = true;
			},
		};
	}

	/** The looks of a poll: whether they are those that there have to be, and what they find. */
	private statuses(settings: Settings, verdict: Verdict, outlook: Outlook): void {
		const key = 'status';
		const { numbers } = settings;
		const { asked } = this.service;
		const looks = verdict === 'otherAccount' ? asked.slice(-numbers.length) : asked;
		expect(new Set(looks.map(({ number }) => number)).size).toBe(looks.length);
		if (looks.length > 0 && looks.every(({ failed }) => failed)) outlook.failed.push(key);
		if (this.isDown(looks, numbers)) {
			// The second looks, at another account: it isn't known yet.
			outlook.failedWholly++;
			return;
		}
		if (verdict === 'waits') return;
		const emitExisting = this.begin(key, verdict, settings, outlook);
		const watched = (this.memory.sources[key].watched ??= {});
		const known = Object.fromEntries(
			Object.entries(watched).map(([number, { missing }]) => [number, missing]),
		);
		for (const number of age(known, numbers)) delete watched[number];
		for (const number of Object.keys(watched)) watched[number].missing = known[number];
		for (const number of numbers) {
			watched[number] ??= { missing: undefined, emitExisting, failed: false };
			const isAsked = looks.some((look) => look.number === number);
			this.pauses[number] = isAsked ? 0 : (this.pauses[number] ?? 0) + 1;
			const { seen, failed } = watched[number];
			// There is a place for everybody in each poll. Who was never answered for can wait.
			if (!isAsked) expect(seen === undefined && failed).toBe(true);
			expect(this.pauses[number]).toBeLessThan(LONGEST_PAUSE);
		}

		const changes: Array<{ check: Check; settle: () => void }> = [];
		for (const { number, failed } of looks) {
			const entry = watched[number];
			if (failed) {
				entry.failed = true;
				continue;
			}
			const status = structuredClone(this.service.statuses.get(number) ?? null);
			const last = entry.seen ?? null;
			const isFirst = entry.seen === undefined;
			const isSame = status?.id === last?.id && status?.state === last?.state;
			if (status === null || (isFirst && !entry.emitExisting)) {
				if (isFirst) entry.seen = status;
			} else if (!isSame || isFirst) {
				const { id, state, passage } = status;
				changes.push({
					check: (item) => {
						const previousState = last?.state ?? null;
						const event = 'statusChanged';
						expect(item).toMatchObject({
							event,
							identifier: number,
							id,
							state,
							previousState,
						});
						return `${key} ${id} ${state} ${passage}`;
					},
					settle: () => (entry.seen = status),
				});
			}
		}
		outlook.expected.push({
			key,
			waiting: changes.map(({ check }) => check),
			settle(granted) {
				for (const { settle } of changes.slice(0, granted)) settle();
			},
		});
	}
}

/** Whether an item is of this source. */
export function belongsTo(item: IDataObject, key: string): boolean {
	const [name, place] = key.split(' ');
	if (name === 'credits') return item.event === 'creditsLow';
	if (name === 'status') return item.event === 'statusChanged';
	const event = name === 'statistics' ? 'statisticsChanged' : name;
	return item.event === event && (item.category ?? '') === place;
}

/**
 * Random histories of a service and of an n8n against a simple model of the rules (design.md, guarantee
 * 6, and docs/trigger.md): every event exactly once, whatever is added, removed, reordered or returns,
 * whatever fails, whenever n8n restarts, loses a poll, gets other parameters or another account; and
 * nobody who is watched is forgotten to be looked up.
 *
 * The model knows nothing of fingerprints, rounds or packed states. It keeps plain sets and lists.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { Host, passHours, type Keeping } from './harness.mts';

const HOUR = 3_600_000;
/** The rules, from docs/trigger.md: gone for a day and so many polls in a row means forgotten. */
const GRACE = { polls: 5, ms: 24 * HOUR };
/** Most gone at once: it counts from so much later on. */
const DOUBT = 29 * 24 * HOUR;
/** A number that the service has never answered for is looked up again after so many polls. */
const LONGEST_PAUSE = 8;
const CATEGORIES = ['a', 'b'];
const NUMBERS = [0, 1, 2, 3, 4].map((digit) => `+3363998000${digit}`);
const FINAL = ['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'];
const STATES = ['sent', 'submitted', ...FINAL, 'archived'];
const COLLECTIONS = ['reply', 'unsubscribed', 'bounced'];

/** What a trigger is set to. */
interface Settings {
	events: string[];
	categories: string[];
	limit: number;
	emitExisting: boolean;
	threshold: number;
	numbers: string[];
}

type Step =
	| { do: 'add'; event: string; category: string; ids: number[] }
	| { do: 'remove'; event: string; category: string; ids: number[] }
	| { do: 'count'; category: string; counter: 'sent' | 'delivered'; by: number }
	| { do: 'credits'; credits: number }
	| { do: 'status'; number: number; message: number; state: string }
	| { do: 'poll'; failing: string[]; blank: boolean; shuffle: number; twice: boolean }
	| { do: 'wait'; polls: number; hours: number }
	| { do: 'hide'; part: 'first' | 'most' | 'all'; polls: number; hours: number }
	| { do: 'restart'; failing: string[]; shuffle: number }
	| { do: 'account'; account: number }
	| { do: 'edit'; settings: Settings };

const settings: fc.Arbitrary<Settings> = fc.record({
	events: fc.subarray([...COLLECTIONS, 'statisticsChanged', 'creditsLow', 'statusChanged'], {
		minLength: 1,
	}),
	categories: fc.subarray(CATEGORIES),
	limit: fc.constantFrom(1, 2, 3, 1_000),
	emitExisting: fc.boolean(),
	threshold: fc.constantFrom(50, 100),
	numbers: fc.oneof(
		{ weight: 2, arbitrary: fc.constant(NUMBERS) },
		{ weight: 1, arbitrary: fc.subarray(NUMBERS, { minLength: 1 }) },
	),
});
const category = fc.constantFrom(...CATEGORIES);
const entry = fc.record({
	event: fc.constantFrom(...COLLECTIONS),
	category,
	ids: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 5 }),
});
/** Which answers fail: by the start of their address. */
const failing = fc.oneof(
	{ weight: 3, arbitrary: fc.constant<string[]>([]) },
	{
		weight: 1,
		arbitrary: fc.subarray([
			'replies?a',
			'replies?b',
			'blacklists?a',
			'stats?b',
			'account',
			'status',
			`status?${NUMBERS[0]}`,
			`status?${NUMBERS[3]}`,
		]),
	},
);
const poll = fc.record({
	do: fc.constant('poll' as const),
	failing,
	blank: fc.oneof(
		{ weight: 6, arbitrary: fc.constant(false) },
		{ weight: 1, arbitrary: fc.constant(true) },
	),
	shuffle: fc.nat({ max: 5 }),
	twice: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: entry.map((fields) => ({ do: 'add' as const, ...fields })) },
	{ weight: 2, arbitrary: entry.map((fields) => ({ do: 'remove' as const, ...fields })) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('count' as const),
			category,
			counter: fc.constantFrom('sent' as const, 'delivered' as const),
			by: fc.integer({ min: -1, max: 2 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('credits' as const),
			credits: fc.constantFrom(20, 70, 120),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			do: fc.constant('status' as const),
			number: fc.nat({ max: NUMBERS.length - 1 }),
			message: fc.integer({ min: 1, max: 3 }),
			state: fc.constantFrom(...STATES),
		}),
	},
	{ weight: 8, arbitrary: poll },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('wait' as const),
			polls: fc.integer({ min: 1, max: 7 }),
			// Never near the limits of the rules: a day, a month.
			hours: fc.constantFrom(0, 0, 30, 800),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('account' as const),
			account: fc.nat({ max: 1 }),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('hide' as const),
			part: fc.constantFrom('first' as const, 'most' as const, 'all' as const),
			polls: fc.integer({ min: 1, max: 6 }),
			hours: fc.constantFrom(0, 30, 30, 800),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('restart' as const),
			failing,
			shuffle: fc.nat({ max: 5 }),
		}),
	},
	{ weight: 1, arbitrary: settings.map((next) => ({ do: 'edit' as const, settings: next })) },
);

/** The service: what it holds, in the order in which it holds it. */
class World {
	/** By event and category. */
	readonly collections = new Map<string, string[]>();
	readonly counters = new Map<string, { sent: number; delivered: number }>();
	credits = 120;
	readonly statuses = new Map<string, { message: number; state: string }>();
	/** What goes wrong in the next poll. */
	failing: string[] = [];
	blank = false;
	/** What of each collection the service doesn't show for a while. */
	hidden?: 'first' | 'most' | 'all';
	shuffle = 0;
	/** What became of the looks of this poll, in order: an answer came, or not. */
	asked: Array<{ number: string; failed: boolean }> = [];
	readonly name: string;

	constructor(name: string) {
		this.name = name;
	}

	/** A poll begins. */
	begin(): void {
		this.asked = [];
	}

	entries(event: string, place: string | undefined): string[] {
		const key = (name: string) => `${event} ${name}`;
		const held =
			place === undefined
				? CATEGORIES.flatMap((name) => this.collections.get(key(name)) ?? [])
				: (this.collections.get(key(place)) ?? []);
		// An entry of the account is in one category only, or it would be there twice.
		const entries = [...new Set(held)];
		if (this.blank) return [];
		if (this.hidden === 'all') return [];
		if (this.hidden === 'first') entries.shift();
		if (this.hidden === 'most') entries.splice(1);
		// Another order each time, and an entry twice.
		const turned = entries.map((_, at) => entries[(at + this.shuffle) % entries.length]);
		if (this.shuffle % 2 === 1) turned.reverse();
		return this.shuffle > 3 && turned.length > 0 ? [...turned, turned[0]] : turned;
	}

	fails(address: string): boolean {
		return this.failing.includes(address);
	}

	answer(url: string, qs: IDataObject): { statusCode: number; body: unknown } {
		const place = qs.category as string | undefined;
		const path = url.replace(/^\/v2\//, '');
		const ok = (body: unknown) => ({ statusCode: 200, body });
		const number = qs.identifier as string | undefined;
		const failed = this.fails(addressOf(path, place)) || this.fails(`status?${number}`);
		if (number !== undefined) this.asked.push({ number, failed });
		if (failed) return { statusCode: 503, body: '<html>' };
		if (path === 'messages/replies') {
			return ok(
				this.entries('reply', place).map((id) => ({
					id,
					identifier: NUMBERS[0],
					message: `text of ${id}`,
				})),
			);
		}
		if (path.endsWith('/default/contacts')) {
			const event = path.startsWith('unsubscribers') ? 'unsubscribed' : 'bounced';
			return ok(
				this.entries(event, undefined).map((id) => ({
					id,
					identifier: numberOf(id),
					deleted: false,
				})),
			);
		}
		if (path === 'messages/blacklists') {
			const list = (event: string) => {
				const identifiers = this.entries(event, place).map(numberOf);
				return { number: identifiers.length, identifiers };
			};
			return ok({ bounces: list('bounced'), unsubscribers: list('unsubscribed') });
		}
		if (path === 'messages/stats')
			return ok(this.counters.get(place!) ?? { sent: 0, delivered: 0 });
		if (path === 'account/stats') return ok(this.account());
		const status = this.statuses.get(number!);
		if (!status)
			return {
				statusCode: 404,
				body: { code: 16, error: 'No message found for this query' },
			};
		return ok({
			id: status.message,
			state: status.state,
			stateDate: 1_387_808_142_057,
			test: false,
		});
	}

	account(): { sent: number; credits: number } {
		const sent = [...this.counters.values()].reduce((sum, counters) => sum + counters.sent, 0);
		return { sent, credits: this.credits };
	}
}

function addressOf(path: string, place: string | undefined): string {
	if (path === 'account/stats') return 'account';
	const last = path.endsWith('/default/contacts') ? path : path.replace('messages/', '');
	return place === undefined ? last : `${last}?${place}`;
}

const numberOf = (id: string) => `06${id.padStart(8, '0')}`;

/** Since when and for how many polls in a row something has been missing; undefined: it is there. */
type Missing = { polls: number; from: number } | undefined;

/** What the trigger has to remember, by the rules. */
interface Memory {
	/** By source: whose account it is of. */
	of: Record<string, string>;
	/** By source: known entries; and who waits. */
	collections: Record<string, { known: Record<string, Missing>; waiting: string[] }>;
	counters: Record<string, Record<string, number>>;
	/** By threshold: low, and said so. */
	low: Record<string, boolean>;
	/** By number. */
	watched: Record<string, Watched>;
}

interface Watched {
	missing: Missing;
	/** Whether an existing status was to be emitted when it came to be watched. */
	emitExisting: boolean;
	/** The last thing seen; null when there was no message; undefined when there was no answer so far. */
	seen?: { message: number; state: string } | null;
	/** The service has failed to answer so far. */
	failed: boolean;
}

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

/** What a poll has to do with one source. */
interface Expected {
	key: string;
	/** What could be handed out, in order; each with a check of its item. */
	waiting: Array<(item: IDataObject) => void>;
	/** Remembers that the first so many were handed out. */
	settle: (granted: number) => void;
}

/** What a poll has to find. */
interface Outlook {
	expected: Expected[];
	/** Sources that were looked at. */
	sources: number;
	/** Keys of those that failed, at least in part. */
	failed: string[];
	/** How many of them failed wholly. */
	failedWholly: number;
	/** Sources that had no state, or one of another account. */
	baselines: string[];
}

class Model {
	memory: Memory = { of: {}, collections: {}, counters: {}, low: {}, watched: {} };
	/** By number: polls since it was looked up. */
	readonly pauses: Record<string, number> = {};
	world: World;

	constructor(world: World) {
		this.world = world;
	}

	/** Call it after the poll: which numbers were looked up is seen then. */
	expect(settings: Settings): Outlook {
		const { events, categories } = settings;
		const places = categories.length > 0 ? categories : [undefined];
		const outlook: Outlook = {
			expected: [],
			sources: 0,
			failed: [],
			failedWholly: 0,
			baselines: [],
		};
		const look = (key: string, address: string, found: (begun: Settings) => Expected) => {
			outlook.sources++;
			if (this.world.fails(address)) {
				outlook.failed.push(key);
				outlook.failedWholly++;
				return;
			}
			const begun = this.begin(key, settings);
			if (!this.isRemembered(key)) outlook.baselines.push(key);
			outlook.expected.push(found(begun));
		};
		for (const place of places) {
			for (const event of COLLECTIONS) {
				if (!events.includes(event)) continue;
				const list = event === 'unsubscribed' ? 'unsubscribers' : 'bounces';
				const path =
					event === 'reply'
						? 'messages/replies'
						: place === undefined
							? `${list}/default/contacts`
							: 'messages/blacklists';
				const key = `${event} ${place ?? ''}`;
				look(key, addressOf(path, place), (begun) =>
					this.collection(key, event, place, begun),
				);
			}
			if (events.includes('statisticsChanged')) {
				const key = `statistics ${place ?? ''}`;
				const path = place === undefined ? 'account/stats' : 'messages/stats';
				look(key, addressOf(path, place), (begun) => this.statistics(key, place, begun));
			}
		}
		if (events.includes('creditsLow')) {
			const key = `credits ${settings.threshold}`;
			look(key, 'account', (begun) => this.balance(key, begun));
		}
		if (events.includes('statusChanged')) this.statuses(settings, outlook);
		this.forget(settings);
		return outlook;
	}

	private isRemembered(key: string): boolean {
		const { collections, counters, low, watched } = this.memory;
		if (key === 'status') return Object.keys(watched).length > 0;
		return key in collections || key in counters || key in low;
	}

	/** What is remembered of another account is of no use; what this one has is old all the same. */
	private begin(key: string, settings: Settings): Settings {
		const { of, collections, counters, low } = this.memory;
		const isMoved = this.isRemembered(key) && of[key] !== this.world.name;
		of[key] = this.world.name;
		if (!isMoved) return settings;
		delete collections[key];
		delete counters[key];
		delete low[key];
		if (key === 'status') this.memory.watched = {};
		return { ...settings, emitExisting: false };
	}

	/** What is no longer asked for is no longer remembered. */
	private forget({ events, categories, threshold }: Settings): void {
		const places = categories.length > 0 ? categories : [''];
		const { memory } = this;
		for (const key of Object.keys(memory.collections)) {
			const [event, place] = key.split(' ');
			if (!events.includes(event) || !places.includes(place)) delete memory.collections[key];
		}
		for (const key of Object.keys(memory.counters)) {
			const place = key.split(' ')[1];
			if (!events.includes('statisticsChanged') || !places.includes(place))
				delete memory.counters[key];
		}
		for (const key of Object.keys(memory.low)) {
			if (!events.includes('creditsLow') || key !== `credits ${threshold}`)
				delete memory.low[key];
		}
		if (!events.includes('statusChanged')) memory.watched = {};
		const places_ = new Set(places);
		for (const key of Object.keys(memory.of)) {
			const [name, place] = key.split(' ');
			const isWanted =
				name === 'status'
					? events.includes('statusChanged')
					: name === 'credits'
						? events.includes('creditsLow') && key === `credits ${threshold}`
						: events.includes(name === 'statistics' ? 'statisticsChanged' : name) &&
							places_.has(place);
			if (!isWanted) delete memory.of[key];
		}
	}

	private collection(
		key: string,
		event: string,
		place: string | undefined,
		{ emitExisting }: Settings,
	): Expected {
		const present = [...new Set(this.world.entries(event, place))];
		const before = this.memory.collections[key];
		const state = (this.memory.collections[key] ??= { known: {}, waiting: [] });
		if (before === undefined && !emitExisting) {
			for (const id of present) state.known[id] = undefined;
		}
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
			}),
			settle(granted) {
				for (const id of state.waiting.splice(0, granted)) state.known[id] = undefined;
			},
		};
	}

	private statistics(
		key: string,
		place: string | undefined,
		{ emitExisting }: Settings,
	): Expected {
		const current: Record<string, number> =
			place === undefined
				? this.world.account()
				: { ...(this.world.counters.get(place) ?? { sent: 0, delivered: 0 }) };
		const previous = this.memory.counters[key] as Record<string, number> | undefined;
		if (previous === undefined && !emitExisting) this.memory.counters[key] = current;
		const differs =
			previous === undefined
				? emitExisting
				: Object.keys(current).some((name) => current[name] !== previous[name]);
		const check = (item: IDataObject) => {
			expect(item).toMatchObject({
				event: 'statisticsChanged',
				current,
				previous: previous ?? {},
			});
			const before = previous ?? {};
			for (const [name, change] of Object.entries(item.change as Record<string, number>)) {
				expect(change).toBe(current[name] - (before[name] ?? 0));
			}
		};
		return {
			key,
			waiting: differs ? [check] : [],
			settle: (granted) => {
				if (granted > 0) this.memory.counters[key] = current;
			},
		};
	}

	private balance(key: string, { threshold }: Settings): Expected {
		const low = this.world.credits < threshold;
		const wasLow = this.memory.low[key] ?? false;
		this.memory.low[key] = low && wasLow;
		const { credits } = this.world;
		return {
			key,
			waiting:
				low && !wasLow
					? [
							(item) =>
								expect(item).toMatchObject({
									event: 'creditsLow',
									credits,
									threshold,
								}),
						]
					: [],
			settle: (granted) => {
				if (granted > 0) this.memory.low[key] = true;
			},
		};
	}

	/** The looks of a poll: whether they are those that there have to be, and what they find. */
	private statuses(settings: Settings, outlook: Outlook): void {
		outlook.sources++;
		const { asked } = this.world;
		const numbers = [...settings.numbers];
		const before = structuredClone({ of: this.memory.of, watched: this.memory.watched });
		const { emitExisting } = this.begin('status', settings);
		const { watched } = this.memory;
		const isNew = Object.keys(watched).length === 0;
		const known = Object.fromEntries(
			Object.entries(watched).map(([number, { missing }]) => [number, missing]),
		);
		for (const number of age(known, numbers)) delete watched[number];
		for (const number of Object.keys(watched)) watched[number].missing = known[number];
		for (const number of numbers) {
			watched[number] ??= { missing: undefined, emitExisting, failed: false };
		}

		expect(new Set(asked.map(({ number }) => number)).size).toBe(asked.length);
		for (const number of numbers) {
			const isAsked = asked.some((look) => look.number === number);
			this.pauses[number] = isAsked ? 0 : (this.pauses[number] ?? 0) + 1;
			const { seen, failed } = watched[number];
			// There is a place for everybody in each poll. Who was never answered for can wait.
			if (!isAsked) expect(seen === undefined && failed).toBe(true);
			expect(this.pauses[number]).toBeLessThan(LONGEST_PAUSE);
		}
		const sawNothing = asked.every((look) => look.failed);
		if (sawNothing && asked.length > 0) {
			outlook.failed.push('status');
			if (asked.length === numbers.length || this.world.fails('account')) {
				outlook.failedWholly++;
				Object.assign(this.memory, before);
				return;
			}
		}
		if (isNew) outlook.baselines.push('status');

		const changes: Array<{ check: (item: IDataObject) => void; settle: () => void }> = [];
		for (const { number, failed } of asked) {
			const entry = watched[number];
			if (failed) {
				entry.failed = true;
				continue;
			}
			const status = structuredClone(this.world.statuses.get(number) ?? null);
			const last = entry.seen ?? null;
			const isFirst = entry.seen === undefined;
			const isSame = status?.message === last?.message && status?.state === last?.state;
			if (status === null || (isFirst && !entry.emitExisting)) {
				if (isFirst) entry.seen = status;
			} else if (!isSame || isFirst) {
				changes.push({
					check: (item) =>
						expect(item).toMatchObject({
							event: 'statusChanged',
							identifier: number,
							id: status.message,
							state: status.state,
							previousState: last?.state ?? null,
						}),
					settle: () => (entry.seen = status),
				});
			}
		}
		outlook.expected.push({
			key: 'status',
			waiting: changes.map(({ check }) => check),
			settle(granted) {
				for (const { settle } of changes.slice(0, granted)) settle();
			},
		});
	}
}

/** Plays one history. */
async function play(keeping: Keeping, first: Settings, steps: readonly Step[]): Promise<void> {
	const worlds = [new World('https://one.example.com'), new World('https://two.example.com')];
	let world = worlds[0];
	const model = new Model(world);
	let current = first;
	const host: Host = new Host({
		keeping,
		parameters: parametersOf(first),
		answer: (url, qs) => world.answer(url, qs),
	});
	host.credential.baseUrl = world.name;
	/** The model's memory as n8n has saved it. */
	let saved = structuredClone(model.memory);
	/** Outages that n8n was told of. */
	let reported: string[] = [];

	/** One poll of the trigger, judged by the model. */
	async function judge(
		run: () => Promise<IDataObject[]>,
		kind: 'activation' | 'restart' | 'poll' | 'lost',
	) {
		const errors = host.errors.length;
		world.begin();
		const before = structuredClone(model.memory);
		const items = await run();
		const { expected, sources, failed, failedWholly, baselines } = model.expect(current);

		const total = expected.reduce((sum, { waiting }) => sum + waiting.length, 0);
		expect(items.length).toBe(Math.min(total, current.limit));
		let next = 0;
		for (const { key, waiting, settle } of expected) {
			let granted = 0;
			while (next < items.length && belongsTo(items[next], key)) {
				waiting[granted++](items[next++]);
			}
			settle(granted);
		}
		expect(next).toBe(items.length);

		// A poll in which nothing works fails, where n8n can bear it. Else each outage is told once.
		const isFresh = kind === 'restart' || kind === 'lost';
		const fails =
			failed.length > 0 &&
			items.length === 0 &&
			(keeping === 'durable'
				? failedWholly === sources
				: keeping === 'usual' && !isFresh && failed.length === sources);
		const isNews = failed.some((key) => !reported.includes(key));
		expect(host.errors.length - errors).toBe(fails || isNews ? 1 : 0);
		reported = failed;

		const isKept = kind === 'lost' ? keeping !== 'durable' && items.length === 0 : true;
		if (!isKept) {
			model.memory = before;
		} else if (keeping === 'durable' && kind === 'activation' && items.length === 0) {
			// n8n keeps nothing of this poll. What had no state keeps its baseline all the same.
			const after = model.memory;
			model.memory = before;
			for (const key of baselines) {
				for (const part of ['of', 'collections', 'counters', 'low'] as const) {
					if (key in after[part])
						(model.memory[part] as IDataObject)[key] = after[part][key] as never;
				}
			}
			for (const number of Object.keys(after.watched)) {
				const { seen, failed: hasFailed } = before.watched[number] ?? {};
				if (seen === undefined) before.watched[number] = after.watched[number];
				else before.watched[number].failed = hasFailed || after.watched[number].failed;
				before.of.status = after.of.status;
			}
		}
		if (kind === 'lost') return items;
		if (
			keeping === 'durable' ||
			kind === 'activation' ||
			kind === 'restart' ||
			items.length > 0
		)
			saved = structuredClone(model.memory);
		return items;
	}

	await judge(async () => await host.activate(), 'activation');
	for (const one of steps) {
		world.failing = [];
		world.blank = false;
		world.shuffle = 0;
		switch (one.do) {
			case 'add':
			case 'remove': {
				const key = `${one.event} ${one.category}`;
				const ids = one.ids.map(
					(id) => `${one.event.charCodeAt(0)}${one.category.charCodeAt(0)}${id}`,
				);
				const rest = (world.collections.get(key) ?? []).filter((id) => !ids.includes(id));
				world.collections.set(key, one.do === 'add' ? [...rest, ...ids] : rest);
				break;
			}
			case 'count': {
				const counters = world.counters.get(one.category) ?? { sent: 0, delivered: 0 };
				world.counters.set(one.category, {
					...counters,
					[one.counter]: counters[one.counter] + one.by,
				});
				break;
			}
			case 'credits':
				world.credits = one.credits;
				break;
			case 'status':
				world.statuses.set(NUMBERS[one.number], { message: one.message, state: one.state });
				break;
			case 'poll': {
				Object.assign(world, {
					failing: one.failing,
					blank: one.blank,
					shuffle: one.shuffle,
				});
				const lost = one.twice
					? await judge(async () => await host.rehearse(), 'lost')
					: undefined;
				const asked = new Set(world.asked.map(({ number }) => number));
				const items = await judge(async () => await host.poll(), 'poll');
				// The time of the poll is another one.
				const receivedAt: unknown = expect.any(String);
				if (lost && (lost.length > 0 || keeping === 'durable')) {
					expect(items).toEqual(lost.map((item) => ({ ...item, receivedAt })));
				} else if (lost) {
					// A poll that found nothing counts as one all the same: a pause may end after it.
					for (const { event, identifier } of items) {
						expect(event).toBe('statusChanged');
						expect(asked).not.toContain(identifier);
					}
				}
				break;
			}
			case 'wait':
				await judge(async () => await host.poll(), 'poll');
				passHours(one.hours);
				for (let polls = 0; polls < one.polls; polls++)
					await judge(async () => await host.poll(), 'poll');
				break;
			case 'hide':
				world.hidden = one.part;
				await judge(async () => await host.poll(), 'poll');
				passHours(one.hours);
				for (let polls = 1; polls < one.polls; polls++)
					await judge(async () => await host.poll(), 'poll');
				world.hidden = undefined;
				break;
			case 'account':
				world = worlds[one.account];
				model.world = world;
				host.credential.baseUrl = world.name;
				break;
			case 'restart':
				reported = [];
				// What quiet polls have found since n8n last saved is lost.
				model.memory = structuredClone(saved);
				if (keeping === 'usual') {
					world.failing = one.failing;
					world.shuffle = one.shuffle;
					await judge(async () => await host.restart(), 'restart');
				} else {
					await host.restart();
				}
				break;
			case 'edit':
				// With durable cursors, an activation without events is saved by the next poll only.
				if (keeping === 'durable') await judge(async () => await host.poll(), 'poll');
				current = one.settings;
				await judge(async () => await host.edit(parametersOf(current)), 'activation');
		}
	}

	// In the end, with a service that answers, nothing waits any more.
	world.failing = [];
	world.blank = false;
	for (let quiet = 0; quiet < 2; ) {
		const items = await judge(async () => await host.poll(), 'poll');
		quiet = items.length === 0 ? quiet + 1 : 0;
	}
}

function belongsTo(item: IDataObject, key: string): boolean {
	const [name, place] = key.split(' ');
	if (name === 'credits') return item.event === 'creditsLow';
	if (name === 'status') return item.event === 'statusChanged';
	const event = name === 'statistics' ? 'statisticsChanged' : name;
	return item.event === event && (item.category ?? '') === place;
}

function parametersOf({ numbers, events, categories, limit, emitExisting, threshold }: Settings) {
	return {
		events,
		categories: categories.join(', '),
		creditsThreshold: threshold,
		watch: 'numbers',
		watchNumbers: numbers.join(', '),
		options: { maxItemsPerPoll: limit, emitExisting },
	};
}

/** A test of random histories. Each way in which n8n keeps state has a file of its own, so that they run side by side. */
export function testHistories(keeping: Keeping): void {
	test('every event is handed out exactly once', { timeout: 600_000 }, async () => {
		console.log(`${HISTORIES} histories, state kept ${keeping}, seed ${SEED}`);
		await fc.assert(
			fc.asyncProperty(
				settings,
				fc.array(step, { maxLength: 30, size: 'max' }),
				async (first, steps) => await play(keeping, first, steps),
			),
			{ numRuns: HISTORIES },
		);
	});
}

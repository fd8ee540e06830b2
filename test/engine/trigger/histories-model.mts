/**
 * The events of a trigger and its memory, by the rules of docs/trigger.md: every event exactly once, whatever is
 * added, removed, reordered or returns, whatever fails, whichever account and key is asked.
 *
 * The model knows nothing of fingerprints and saved states. It keeps plain sets and lists.
 */
import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { COLLECTIONS, type Settings } from './histories-moves.mts';
import { addressOf, numberOf, type Message, type Service } from './histories-service.mts';

const HOUR = 3_600_000;
/** An entry that is missing for so long is forgotten. */
const REMEMBERED_HOURS = 48;

/** The memory of one source. */
interface Remembered {
	address: string;
	key: string;
	known?: string[];
	/** The hour in which an entry went missing. */
	missing?: Record<string, number>;
	counters?: Record<string, number>;
	low?: boolean;
	/** By number: the last message; null for none, undefined while there was no answer. */
	watched?: Record<string, Message | null | undefined>;
}

/** The memory of the trigger, by source; undefined where it begins. */
export type Memory = Record<string, Remembered> | undefined;

/** An event that could be handed out: checks its item and says which event it is. */
interface Waiting {
	check: (item: IDataObject) => string;
	/** Remembers that it was handed out. */
	settle: () => void;
}

/** The findings that are expected of a poll. */
export interface Outlook {
	/** By source, in the order in which a poll asks. Of messages, any order will do. */
	expected: Array<{ key: string; waiting: Waiting[] }>;
	/** Keys of sources that fail, at least in part, and wholly. */
	failed: string[];
	failedWholly: string[];
	sources: number;
	/** Sources that turn out to be of another account. */
	moved: number;
}

interface Source {
	key: string;
	kind: string;
	place: string | undefined;
	fails: boolean;
}

export class Model {
	memory: Memory;
	private events = 0;
	service: Service;
	apiKey: string;

	constructor(service: Service, apiKey: string) {
		this.service = service;
		this.apiKey = apiKey;
	}

	/** Call it after the poll: which numbers were looked up is seen then. */
	expect(settings: Settings): Outlook {
		const sources = this.sourcesOf(settings);
		const outlook: Outlook = {
			expected: [],
			failed: this.service.asked.some(({ failed }) => failed) ? ['status'] : [],
			failedWholly: sources.filter(({ fails }) => fails).map(({ key }) => key),
			sources: sources.length,
			moved: 0,
		};
		outlook.failed.push(...outlook.failedWholly.filter((key) => key !== 'status'));
		const isNew = this.memory === undefined;
		if (isNew && outlook.failedWholly.length > 0) return outlook;
		const before = this.memory ?? {};
		const after: NonNullable<Memory> = (this.memory = {});
		for (const source of sources) {
			const { key, kind, fails } = source;
			if (fails) {
				if (before[key] !== undefined) after[key] = before[key];
				continue;
			}
			const kept = before[key];
			const isOurs = kept !== undefined && this.isOurs(kept, source);
			if (kept !== undefined && !isOurs) outlook.moved++;
			const { address } = this.service;
			const remembered = { ...(isOurs ? kept : {}), address, key: this.apiKey };
			after[key] = remembered;
			const emitExisting = settings.emitExisting && kept === undefined;
			const waiting =
				kind === 'status'
					? this.statuses(remembered, settings, emitExisting)
					: kind === 'statistics'
						? this.statistics(remembered, source, emitExisting)
						: kind === 'credits'
							? this.balance(remembered, settings.threshold)
							: this.collection(remembered, source, emitExisting);
			outlook.expected.push({ key, waiting });
		}
		return outlook;
	}

	/** In the order in which a poll asks for them. */
	private sourcesOf({ events, categories, threshold, numbers }: Settings): Source[] {
		const sources: Source[] = [];
		const add = (key: string, kind: string, place: string | undefined, path: string) =>
			sources.push({ key, kind, place, fails: this.service.fails(addressOf(path, place)) });
		for (const place of categories.length > 0 ? categories : [undefined]) {
			for (const kind of COLLECTIONS.filter((event) => events.includes(event))) {
				const list = kind === 'unsubscribed' ? 'unsubscribers' : 'bounces';
				const ofNumbers =
					place === undefined ? `${list}/default/contacts` : 'messages/blacklists';
				const path = kind === 'reply' ? 'messages/replies' : ofNumbers;
				add(`${kind} ${place ?? ''}`, kind, place, path);
			}
			if (events.includes('statisticsChanged')) {
				const path = place === undefined ? 'account/stats' : 'messages/stats';
				add(`statistics ${place ?? ''}`, 'statistics', place, path);
			}
		}
		if (events.includes('creditsLow')) {
			add(`credits ${threshold}`, 'credits', undefined, 'account/stats');
		}
		if (events.includes('statusChanged')) {
			const { asked } = this.service;
			// Each number is looked up in each poll; a second time for another account.
			expect(new Set(asked.map(({ number }) => number))).toEqual(new Set(numbers));
			const fails = asked.every(({ failed }) => failed);
			sources.push({ key: 'status', kind: 'status', place: undefined, fails });
		}
		return sources;
	}

	/** Another address is another account; so is another key where not more than half is still there. */
	private isOurs({ address, key, ...kept }: Remembered, { kind, place }: Source): boolean {
		if (address !== this.service.address) return false;
		if (key === this.apiKey) return true;
		let [knew, found] = [0, 0];
		const present = COLLECTIONS.includes(kind) ? this.service.entries(kind, place) : [];
		const missing = Object.keys(kept.missing ?? {});
		knew += kept.known?.length ?? 0;
		found += [...(kept.known ?? []), ...missing].filter((id) => present.includes(id)).length;
		for (const [number, seen] of Object.entries(kept.watched ?? {})) {
			const look = this.service.asked.find((one) => one.number === number);
			if (!seen || look === undefined || look.failed) continue;
			const now = this.service.statuses.get(number);
			// A newer message to the number says nothing.
			if (now !== undefined && now.id !== seen.id) continue;
			knew++;
			if (now !== undefined) found++;
		}
		return found * 2 > knew;
	}

	private collection(
		memory: Remembered,
		{ key, kind, place }: Source,
		emitExisting: boolean,
	): Waiting[] {
		const present = [...new Set(this.service.entries(kind, place))];
		const isFirst = memory.known === undefined;
		const hour = Math.floor(Date.now() / HOUR);
		const missing = { ...memory.missing };
		for (const id of memory.known ?? []) missing[id] ??= hour;
		for (const id of Object.keys(missing)) {
			if (present.includes(id)) continue;
			if (hour - missing[id] >= REMEMBERED_HOURS) delete missing[id];
		}
		const isSilent = isFirst && !emitExisting;
		const fresh = present.filter((id) => !(id in missing));
		const known = present.filter((id) => isSilent || id in missing);
		memory.missing = Object.fromEntries(
			Object.entries(missing).filter(([id]) => !present.includes(id)),
		);
		memory.known = known;
		if (isSilent) return [];
		return fresh.map((id) => ({
			check(item) {
				expect(item).toMatchObject({ event: kind, category: place ?? null });
				if (kind === 'reply') expect(item).toMatchObject({ id, message: `text of ${id}` });
				else expect(item.identifier).toBe(numberOf(id));
				return `${key} ${id}`;
			},
			settle: () => known.push(id),
		}));
	}

	private statistics(
		memory: Remembered,
		{ key, place }: Source,
		emitExisting: boolean,
	): Waiting[] {
		const current: Record<string, number> =
			place === undefined
				? this.service.account()
				: { ...(this.service.counters.get(place) ?? { sent: 0, delivered: 0 }) };
		const previous = memory.counters ?? (emitExisting ? {} : current);
		memory.counters = current;
		const change = Object.fromEntries(
			Object.keys(current).map((name) => [name, current[name] - (previous[name] ?? 0)]),
		);
		if (Object.values(change).every((difference) => difference === 0)) return [];
		const check = (item: IDataObject) => {
			expect(item).toMatchObject({ event: 'statisticsChanged', current, previous, change });
			return `${key} ${++this.events}`;
		};
		return [{ check, settle: () => {} }];
	}

	private balance(memory: Remembered, threshold: number): Waiting[] {
		const { credits } = this.service;
		const wasLow = memory.low ?? false;
		memory.low = credits < threshold;
		if (!memory.low || wasLow) return [];
		const check = (item: IDataObject) => {
			expect(item).toMatchObject({ event: 'creditsLow', credits, threshold });
			return `credits ${++this.events}`;
		};
		return [{ check, settle: () => {} }];
	}

	private statuses(memory: Remembered, settings: Settings, emitExisting: boolean): Waiting[] {
		const before = memory.watched ?? {};
		const watched: NonNullable<Remembered['watched']> = (memory.watched = {});
		const waiting: Waiting[] = [];
		for (const number of settings.numbers) {
			const last = number in before ? before[number] : emitExisting ? null : undefined;
			watched[number] = last;
			const { failed } = this.service.asked.find((one) => one.number === number)!;
			if (failed) continue;
			const status = structuredClone(this.service.statuses.get(number) ?? null);
			if (last === undefined) {
				watched[number] = status;
			} else if (status && (status.id !== last?.id || status.state !== last?.state)) {
				const { id, state, passage } = status;
				const previousState = last?.state ?? null;
				const own = {
					event: 'statusChanged',
					identifier: number,
					id,
					state,
					previousState,
				};
				waiting.push({
					check(item) {
						expect(item).toMatchObject(own);
						return `status ${id} ${state} ${passage}`;
					},
					settle: () => (watched[number] = status),
				});
			}
		}
		return waiting;
	}
}

/** Compares the source of an item. */
export function belongsTo(item: IDataObject, key: string): boolean {
	const [name, place] = key.split(' ');
	if (name === 'credits') return item.event === 'creditsLow';
	if (name === 'status') return item.event === 'statusChanged';
	const event = name === 'statistics' ? 'statisticsChanged' : name;
	return item.event === event && (item.category ?? '') === place;
}

/**
 * Random histories of a service and of an n8n against a simple model of the rules (design.md, guarantee
 * 6, and the issue): every event exactly once, whatever is added, removed, reordered or returns,
 * whatever fails, whenever n8n restarts, runs a poll twice, or gets other parameters.
 *
 * The model knows nothing of fingerprints, rounds or packed states. It keeps plain sets and lists.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { Host } from './harness.mts';

/** The rule, from docs/trigger.md: gone for so many polls in a row means forgotten. */
const GRACE = 5;
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
}

type Step =
	| { do: 'add'; event: string; category: string; ids: number[] }
	| { do: 'remove'; event: string; category: string; ids: number[] }
	| { do: 'count'; category: string; counter: 'sent' | 'delivered'; by: number }
	| { do: 'credits'; credits: number }
	| { do: 'status'; number: number; message: number; state: string }
	| { do: 'poll'; failing: string[]; blank: boolean; shuffle: number; twice: boolean }
	| { do: 'wait'; polls: number }
	| { do: 'restart'; failing: string[]; shuffle: number }
	| { do: 'edit'; settings: Settings };

const settings: fc.Arbitrary<Settings> = fc.record({
	events: fc.subarray([...COLLECTIONS, 'statisticsChanged', 'creditsLow', 'statusChanged'], {
		minLength: 1,
	}),
	categories: fc.subarray(CATEGORIES),
	limit: fc.constantFrom(1, 2, 3, 1_000),
	emitExisting: fc.boolean(),
	threshold: fc.constantFrom(50, 100),
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
			polls: fc.integer({ min: 2, max: 7 }),
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
	shuffle = 0;
	/** The numbers whose status was asked for in this poll, in order. */
	asked: string[] = [];
	private statusFailures = 0;

	/** A poll begins. */
	begin(): void {
		this.asked = [];
		this.statusFailures = 0;
	}

	/** Whether an answer failed, or would have. Statuses may not have been asked for at all. */
	failed(address: string): boolean {
		return address === 'status' ? this.statusFailures > 0 : this.fails(address);
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
		if (this.fails(addressOf(path, place))) {
			if (path === 'messages/status') this.statusFailures++;
			return { statusCode: 503, body: '<html>' };
		}
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
		const number = qs.identifier as string;
		this.asked.push(number);
		const status = this.statuses.get(number);
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

/** What the trigger has to remember, by the rules. */
interface Memory {
	/** By source: known entries, with how many polls in a row each was missing; and who waits. */
	collections: Record<string, { known: Record<string, number>; waiting: string[] }>;
	counters: Record<string, Record<string, number>>;
	/** By threshold: low, and said so. */
	low: Record<string, boolean>;
	/** By number: the last thing seen; null when there was no message. */
	seen: Record<string, { message: number; state: string } | null>;
	/** By number: whether existing statuses were to be emitted when it came to be watched. */
	arrived: Record<string, boolean>;
}

/** What a poll has to do with one source. */
interface Expected {
	key: string;
	/** What could be handed out, in order; each with a check of its item. */
	waiting: Array<(item: IDataObject) => void>;
	/** Remembers that the first so many were handed out. */
	settle: (granted: number) => void;
}

class Model {
	memory: Memory = { collections: {}, counters: {}, low: {}, seen: {}, arrived: {} };
	private readonly world: World;

	constructor(world: World) {
		this.world = world;
	}

	/** What a poll with these settings has to find. */
	expect(settings: Settings): { expected: Expected[]; failed: number; baselines: string[] } {
		const { events, categories } = settings;
		const places = categories.length > 0 ? categories : [undefined];
		const expected: Expected[] = [];
		const baselines: string[] = [];
		let failed = 0;
		const look = (key: string, address: string, found: () => Expected) => {
			if (this.world.failed(address)) failed++;
			else expected.push(found());
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
				look(key, addressOf(path, place), () => {
					if (!(key in this.memory.collections)) baselines.push(key);
					return this.collection(key, event, place, settings);
				});
			}
			if (events.includes('statisticsChanged')) {
				const key = `statistics ${place ?? ''}`;
				const path = place === undefined ? 'account/stats' : 'messages/stats';
				look(key, addressOf(path, place), () => {
					if (!(key in this.memory.counters)) baselines.push(key);
					return this.statistics(key, place, settings);
				});
			}
		}
		if (events.includes('creditsLow')) {
			const key = `credits ${settings.threshold}`;
			look(key, 'account', () => {
				if (!(key in this.memory.low)) baselines.push(key);
				return this.balance(key, settings);
			});
		}
		if (events.includes('statusChanged')) {
			look('status', 'status', () => this.statuses(settings));
		}
		this.forget(settings);
		return { expected, failed, baselines };
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
		if (!events.includes('statusChanged')) Object.assign(memory, { seen: {}, arrived: {} });
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
			for (const id of present) state.known[id] = 0;
		}
		state.waiting = state.waiting.filter((id) => present.includes(id));
		for (const id of Object.keys(state.known)) {
			state.known[id] = present.includes(id) ? 0 : state.known[id] + 1;
			if (state.known[id] >= GRACE) delete state.known[id];
		}
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
				for (const id of state.waiting.splice(0, granted)) state.known[id] = 0;
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

	private balance(key: string, { threshold, emitExisting }: Settings): Expected {
		const low = this.world.credits < threshold;
		const wasLow = this.memory.low[key] ?? (low && !emitExisting);
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

	/** Call it after the poll: which numbers were looked up is the trigger's choice. */
	private statuses({ emitExisting }: Settings): Expected {
		const { seen, arrived } = this.memory;
		for (const number of NUMBERS) arrived[number] ??= emitExisting;
		const changes: Array<{
			number: string;
			status: { message: number; state: string };
			check: (item: IDataObject) => void;
		}> = [];
		for (const number of this.world.asked) {
			const status = this.world.statuses.get(number) ?? null;
			const isFirst = !(number in seen);
			const last = seen[number] ?? null;
			const isSame = status?.message === last?.message && status?.state === last?.state;
			if (status === null || (isFirst && !arrived[number])) {
				if (isFirst) seen[number] = status;
			} else if (!isSame || isFirst) {
				changes.push({
					number,
					status: { ...status },
					check: (item) =>
						expect(item).toMatchObject({
							event: 'statusChanged',
							identifier: number,
							id: status.message,
							state: status.state,
							previousState: last?.state ?? null,
						}),
				});
			}
		}
		return {
			key: 'status',
			waiting: changes.map(({ check }) => check),
			settle(granted) {
				for (const { number, status } of changes.slice(0, granted)) seen[number] = status;
			},
		};
	}
}

/** Plays one history. */
async function play(durable: boolean, first: Settings, steps: readonly Step[]): Promise<void> {
	const world = new World();
	const model = new Model(world);
	let current = first;
	const host = new Host({
		keeping: durable ? 'durable' : 'usual',
		parameters: parametersOf(first),
		answer: (url, qs) => world.answer(url, qs),
	});
	/** The model's memory as n8n has saved it. */
	let saved = structuredClone(model.memory);

	/** One poll of the trigger, judged by the model. */
	async function judge(run: () => Promise<IDataObject[]>, isActivation: boolean) {
		const errors = host.errors.length;
		world.begin();
		const before = structuredClone(model.memory);
		const items = await run();
		const { expected, failed, baselines } = model.expect(current);

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
		expect(host.errors.length - errors).toBe(failed > 0 && items.length === 0 ? 1 : 0);

		if (durable && isActivation && items.length === 0) {
			// n8n keeps nothing of this poll. What had no state keeps its baseline all the same.
			const after = model.memory;
			model.memory = before;
			for (const key of baselines) {
				for (const kind of ['collections', 'counters', 'low'] as const) {
					if (key in after[kind])
						(model.memory[kind] as IDataObject)[key] = after[kind][key] as never;
				}
			}
			for (const number of Object.keys(after.seen)) {
				if (number in before.seen) continue;
				before.seen[number] = after.seen[number];
				before.arrived[number] = after.arrived[number];
			}
		}
		if (durable || isActivation || items.length > 0) saved = structuredClone(model.memory);
		return items;
	}

	await judge(async () => await host.activate(), true);
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
				const lost = one.twice ? await host.rehearse() : undefined;
				const items = await judge(async () => await host.poll(), false);
				if (lost) expect(items).toEqual(lost);
				break;
			}
			case 'wait':
				for (let polls = 0; polls < one.polls; polls++)
					await judge(async () => await host.poll(), false);
				break;
			case 'restart':
				if (durable) {
					await host.restart();
				} else {
					world.failing = one.failing;
					world.shuffle = one.shuffle;
					model.memory = structuredClone(saved);
					await judge(async () => await host.restart(), true);
				}
				break;
			case 'edit':
				// With durable cursors, an activation without events is saved by the next poll only.
				if (durable) await judge(async () => await host.poll(), false);
				current = one.settings;
				// A running n8n saves on activation; what null polls changed since is lost.
				model.memory = structuredClone(saved);
				await judge(async () => await host.edit(parametersOf(current)), true);
		}
	}

	// In the end, with a service that answers, nothing waits any more.
	world.failing = [];
	world.blank = false;
	for (let quiet = 0; quiet < 2; ) {
		const items = await judge(async () => await host.poll(), false);
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

function parametersOf({ events, categories, limit, emitExisting, threshold }: Settings) {
	return {
		events,
		categories: categories.join(', '),
		creditsThreshold: threshold,
		watch: 'numbers',
		watchNumbers: NUMBERS.join(', '),
		options: { maxItemsPerPoll: limit, emitExisting },
	};
}

const RUNS = Number(process.env.HISTORIES ?? 3_000);

test.each([
	['as usual', false],
	['with durable cursors', true],
])(
	'every event is handed out exactly once, %s',
	async (_, durable) => {
		const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
		console.log(`${RUNS} histories, seed ${seed}`);
		await fc.assert(
			fc.asyncProperty(
				settings,
				fc.array(step, { maxLength: 30, size: 'max' }),
				async (first, steps) => {
					await play(durable, first, steps);
				},
			),
			{ numRuns: RUNS, seed },
		);
	},
	600_000,
);

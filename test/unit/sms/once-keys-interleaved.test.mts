/**
 * Executions with once keys at the same moment, in one process and in several: the calls of n8n's store, the messages
 * and the ends of executions come in any order; calls fail, executions are stopped, clocks are set, processes are
 * killed. A key is sent at most once. It is called sent only if somebody got its message, and free only if nobody can
 * have got it (design, guarantee 6). Where no call failed and nothing was killed, it is called what it is.
 *
 * A call of the store reads a row and writes it back later, and takes less time than any wait; a message may take any
 * time.
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { OnceKeys } from '../../../nodes/Sms/onceKeys.ts';
import { STORE_TIMING } from '../../../nodes/Sms/storeTiming.ts';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import type { Client } from '../../../nodes/shared/run/client.ts';
import type { OpenEntry } from '../../../nodes/shared/run/operation.ts';
import type { Outcome } from '../../../nodes/shared/run/outcome.ts';
import { unknownBefore } from '../../../nodes/shared/run/unknown.ts';
import { SOON } from '../../engine/store.mts';
import { playHistories } from '../../harness/histories.mts';
import { breath, playAll, useTurnedClock } from './schedules.mts';

// Fewer looks at the lock of one that was killed: each is the same.
Object.assign(STORE_TIMING, SOON, { longestPoll: SOON.silence / 4 });

const KEYS = ['a', 'b', 'c'];
const DONE: Outcome = { status: 'done', value: {} };
const NOT_SENT = { ...unknownBefore('refused'), status: 'notSent' } as Outcome;
/** Answers that the node hears of a message, and whether somebody gets it. */
const FATES: Record<string, { heard: Outcome; arrives: boolean }> = {
	accepted: { heard: DONE, arrives: true },
	refused: { heard: NOT_SENT, arrives: false },
	lost: { heard: unknownBefore(), arrives: false },
	'answer lost': { heard: unknownBefore(), arrives: true },
};

interface Execution {
	process: number;
	keys: string[];
	fates: string[];
}

/** Something that happens next, or later. */
interface Event {
	process: string;
	/** A call of the store can fail, before it wrote or after it. */
	happen: (fails?: 'before' | 'after') => void;
	isCall?: boolean;
	isRead?: boolean;
	/** The key of a message that is being sent. */
	key?: string;
}

let worlds = 0;

class World {
	private row: string[] = [];
	private lock: number | undefined;
	private readonly name = `world ${++worlds}`;
	private readonly got = new Map<string, number>();
	private readonly maybe = new Set<string>();
	private readonly accepted = new Set<string>();
	private readonly inFlight = new Set<string>();
	private readonly killed = new Set<string>();
	private readonly stopped = new Set<string>();
	/** Executions that have not ended, each with its process. */
	private readonly running = new Set<{ process: string }>();
	/** Nothing was killed, no call has failed, no clock was set. */
	isWell = true;
	events: Event[] = [];
	readonly problems: string[] = [];

	private async event<T>(event: Omit<Event, 'happen'>, work: () => T): Promise<T> {
		return await new Promise((resolve, reject) => {
			const happen: Event['happen'] = (fails) => {
				if (this.killed.has(event.process)) return;
				if (fails !== undefined) this.isWell = false;
				try {
					const result = fails === 'before' ? undefined : work();
					if (fails === undefined) resolve(result as T);
					else reject(new Error('database is locked'));
				} catch (error) {
					reject(error as Error);
				}
			};
			// Whoever was killed waits for ever.
			if (!this.killed.has(event.process)) this.events.push({ ...event, happen });
		});
	}

	private contextOf(process: string): IExecuteFunctions {
		const read = async <T,>(work: () => T) => await this.event({ process, isRead: true }, work);
		const write = async <T,>(work: () => T) =>
			await this.event({ process, isCall: true }, work);
		const helpers = {
			checkProcessedAndRecord: async (items: string[] | number[], scope: string) => {
				if (scope === 'workflow') {
					const before = await read(() => this.lock);
					return await write(() => this.raise(before, items as number[]));
				}
				const before = await read(() => this.row);
				return await write(() => {
					const added = (items as string[]).filter((item) => !before.includes(item));
					this.row = [...before, ...added];
					return { new: added };
				});
			},
			clearAllProcessedItems: async () => await write(() => (this.lock = undefined)),
			getProcessedDataCount: async () => await read(() => this.row.length),
			removeProcessed: async (items: string[]) => {
				const before = await read(() => this.row);
				await write(() => {
					this.row = before.filter((item) => !items.includes(item));
				});
			},
		};
		// A process remembers by workflow what it knows.
		const getWorkflow = () => ({ id: `${this.name}, process ${process}` });
		return {
			helpers,
			getWorkflow,
			getNode: () => ({ id: 'node' }),
		} as unknown as IExecuteFunctions;
	}

	/** The primary key of n8n's table lets one of several insert the row. */
	private raise(before: number | undefined, numbers: number[]): { new: number[] } {
		if (before === undefined && this.lock !== undefined) throw new Error('UNIQUE');
		const isGone = before !== undefined && this.lock === undefined;
		if (!isGone) this.lock = Math.max(before ?? 0, ...numbers);
		return { new: numbers.filter((one) => before === undefined || one > before) };
	}

	/** One execution, from its beginning to its end. */
	async run(process: string, { keys, fates }: Omit<Execution, 'process'>, isLater = false) {
		const own = { process };
		this.running.add(own);
		const claims = new OnceKeys({
			execution: this.contextOf(process),
			items: keys.length,
			options: {},
			dryRun: undefined,
		});
		const entries = keys.map(
			(onceKey, index): OpenEntry => ({
				...{ index, item: {} as Item, identity: {}, outcome: undefined, showsOnly: false },
				prepared: { onceKey },
			}),
		);
		const isStopped = () => this.stopped.has(process);
		claims.begin(entries, { concurrency: 10 } as Client, isStopped);
		await Promise.all(
			entries.map(async (entry, index) => {
				try {
					const refusal = await claims.claim(entry);
					this.judge(keys[index], refusal, isLater);
					if (refusal !== undefined) return;
				} catch {
					return;
				}
				claims.done(
					entry,
					isStopped() ? NOT_SENT : await this.send(process, keys[index], fates[index]),
				);
			}),
		);
		await claims.close();
		this.running.delete(own);
	}

	private async send(process: string, key: string, fate: string): Promise<Outcome> {
		this.inFlight.add(key);
		const { heard, arrives } = FATES[fate];
		await this.event({ process, key }, () => {
			this.inFlight.delete(key);
			if (arrives) this.got.set(key, (this.got.get(key) ?? 0) + 1);
			if (heard.status === 'done') this.accepted.add(key);
			if (heard.status === 'unknown') this.maybe.add(key);
		}).catch(() => {});
		return heard;
	}

	private judge(key: string, refusal: Outcome | undefined, isLater: boolean): void {
		const answer = refusal?.status ?? 'free';
		const isTaken = this.got.has(key) || this.maybe.has(key) || this.inFlight.has(key);
		if (answer === 'free' && isTaken) this.problems.push(`${key} is called free`);
		if (answer === 'skipped' && !this.got.has(key)) {
			this.problems.push(`${key} is called sent, and nobody got it`);
		}
		if (!isLater || !this.isWell) return;
		const open = this.maybe.has(key) ? 'unknown' : 'free';
		const truth = this.accepted.has(key) ? 'skipped' : open;
		if (answer !== truth) this.problems.push(`${key} is ${truth}, and called ${answer}`);
	}

	/** Its executions send nothing more. */
	stop(process: string): void {
		this.stopped.add(process);
	}

	/** Nothing of it has any effect any more; a message that was being sent may have arrived. */
	kill(process: string): void {
		this.isWell = false;
		this.killed.add(process);
		const own = this.events.filter((event) => event.process === process);
		this.events = this.events.filter((event) => event.process !== process);
		for (const execution of this.running)
			if (execution.process === process) this.running.delete(execution);
		for (const { key } of own) {
			if (key === undefined) continue;
			this.inFlight.delete(key);
			this.maybe.add(key);
		}
	}

	/** Of all computers: each code reads its own clock only, and its differences. */
	setClock(difference: number): void {
		this.isWell = false;
		vi.setSystemTime(Date.now() + difference);
	}

	happen(event: Event, fails?: 'before' | 'after'): void {
		this.events.splice(this.events.indexOf(event), 1);
		event.happen(fails);
	}

	/** Time passes while no call of the store is under way. */
	get canWait(): boolean {
		return (
			this.running.size > 0 &&
			vi.getTimerCount() > 0 &&
			!this.events.some(({ isCall, isRead }) => isCall || isRead)
		);
	}

	async comeToAnEnd(): Promise<void> {
		for (let turn = 0; turn < 5_000; turn++) {
			await breath();
			if (this.events.length > 0) this.happen(this.events[0]);
			else if (this.canWait) vi.advanceTimersToNextTimer();
			else break;
		}
		if (this.running.size > 0) this.problems.push('waits for ever');
	}

	/** Processes that begin when all is quiet: at first one that sends, then one that looks what became of it. */
	async askLater(keys: string[]): Promise<void> {
		await this.comeToAnEnd();
		for (const later of ['later', 'at last']) {
			void this.run(later, { keys, fates: ['accepted', 'lost', 'refused'] }, true);
			await this.comeToAnEnd();
		}
		for (const [key, times] of this.got) {
			if (times > 1) this.problems.push(`${key} was sent ${times} times`);
		}
		vi.clearAllTimers();
	}
}

useTurnedClock();

/** How often something may happen at most in one schedule, besides what the processes do. */
interface Bounds {
	kills?: number;
	failures?: number;
	clocks?: number;
	/** How often another process comes before one that could go on. */
	switches: number;
	/** How often time passes before a message gets its answer. */
	delays?: number;
}

/**
 * Plays one schedule.
 *
 * @param choices which of the possible things happens next; after them, always the first
 * @returns how many there were each time
 */
async function play(executions: Execution[], choices: number[], bounds: Bounds): Promise<number[]> {
	const random = vi.spyOn(Math, 'random').mockReturnValue(0.3);
	const world = new World();
	const left = { kills: 0, failures: 0, clocks: 0, delays: 0, ...bounds };
	const counts: number[] = [];
	const log: string[] = [];
	let last = '0';
	for (const { process, ...rest } of executions) void world.run(`${process}`, rest);
	for (let turn = 0; turn < 2_000; turn++) {
		await breath();
		const own = world.events.filter(({ process }) => process === last);
		const ordered = [...own, ...world.events.filter(({ process }) => process !== last)];
		const options: Array<[what: string, act: () => void]> = [];
		for (const event of ordered) {
			const { process, key, isCall } = event;
			const isSwitch = own.length > 0 && process !== last;
			if (isSwitch && left.switches === 0) continue;
			const go = (fails?: 'before' | 'after') => () => {
				if (isSwitch) left.switches--;
				if (fails !== undefined) left.failures--;
				last = process;
				world.happen(event, fails);
			};
			const name = `${process} ${key ?? 'call'}`;
			options.push([name, go()]);
			if (isCall && left.failures > 0) {
				options.push([`${name} fails`, go('before')], [`${name} fails late`, go('after')]);
			}
			if (left.kills > 0) {
				options.push([`${name}: killed`, () => (left.kills--, world.kill(process))]);
			}
		}
		if (world.canWait && (options.length === 0 || left.delays > 0)) {
			options.push([
				'time passes',
				() => {
					if (world.events.length > 0) left.delays--;
					vi.advanceTimersToNextTimer();
				},
			]);
		}
		if (options.length > 0 && left.clocks > 0) {
			options.push(['a clock is set', () => (left.clocks--, world.setClock(60_000))]);
		}
		if (options.length === 0) break;
		const choice = choices[counts.length] ?? 0;
		counts.push(options.length);
		log.push(options[choice][0]);
		options[choice][1]();
	}
	await world.askLater(['a']);
	random.mockRestore();
	if (world.problems.length > 0) {
		throw new Error(`${world.problems.join('; ')}:\n${log.join('\n')}`);
	}
	return counts;
}

describe('all schedules within bounds', () => {
	const ALL = Object.keys(FATES);
	test.each<[processes: number, bounds: Bounds, fates?: string[]]>([
		[1, { switches: 0, kills: 1, failures: 1 }],
		[2, { switches: 2 }],
		[2, { switches: 1, kills: 1 }],
		[2, { switches: 0, kills: 2 }, ['answer lost']],
		[2, { switches: 1, failures: 1 }, ['accepted', 'answer lost']],
		[2, { switches: 1, delays: 2 }],
		[2, { switches: 0, clocks: 1, kills: 1 }, ['answer lost']],
		[3, { switches: 1 }],
		[3, { switches: 0, kills: 1 }],
	])('%i processes with one key, %j', async (processes, bounds, fates = ALL) => {
		let played = 0;
		for (const fate of fates) {
			const executions = Array.from({ length: processes }, (_, process) => ({
				...{ process, keys: ['a'], fates: [process === 0 ? fate : 'accepted'] },
			}));
			played += await playAll((choices) => play(executions, choices, bounds));
		}
		console.log(`${played} schedules`);
		expect(played).toBeGreaterThan(50);
	});
});

const execution: fc.Arbitrary<Execution> = fc.record({
	process: fc.nat(2),
	keys: fc.subarray(KEYS, { minLength: 1 }),
	fates: fc.array(fc.constantFrom(...Object.keys(FATES)), {
		minLength: KEYS.length,
		maxLength: KEYS.length,
	}),
});
/** Which of the events comes next, and how. */
const choice = fc.record({
	event: fc.nat(11),
	how: fc.oneof(
		{ weight: 37, arbitrary: fc.constant('well' as const) },
		{ weight: 20, arbitrary: fc.constant('time' as const) },
		{ weight: 3, arbitrary: fc.constantFrom('before', 'after', 'kill') },
		{ weight: 1, arbitrary: fc.constantFrom('stop', 'clock') },
	),
});

interface History {
	executions: Execution[];
	choices: Array<typeof choice extends fc.Arbitrary<infer T> ? T : never>;
	/** Nothing fails, is killed, or has its clock set. */
	isWell: boolean;
}

async function playHistory(
	{ executions, choices, isWell }: History,
	processes: number,
): Promise<void> {
	const world = new World();
	for (const { process, ...rest } of executions) void world.run(`${process % processes}`, rest);
	for (const { event, how } of choices) {
		await breath();
		if (world.canWait && (how === 'time' || world.events.length === 0)) {
			vi.advanceTimersToNextTimer();
			continue;
		}
		if (world.events.length === 0) break;
		const next = world.events[event % world.events.length];
		if (how === 'stop') world.stop(next.process);
		else if (how === 'clock' && !isWell) world.setClock(event % 2 ? 60_000 : -60_000);
		else if (how === 'kill' && !isWell) world.kill(next.process);
		else if ((how === 'before' || how === 'after') && next.isCall && !isWell)
			world.happen(next, how);
		else world.happen(next);
	}
	await world.askLater(KEYS);
	if (world.problems.length > 0) throw new Error(world.problems.join('\n'));
}

test.each([1, 2, 3])('random histories of %s processes', async (processes) => {
	await playHistories({
		count: 1_000,
		drawn: fc.record({
			executions: fc.array(execution, { minLength: 1, maxLength: 6 }),
			choices: fc.array(choice, { maxLength: 100 }),
			isWell: fc.boolean(),
		}),
		play: async (history) => await playHistory(history, processes),
	});
});

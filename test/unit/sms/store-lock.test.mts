/**
 * The lock around n8n's store: the real code of two and three processes, in all interleavings of their calls
 * of the database, with a kill or a standstill at every step. A call reads a row and writes it back later; time
 * passes only while nobody's call is under way (a call takes less than any wait of the lock).
 */
import type { IExecuteFunctions } from 'n8n-workflow';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { StoreLock } from '../../../nodes/Sms/StoreLock.ts';
import { STORE_TIMING } from '../../../nodes/Sms/storeTiming.ts';
import { breath, playAll, useTurnedClock } from './schedules.mts';

/** Few polls, so that there are few interleavings: a second look leaves a number, a third or fourth takes over. */
Object.assign(STORE_TIMING, {
	firstPoll: 40,
	longestPoll: 40,
	longestWait: 5_000,
	longestHold: 140,
	patience: 20,
	silence: 150,
	sending: 0,
	latestWrite: 0,
} satisfies Record<keyof typeof STORE_TIMING, number>);

interface Step {
	process: number;
	name: 'read' | 'write' | 'clear' | 'work';
	run: () => void;
}

let worlds = 0;

/** Some processes that each want the lock once, and what the database does of it, one step at a time. */
class World {
	private row: number | undefined;
	private readonly name = `world ${++worlds}`;
	steps: Step[] = [];
	/** Those that do their work, and their locks. */
	readonly inside = new Map<number, StoreLock>();
	/** All that began their work, in order. */
	private readonly begun: number[] = [];
	readonly ended = new Map<number, string>();
	readonly problems: string[] = [];

	constructor(readonly processes: number) {
		for (let process = 0; process < processes; process++) {
			void this.play(process).then(
				(how) => this.ended.set(process, how),
				({ message }: Error) => this.ended.set(process, message),
			);
		}
	}

	private async step<T>(process: number, name: Step['name'], work: () => T): Promise<T> {
		return await new Promise((resolve, reject) => {
			const run = () => {
				try {
					resolve(work());
				} catch (error) {
					reject(error as Error);
				}
			};
			this.steps.push({ process, name, run });
		});
	}

	private helpers(process: number): IExecuteFunctions['helpers'] {
		return {
			checkProcessedAndRecord: async (numbers: number[]) => {
				const before = await this.step(process, 'read', () => this.row);
				return await this.step(process, 'write', () => {
					const largest = Math.max(before ?? 0, ...numbers);
					if (before === undefined && this.row !== undefined) throw new Error('UNIQUE');
					if (before === undefined || this.row !== undefined) this.row = largest;
					return { new: numbers.filter((one) => before === undefined || one > before) };
				});
			},
			clearAllProcessedItems: async () =>
				await this.step(process, 'clear', () => (this.row = undefined)),
		} as unknown as IExecuteFunctions['helpers'];
	}

	private async play(process: number): Promise<string> {
		// Executions of one process know of each other by workflow.
		const lock = new StoreLock(this.helpers(process), `${this.name}/${process}`);
		await lock.hold(async () => {
			lock.check();
			this.inside.set(process, lock);
			this.begun.push(process);
			await this.step(process, 'work', () => {});
			// Whether a further step may begin.
			const holders = [...this.inside].filter(([, one]) => believes(one));
			if (holders.length > 1) this.problems.push(`${holders.length} have the lock`);
			this.inside.delete(process);
		});
		// The lock has said that its work is valid: nobody began any meanwhile.
		if (this.begun.at(-1) !== process) this.problems.push(`${process} was not alone`);
		return 'had it';
	}
}

/** One that stood still finds out before its next step. */
function believes(lock: StoreLock): boolean {
	try {
		lock.check();
		return true;
	} catch {
		return false;
	}
}

/** Events that may happen at most, besides the steps of the processes. */
interface Bounds {
	kills: number;
	standstills: number;
	/** How often time passes while somebody does its work. */
	delays?: number;
	/** How often another process comes before one that could go on. */
	switches: number;
	/** Where their numbers begin, and how each differs from the one before: whose is larger. */
	numbers?: [first: number, difference: number];
}

/**
 * Plays one schedule.
 *
 * @param choices which of the things that can happen next does; after them, always the first
 * @returns how many there were each time
 */
async function play(processes: number, choices: number[], bounds: Bounds): Promise<number[]> {
	const [first, difference] = bounds.numbers ?? [0.3, 0.37];
	let randoms = 0;
	vi.spyOn(Math, 'random').mockImplementation(() => (first + difference * randoms++) % 1);
	const world = new World(processes);
	const gone = new Set<number>();
	const still = new Set<number>();
	const counts: number[] = [];
	const log: string[] = [];
	let { kills, standstills, delays = 0, switches } = bounds;
	let last = 0;
	for (let turn = 0; turn < 400; turn++) {
		await breath();
		const isOver = (one: number) => gone.has(one) || world.ended.has(one);
		const ready = world.steps.filter(({ process }) => !isOver(process) && !still.has(process));
		const options: Array<[what: string, happen: () => void]> = [];
		// Who went last goes first: any other order is a switch.
		const order = (one: number) => (one - last + processes) % processes;
		for (const step of ready.sort((a, b) => order(a.process) - order(b.process))) {
			const isSwitch = step !== ready[0] && ready[0].process === last;
			if (isSwitch && switches === 0) continue;
			const { process, name } = step;
			options.push([
				`${process} ${name}`,
				() => {
					if (isSwitch) switches--;
					last = process;
					world.steps.splice(world.steps.indexOf(step), 1);
					step.run();
				},
			]);
			if (kills > 0) {
				options.push([
					`${process} killed at ${name}`,
					() => {
						kills--;
						gone.add(process);
						world.inside.delete(process);
						world.steps = world.steps.filter((one) => one.process !== process);
					},
				]);
			}
			if (standstills > 0 && name === 'work') {
				options.push([
					`${process} stands still`,
					() => {
						standstills--;
						still.add(process);
					},
				]);
			}
		}
		const isIdle = ready.length === 0;
		if (isIdle || ready.every(({ name }) => name === 'work')) {
			if (vi.getTimerCount() > 0 && (isIdle || delays > 0)) {
				const pass = () => {
					if (!isIdle) delays--;
					vi.advanceTimersToNextTimer();
				};
				options.push(['time passes', pass]);
			}
			for (const process of still) {
				options.push([`${process} goes on`, () => void still.delete(process)]);
			}
		}
		if (options.length === 0) break;
		const choice = choices[counts.length] ?? 0;
		counts.push(options.length);
		log.push(options[choice][0]);
		options[choice][1]();
	}
	vi.mocked(Math.random).mockRestore();
	vi.clearAllTimers();
	const problems = [...world.problems];
	for (let process = 0; process < processes; process++) {
		const how = world.ended.get(process) ?? 'waits for ever';
		const isFine = how === 'had it' || gone.has(process);
		// One that stood still may have lost it, and says so.
		if (!isFine && !((bounds.standstills > 0 || bounds.delays) && /stood still/.test(how))) {
			problems.push(`${process} ${how}`);
		}
	}
	if (problems.length > 0) throw new Error(`${problems.join('; ')}:\n${log.join('\n')}`);
	return counts;
}

describe('all interleavings', () => {
	useTurnedClock();

	test.each<[processes: number, bounds: Bounds]>([
		[2, { kills: 1, standstills: 0, switches: Infinity }],
		[2, { kills: 0, standstills: 1, switches: Infinity }],
		[2, { kills: 1, standstills: 1, switches: Infinity }],
		[3, { kills: 0, standstills: 0, switches: Infinity }],
		[2, { kills: 0, standstills: 0, delays: 8, switches: Infinity }],
		[3, { kills: 1, standstills: 0, switches: 3 }],
		[3, { kills: 1, standstills: 0, switches: 2, numbers: [0.9, 0.63] }],
		[3, { kills: 2, standstills: 0, switches: 1 }],
		[3, { kills: 2, standstills: 0, switches: 1, numbers: [0.9, 0.63] }],
		[3, { kills: 0, standstills: 1, switches: 3 }],
		[3, { kills: 1, standstills: 1, switches: 0 }],
		[3, { kills: 0, standstills: 0, delays: 6, switches: 2 }],
		[3, { kills: 1, standstills: 0, delays: 6, switches: 1 }],
		[4, { kills: 0, standstills: 0, delays: 9, switches: 2 }],
	])(
		'%i processes, %j: one at a time has the lock, and all get it',
		async (processes, bounds) => {
			const played = await playAll((choices) => play(processes, choices, bounds));
			console.log(`${played} schedules`);
			expect(played).toBeGreaterThan(50);
		},
	);
});

describe('how long one waits', () => {
	useTurnedClock();

	let calls = 0;
	beforeEach(() => void (calls = 0));

	/** A row of the database; none of its calls takes time, unless it says so. */
	function database(row?: number, call: () => Promise<void> = async () => {}) {
		return {
			checkProcessedAndRecord: async (numbers: number[]) => {
				calls++;
				await call();
				const before = row ?? 0;
				row = Math.max(before, ...numbers);
				return { new: numbers.filter((one) => one > before) };
			},
			clearAllProcessedItems: () => Promise.resolve((row = undefined)),
		} as unknown as IExecuteFunctions['helpers'];
	}
	const pass = async (time: number) =>
		await new Promise<void>((resolve) => setTimeout(resolve, time));

	test('a holder counts the time that the call took which made the row', async () => {
		const half = 1.1 * STORE_TIMING.silence;
		const late = database(undefined, async () => await pass(0.8 * STORE_TIMING.silence));
		const held = new StoreLock(late, 'a late answer').hold(async () => await pass(half));
		const failed = expect(held).rejects.toThrow('stood still');
		await vi.advanceTimersByTimeAsync(3 * half);
		await failed;
	});

	test.each([
		['made the row', undefined, 1],
		['took the row over', 1, 10],
	])('where the call took too long that %s, the work begins later', async (_, row, slow) => {
		const { longestHold, silence } = STORE_TIMING;
		const late = database(row, async () => await pass(calls === slow ? longestHold : 0));
		vi.spyOn(Math, 'random').mockReturnValue(0.5);
		const work = vi.fn(async () => {});
		const held = new StoreLock(late, `late in call ${slow}`).hold(work);
		while (calls < slow) await vi.advanceTimersByTimeAsync(10);
		await vi.advanceTimersByTimeAsync(longestHold);
		expect(work).not.toHaveBeenCalled();
		await vi.advanceTimersByTimeAsync(3 * silence);
		await held;
		vi.mocked(Math.random).mockRestore();
		expect(work).toHaveBeenCalledOnce();
	});

	test('a holder that was suspended with its machine finds out by the other clock', async () => {
		const suspend = async () => void vi.setSystemTime(Date.now() + 2 * STORE_TIMING.silence);
		const held = new StoreLock(database(), 'suspended').hold(suspend);
		await expect(held).rejects.toThrow('stood still');
	});

	test('calls that fail now and then are no database out of order', async () => {
		const other = {
			...database(),
			checkProcessedAndRecord: async (numbers: number[]) => {
				if (++calls % 2 === 0) throw new Error('UNIQUE');
				return { new: numbers.filter((one) => one > 1) };
			},
		} as unknown as IExecuteFunctions['helpers'];
		const begun = performance.now();
		let end = begun;
		void new StoreLock(other, 'failures')
			.hold(async () => {})
			.catch(() => (end = performance.now()));
		await vi.advanceTimersByTimeAsync(2 * STORE_TIMING.longestWait);
		expect(end - begun).toBeGreaterThan(STORE_TIMING.longestWait);
	});

	test('whatever numbers callers have left that were killed, the next one takes over in time', async () => {
		const { patience, silence, longestWait } = STORE_TIMING;
		const helpers = database(1);
		// Each is killed when it has just left a larger number than the one before, the largest that it could draw.
		const random = vi.spyOn(Math, 'random').mockReturnValue(0.999);
		for (const [index, silences] of [0.1, 2.6, 6.1, 9.6].entries()) {
			let isKilled = false;
			const lock = new StoreLock(helpers, `killed ${index}`);
			const waiting = lock.hold(
				async () => {},
				() => isKilled,
			);
			await vi.advanceTimersByTimeAsync(patience + silences * silence);
			isKilled = true;
			await vi.advanceTimersByTimeAsync(silence);
			expect(await waiting).toBeUndefined();
		}
		random.mockReturnValue(0);
		let holds = false;
		const last = new StoreLock(helpers, 'alive').hold(async () => void (holds = true));
		await vi.advanceTimersByTimeAsync(1.2 * longestWait);
		await last.catch(() => {});
		random.mockRestore();
		expect(holds).toBe(true);
	});

	test('as long as executions of the process get it one after the other, all others wait', async () => {
		const helpers = database();
		const work = async () => await pass(100);
		const held = Array.from(
			{ length: 120 },
			async () => await new StoreLock(helpers, 'a long line').hold(work),
		);
		// Twice as long as one waits for what doesn't move.
		await vi.advanceTimersByTimeAsync(130 * 100);
		expect(await Promise.allSettled(held)).toEqual(
			held.map(() => ({ status: 'fulfilled', value: undefined })),
		);
		// Only the first one of the line asks.
		expect(calls).toBeLessThan(2 * held.length);
	});

	test('where another process gets it again and again, a whole line gives up together', async () => {
		// Another one has made it anew each time it is looked at: no number stays in it.
		const other = {
			...database(),
			checkProcessedAndRecord: (numbers: number[]) =>
				Promise.resolve({ new: numbers.filter((one) => one > 1) }),
		};
		const failures: string[] = [];
		const ends: number[] = [];
		for (let one = 0; one < 3; one++) {
			void new StoreLock(other as unknown as IExecuteFunctions['helpers'], 'no way in')
				.hold(async () => {})
				.catch(({ message }: Error) => {
					failures.push(message);
					ends.push(performance.now());
				});
		}
		const begun = performance.now();
		await vi.advanceTimersByTimeAsync(2 * STORE_TIMING.longestWait);
		expect(failures).toEqual(
			failures.map(() => 'other executions of this workflow keep it busy'),
		);
		expect(ends).toHaveLength(3);
		for (const end of ends) {
			expect(end - begun).toBeGreaterThan(STORE_TIMING.longestWait);
			expect(end - begun).toBeLessThan(1.2 * STORE_TIMING.longestWait);
		}
	});
});

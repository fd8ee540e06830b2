/** Bounded concurrency and pace (design, guarantees 2 and 3). Real time, but only order and counts. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Gate } from '../../../nodes/shared/run/Gate.ts';

const FREE = { concurrency: 10, requestsPerSecond: 0 };

/** Sends `count` jobs through a gate; says who got in, in which order, and how many at once. */
async function run(
	gate: Gate,
	count: number,
	work: (job: number) => Promise<unknown> = async () => await sleep(1),
) {
	const started: number[] = [];
	const refused: number[] = [];
	let inside = 0;
	let most = 0;
	await Promise.all(
		Array.from({ length: count }, async (_, job) => {
			if (!(await gate.enter())) {
				refused.push(job);
				return;
			}
			started.push(job);
			most = Math.max(most, ++inside);
			try {
				await work(job);
			} finally {
				inside--;
				gate.leave();
			}
		}),
	);
	return { started, refused, most };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** How many of 100 start in one turn of the event loop, at most; all of them do, in order. */
async function mostInOneTurn(gate: Gate): Promise<number> {
	let turn = 0;
	let counting = setImmediate(function count() {
		turn++;
		counting = setImmediate(count);
	});
	const startsIn = new Map<number, number>();
	const { started } = await run(gate, 100, async () => {
		startsIn.set(turn, (startsIn.get(turn) ?? 0) + 1);
		await sleep(5);
	});
	clearImmediate(counting);
	expect(started).toEqual(numbers(100));
	return Math.max(...startsIn.values());
}

describe('concurrency', () => {
	test.each([1, 2, 7, 10, 100])(
		'never more than %i at once, and not fewer',
		async (concurrency) => {
			// Each takes longer than it takes to fill the gate.
			const work = async () => await sleep(2 * concurrency);
			const { started, most } = await run(new Gate({ ...FREE, concurrency }), 250, work);
			expect(most).toBe(concurrency);
			expect(started).toEqual(numbers(250));
		},
	);

	test('not more than three start in one turn of the event loop, so that the first can leave', async () => {
		expect(await mostInOneTurn(new Gate({ ...FREE, concurrency: 50 }))).toBe(3);
	});

	test('nor after a pause, which the service asked for', async () => {
		const gate = new Gate({ ...FREE, concurrency: 50 });
		gate.pause(30);
		expect(await mostInOneTurn(gate)).toBe(3);
	});

	test('closed while others wait for their turn: they are turned away', async () => {
		const gate = new Gate({ ...FREE, concurrency: 50 });
		const { started, refused } = await run(gate, 100, async () => {
			gate.close();
			await sleep(5);
		});
		expect(started.length).toBeLessThanOrEqual(3);
		expect([...started, ...refused].sort((a, b) => a - b)).toEqual(numbers(100));
	});

	test('a pause that begins while others wait for their turn holds them back', async () => {
		const gate = new Gate({ ...FREE, concurrency: 50 });
		let end = Infinity;
		let early = 0;
		const { started } = await run(gate, 100, async (job) => {
			if (Date.now() < end) early++;
			if (job === 0) {
				end = Date.now() + 50;
				gate.pause(50);
			}
			await sleep(5);
		});
		expect(early).toBeLessThanOrEqual(3);
		expect(started).toEqual(numbers(100));
	});

	test('fewer jobs than places', async () => {
		const { started, most } = await run(new Gate(FREE), 3);
		expect(most).toBe(3);
		expect(started).toEqual([0, 1, 2]);
	});

	test('first come, first served, whatever the jobs take', async () => {
		const gate = new Gate({ ...FREE, concurrency: 3 });
		const { started } = await run(gate, 50, async (job) => await sleep(job % 5));
		expect(started).toEqual(numbers(50));
	});

	test('a place that was left is given on, also to those who come late', async () => {
		const gate = new Gate({ ...FREE, concurrency: 2 });
		expect((await run(gate, 5)).started).toHaveLength(5);
		expect((await run(gate, 5)).most).toBe(2);
	});

	test('jobs that fail give their place back', async () => {
		const gate = new Gate({ ...FREE, concurrency: 1 });
		for (let job = 0; job < 3; job++) {
			await expect(
				run(gate, 1, async () => await Promise.reject(new Error('x'))),
			).rejects.toThrow();
		}
		expect((await run(gate, 3)).started).toHaveLength(3);
	});
});

describe('pace', () => {
	test('starts keep their order and are spread, whatever the concurrency', async () => {
		const starts: number[] = [];
		const gate = new Gate({ concurrency: 10, requestsPerSecond: 100 });
		const { started } = await run(gate, 20, async () => {
			starts.push(Date.now());
		});
		expect(started).toEqual(numbers(20));
		// Nobody starts early: the last one's turn is 19 slots of 10 ms after the first one's.
		expect(starts.at(-1)! - starts[0]).toBeGreaterThanOrEqual(185);
	});

	test('a pause holds all further starts back', async () => {
		const gate = new Gate({ ...FREE, concurrency: 2 });
		gate.pause(80);
		const before = Date.now();
		let first = 0;
		await run(gate, 4, async () => {
			first ||= Date.now();
		});
		expect(first - before).toBeGreaterThanOrEqual(75);
	});

	test('a shorter pause does not end a longer one', async () => {
		const gate = new Gate(FREE);
		gate.pause(80);
		gate.pause(1);
		const before = Date.now();
		await run(gate, 1);
		expect(Date.now() - before).toBeGreaterThanOrEqual(75);
	});
});

describe('pace and pauses, on a clock that is moved by hand', () => {
	beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
	afterEach(() => void vi.useRealTimers());

	/** Most starts within any one second. */
	function mostInASecond(starts: number[]): number {
		return Math.max(
			...starts.map((from) => starts.filter((at) => at >= from && at < from + 1_000).length),
		);
	}

	/** Ends when all work has, whatever the clock says. */
	async function byHand<T>(work: Promise<T>): Promise<T> {
		let isOver = false;
		void work.finally(() => (isOver = true)).catch(() => {});
		for (let step = 0; !isOver && step < 100_000; step++) await vi.advanceTimersByTimeAsync(5);
		expect(isOver).toBe(true);
		return await work;
	}

	// What was due during the pause used to start all at once after it.
	test.each([
		[1, 4],
		[10, 4],
		[100, 25],
	])(
		'%i at once, after a pause no more than %i starts in any second',
		async (concurrency, requestsPerSecond) => {
			const gate = new Gate({ concurrency, requestsPerSecond });
			const starts: number[] = [];
			let pausedUntil = 0;
			const { started } = await byHand(
				run(gate, 60, async (job) => {
					starts.push(Date.now());
					if (job === 5) {
						gate.pause(3_000);
						pausedUntil = Date.now() + 3_000;
					}
				}),
			);
			expect(started).toEqual(numbers(60));
			expect(mostInASecond(starts)).toBeLessThanOrEqual(requestsPerSecond);
			expect(starts[6]).toBeGreaterThanOrEqual(pausedUntil);
		},
	);

	test('whatever pauses come, and whoever tries again: never faster, never in a pause', async () => {
		const pause = fc.record({
			at: fc.integer({ min: 0, max: 4_000 }),
			milliseconds: fc.integer({ min: 0, max: 2_500 }),
		});
		const given = fc.record({
			concurrency: fc.integer({ min: 1, max: 12 }),
			requestsPerSecond: fc.constantFrom(0, 0.5, 1, 3, 4, 7, 40),
			work: fc.integer({ min: 0, max: 700 }),
			tries: fc.integer({ min: 1, max: 3 }),
			pauses: fc.array(pause, { maxLength: 5 }),
		});
		await fc.assert(
			fc.asyncProperty(given, async ({ work, tries, pauses, ...pace }) => {
				const gate = new Gate(pace);
				const starts: number[] = [];
				const ends: Array<[from: number, until: number]> = [];
				const start = () => starts.push(Date.now());
				for (const { at, milliseconds } of pauses) {
					setTimeout(() => {
						gate.pause(milliseconds);
						ends.push([Date.now(), Date.now() + milliseconds]);
					}, at);
				}
				const { started, most } = await byHand(
					run(gate, 12, async () => {
						start();
						for (let further = 1; further < tries; further++) {
							await gate.wait(work);
							if (await gate.startSlot()) start();
						}
						await gate.wait(work);
					}),
				);
				expect(started).toEqual(numbers(12));
				expect(most).toBeLessThanOrEqual(pace.concurrency);
				expect(starts).toHaveLength(12 * tries);
				const { requestsPerSecond } = pace;
				if (requestsPerSecond > 0) {
					const bound = Math.max(1, requestsPerSecond);
					expect(mostInASecond(starts)).toBeLessThanOrEqual(bound);
				}
				for (const [from, until] of ends) {
					expect(starts.filter((at) => at > from && at < until)).toEqual([]);
				}
			}),
			{ numRuns: 60 },
		);
	});
});

describe('closing', () => {
	test('turns away all that have not started; those under way end', async () => {
		const gate = new Gate({ ...FREE, concurrency: 3 });
		const { started, refused } = await run(gate, 20, async (job) => {
			await sleep(1);
			if (job === 4) gate.close();
			await sleep(1);
		});
		expect(started.slice(0, 5)).toEqual([0, 1, 2, 3, 4]);
		expect(started.length).toBeLessThanOrEqual(7);
		expect([...started, ...refused].sort((a, b) => a - b)).toEqual(numbers(20));
		expect(gate.isClosed).toBe(true);
		expect(await gate.enter()).toBe(false);
	});

	test('turns away those in line at once, though the one before them never ends', async () => {
		const gate = new Gate({ ...FREE, concurrency: 1 });
		expect(await gate.enter()).toBe(true);
		const inLine = [gate.enter(), gate.enter()];
		gate.close();
		expect(await Promise.all(inLine)).toEqual([false, false]);
		expect(await gate.enter()).toBe(false);
	});

	test('turns away who was given a place and has not started', async () => {
		const gate = new Gate({ ...FREE, concurrency: 1 });
		await gate.enter();
		const next = gate.enter();
		gate.leave();
		gate.close();
		expect(await next).toBe(false);
	});

	test('turns away those who wait for their turn in the pace', async () => {
		const gate = new Gate({ concurrency: 5, requestsPerSecond: 1 });
		const { started, refused } = await run(gate, 5, async () => gate.close());
		expect(started).toEqual([0]);
		expect(refused).toEqual([1, 2, 3, 4]);
	});

	test('ends a sleep', async () => {
		const gate = new Gate(FREE);
		const before = Date.now();
		setTimeout(() => gate.close(), 20);
		expect(await gate.wait(60_000)).toBe(false);
		expect(Date.now() - before).toBeLessThan(5_000);
	});

	test('twice does no harm', () => {
		const gate = new Gate(FREE);
		gate.close();
		gate.close();
		expect(gate.isClosed).toBe(true);
	});
});

describe('cancelling the execution', () => {
	test('turns away all that have not started', async () => {
		const controller = new AbortController();
		const gate = new Gate({ ...FREE, concurrency: 2 }, controller.signal);
		const { started, refused } = await run(gate, 20, async (job) => {
			await sleep(2);
			if (job === 3) controller.abort();
		});
		expect(started.length).toBeLessThan(10);
		expect(started.length + refused.length).toBe(20);
		expect(await gate.enter()).toBe(false);
	});

	test('turns away those who wait for their turn, and those in line behind them', async () => {
		const controller = new AbortController();
		const gate = new Gate({ ...FREE, concurrency: 1 }, controller.signal);
		gate.pause(60_000);
		const waiting = [gate.enter(), gate.enter(), gate.enter()];
		setTimeout(() => controller.abort(), 20);
		expect(await Promise.all(waiting)).toEqual([false, false, false]);
	});

	test('beforehand lets nobody in', async () => {
		const gate = new Gate(FREE, AbortSignal.abort());
		expect(gate.isClosed).toBe(true);
		expect((await run(gate, 3)).refused).toEqual([0, 1, 2]);
	});

	test('ends a sleep', async () => {
		const controller = new AbortController();
		const gate = new Gate(FREE, controller.signal);
		const before = Date.now();
		setTimeout(() => controller.abort(), 20);
		expect(await gate.wait(60_000)).toBe(false);
		expect(Date.now() - before).toBeLessThan(5_000);
	});
});

describe("where this computer's clock is set back", () => {
	const realNow = Date.now;
	afterEach(() => void (Date.now = realNow));
	const setBack = () => void (Date.now = () => realNow() - 3_600_000);

	test('a sleep and a pause take no longer', async () => {
		const gate = new Gate(FREE);
		gate.pause(60);
		const waiting = [gate.wait(50), gate.enter()];
		setTimeout(setBack, 10);
		const before = performance.now();
		expect(await Promise.all(waiting)).toEqual([true, true]);
		expect(performance.now() - before).toBeLessThan(5_000);
	});

	test('a gate that closes by itself does so in time', async () => {
		const gate = new Gate(FREE).successor(50);
		setTimeout(setBack, 10);
		expect(await gate.wait(60_000)).toBe(false);
		expect(gate.isClosed).toBe(true);
	});
});

describe('the gate for what comes after', () => {
	test('is open where the one before was closed, and keeps to its pauses', async () => {
		const gate = new Gate(FREE);
		gate.pause(60);
		gate.close();
		const before = performance.now();
		expect(await gate.successor(Infinity).enter()).toBe(true);
		expect(performance.now() - before).toBeGreaterThanOrEqual(55);
	});

	test('keeps to the pace of the one before', async () => {
		const gate = new Gate({ concurrency: 1, requestsPerSecond: 10 });
		const before = performance.now();
		expect(await gate.enter()).toBe(true);
		gate.leave();
		expect(await gate.successor(Infinity).enter()).toBe(true);
		expect(performance.now() - before).toBeGreaterThanOrEqual(95);
	});

	test('lets nobody in when its time is over, nor after a stop', async () => {
		const controller = new AbortController();
		const gate = new Gate(FREE, controller.signal);
		const short = gate.successor(20);
		const long = gate.successor(60_000);
		expect(await short.wait(60_000)).toBe(false);
		expect(await short.enter()).toBe(false);
		expect(short.timeLeft).toBeLessThanOrEqual(0);
		expect(await long.enter()).toBe(true);
		controller.abort();
		expect(await long.enter()).toBe(false);
	});
});

test('a sleep of nothing', async () => {
	const gate = new Gate(FREE);
	expect(await gate.wait(0)).toBe(true);
	expect(await gate.wait(-5)).toBe(true);
});

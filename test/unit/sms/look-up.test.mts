/** When a look-up asks, and how often, on a clock that is moved by hand (docs/delivery.md, "Unknown, looked up"). */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServiceClock, timeHere } from '../../../nodes/shared/http/ServiceClock.ts';
import type { Finding, LookUpDesk, Unknown } from '../../../nodes/shared/run/operation.ts';
import type { MessageStatus } from '../../../nodes/shared/service/messages.ts';
import { lookUpUnknown, type LookedUpMessage } from '../../../nodes/Sms/lookUp.ts';

/** The execution began in the middle of a second. */
const NOW = 1_700_000_000_300;
beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

const sleep = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const isSent = (finding: Finding | undefined) => finding !== undefined && 'found' in finding;

interface World {
	/** What the service shows of a number, by the time that it is asked. */
	shows?: (number: string, time: number) => Partial<MessageStatus> | undefined;
	/** How far the clock of the service is ahead of this computer's. */
	ahead?: number;
	/** How long a request takes to get there, and its answer to come back. */
	there?: number;
	back?: number;
	/** By how much this computer is late where it wants to ask at a moment. */
	late?: (wait: number) => number;
	/** After how long the user stops the execution. */
	stopsAfter?: number;
	isContested?: LookUpDesk['isContested'];
	known?: string[];
	sample?: LookUpDesk['sample'];
	/** Whether a request gets no answer that is understood. */
	fails?: (whom: string, request: number) => boolean;
	/** How long the run goes on after the message whose answer was lost. */
	later?: number;
}

/** Looks up the messages to these numbers, whose answers were lost 20 ms after they were asked for. */
async function lookUp(numbers: string[], world: World = {}) {
	const { shows, ahead = 0, there = 5, back = 5, late = () => 0 } = world;
	const clock = new ServiceClock();
	const asked: Array<{ whom: string; at: number }> = [];
	let end = Infinity;
	let underWay = 0;
	let mostUnderWay = 0;
	const stop = NOW + (world.stopsAfter ?? Infinity);
	const isOver = () => Date.now() >= end || Date.now() >= stop;
	const desk: LookUpDesk = {
		clock,
		known: new Set(world.known),
		sample: world.sample,
		isContested: world.isContested ?? (() => false),
		async wait(milliseconds) {
			if (milliseconds > 0) {
				if (isOver()) return false;
				const left = Math.min(milliseconds + late(milliseconds), end - Date.now());
				await sleep(Math.min(left, stop - Date.now()));
			}
			return !isOver();
		},
		async ask(request, read) {
			const { identifier, snapshotId } = request.qs as Record<string, string>;
			const number = asked.push({ whom: identifier ?? snapshotId, at: Date.now() - NOW });
			mostUnderWay = Math.max(mostUnderWay, ++underWay);
			const from = timeHere();
			await sleep(there);
			const time = Date.now() + ahead;
			const date = new Date(time).toUTCString();
			await sleep(back);
			underWay--;
			if (world.fails?.(identifier ?? snapshotId, number) === true) {
				return { status: 'unknown', message: 'x', advice: '', transient: true } as never;
			}
			clock.observe(date, from, timeHere());
			const status = shows?.(identifier ?? snapshotId, time);
			const body =
				status === undefined ? {} : { id: 1, state: 'sent', stateDate: time, ...status };
			return { value: read(body, undefined as never)! };
		},
	};
	const begun = Date.now();
	const unknown = numbers.map(
		(number, index): Unknown<LookedUpMessage> => ({
			index,
			prepared: { subject: number, recipient: number, looksUp: true } as LookedUpMessage,
			attempt: [begun, begun + 20],
			isDatedByService: false,
		}),
	);
	await vi.advanceTimersByTimeAsync(20 + (world.later ?? 0));
	const started = Date.now();
	const over = lookUpUnknown(unknown, (milliseconds) => {
		end = Date.now() + milliseconds;
		return desk;
	});
	let tookUntil = Infinity;
	void over.then(() => (tookUntil = Date.now()));
	await vi.advanceTimersByTimeAsync(120_000);
	const findings = await over;
	return {
		findings,
		asked,
		mostUnderWay,
		took: tookUntil - started,
		to: (whom: string) => asked.filter((one) => one.whom === whom).map(({ at }) => at - 20),
	};
}

/** So late that no request comes at the turn of a second: the clock is never read more closely. */
const BUSY = (wait: number) => (wait > 0 && wait <= 1_000 ? 450 : 0);

describe('a look-up', () => {
	test('asks in rounds and a few times between them, where nothing is shown', async () => {
		const { to, took, findings } = await lookUp(['+33600000001', '+33600000002']);
		const [first, second, third, fourth, fifth, ...more] = to('+33600000002');
		expect(more).toEqual([]);
		expect(first).toBe(0);
		for (const [at, planned] of [
			[second, 2_000],
			[third, 6_000],
			[fourth, 12_000],
			[fifth, 19_000],
		]) {
			expect(at).toBeGreaterThanOrEqual(planned);
			expect(at).toBeLessThanOrEqual(planned + 100);
		}
		expect(took).toBeLessThanOrEqual(20_100);
		expect([...findings.values()].some(isSent)).toBe(false);
	});

	test('reads the clock ten times more at most, where nothing was seen that it would tell', async () => {
		const { asked, took } = await lookUp(['+33600000001'], { late: BUSY });
		expect(asked.length).toBe(5 + 10);
		expect(took).toBeLessThanOrEqual(20_100);
	});

	test('reads the clock up to twenty times more, where a message was seen that it would tell', async () => {
		const { asked } = await lookUp(['+33600000001'], {
			late: BUSY,
			shows: () => ({ sent: NOW - 1 }),
		});
		expect(asked.length).toBeGreaterThan(5 + 10);
		expect(asked.length).toBeLessThanOrEqual(5 + 20);
	});

	test('begins its rounds on time where the clock stays unclear between them', async () => {
		const { to } = await lookUp(['+33600000001', '+33600000002'], {
			late: BUSY,
			shows: (number) => (number === '+33600000001' ? { sent: NOW - 200 } : undefined),
		});
		for (const [round, planned] of [0, 2_000, 6_000, 12_000, 19_000].entries()) {
			const at = to('+33600000002')[round];
			expect(at).toBeGreaterThanOrEqual(planned);
			expect(at).toBeLessThanOrEqual(planned + 600);
		}
	});

	test('asks about the message that was seen, not about another, to read the clock', async () => {
		const { to } = await lookUp(['+33600000001', '+33600000002'], {
			late: BUSY,
			shows: (number) => (number === '+33600000002' ? { sent: NOW - 1 } : undefined),
		});
		expect(to('+33600000001')).toHaveLength(5);
		expect(to('+33600000002').length).toBeGreaterThan(5 + 10);
	});

	test('never takes longer than its time, whatever the clock says, and never floods the service', async () => {
		for (let ahead = -1_000; ahead <= 1_000; ahead += 90) {
			vi.setSystemTime(NOW);
			const { asked, took } = await lookUp(['+33600000001'], {
				ahead,
				shows: () => ({ sent: NOW + ahead - 300 }),
			});
			expect(took).toBeLessThanOrEqual(20_100);
			expect(asked.length).toBeLessThanOrEqual(25);
			const times = asked.map(({ at }) => at);
			const inASecond = times.map(
				(from) => times.filter((at) => at >= from && at < from + 1_000).length,
			);
			expect(Math.max(...inASecond)).toBeLessThanOrEqual(8);
		}
	});

	test('asks nothing more after the user has stopped the execution', async () => {
		for (const stopsAfter of [25, 500, 1_500, 2_500, 7_000]) {
			vi.setSystemTime(NOW);
			const { asked, took } = await lookUp(['+33600000001'], {
				stopsAfter,
				late: BUSY,
				shows: () => ({ sent: NOW - 200 }),
			});
			expect(took).toBeLessThanOrEqual(stopsAfter);
			expect(Math.max(...asked.map(({ at }) => at))).toBeLessThanOrEqual(stopsAfter);
		}
	});
});

describe('what is shown', () => {
	const found = async (sent: number, more: World & { status?: Partial<MessageStatus> } = {}) => {
		vi.setSystemTime(NOW);
		const { ahead = 0 } = more;
		const { findings } = await lookUp(['+33600000001'], {
			shows: (_, time) =>
				time >= NOW + ahead + sent
					? { sent: NOW + ahead + sent, ...more.status }
					: undefined,
			...more,
		});
		return isSent(findings.get(0));
	};

	test.each([0, 333, -777, 3_600_000])(
		'is taken from the attempt on (the service is %d ms ahead)',
		async (ahead) => {
			expect(await found(-40, { ahead })).toBe(false);
			expect(await found(5, { ahead })).toBe(true);
		},
	);

	test('is not taken from just before it, where a busy computer leaves the clock unclear by some milliseconds', async () => {
		const late = (wait: number) => (wait > 0 && wait <= 1_000 ? 15 : 0);
		for (let before = 1; before <= 20; before++) {
			expect([before, await found(-before, { late })]).toEqual([before, false]);
		}
		expect(await found(19, { late })).toBe(true);
	});

	test('is taken where it is dated half a minute after the answer was lost, and not later', async () => {
		const after = async (sent: number) =>
			await found(sent, {
				later: 40_000,
				sample: { snapshotId: '99', attempt: [NOW + 35_000, NOW + 35_010] },
				shows: (whom) => ({ sent: whom === '99' ? NOW + 35_005 : NOW + sent }),
			});
		expect(await after(29_000)).toBe(true);
		expect(await after(31_500)).toBe(false);
	});

	test('is not taken where it is a test, is known, or contested', async () => {
		expect(await found(5, { status: { test: true } })).toBe(false);
		expect(await found(5, { known: ['1'] })).toBe(false);
		expect(await found(5, { isContested: () => true })).toBe(false);
	});

	test('is not taken where it lies in the future of the Date header when it is seen first', async () => {
		expect(await found(0, { shows: () => ({ sent: NOW + 3_000 }) })).toBe(false);
	});

	describe('where the messages are dated by a clock that is ahead of the Date header', () => {
		/** A message of the run, accepted while it went on: it was dated by that clock too. */
		const compared = (by: number): World => ({
			later: 5_000,
			sample: { snapshotId: '99', attempt: [NOW + 4_000, NOW + 4_010] },
			shows: (whom) => ({ sent: whom === '99' ? NOW + 4_005 + by : NOW - 1_000 + by }),
		});

		test('an older one is not taken: it is compared with one of the run', async () => {
			for (const by of [1_500, 3_000, 5_500])
				expect(await found(0, compared(by))).toBe(false);
		});

		test('nor where the first looks at that one fail', async () => {
			const fails = (whom: string, request: number) => whom === '99' && request < 4;
			expect(await found(0, { ...compared(1_500), fails })).toBe(false);
		});

		test('nor where that one was answered late', async () => {
			const sample: World['sample'] = {
				snapshotId: '99',
				attempt: [NOW + 4_000, NOW + 4_900],
			};
			for (const by of [1_001, 1_500]) {
				expect(await found(0, { ...compared(by), sample })).toBe(false);
			}
		});

		test('nor where there is none to compare it with', async () => {
			expect(
				await found(0, { later: 5_000, shows: () => ({ sent: NOW - 1_000 + 1_500 }) }),
			).toBe(false);
		});

		test('one that lay in the future when it was seen is not dated for a later try', async () => {
			vi.setSystemTime(NOW);
			const { findings } = await lookUp(['+33600000001'], {
				// Only after the clock has been read closely.
				shows: (_, time) => (time > NOW + 15_000 ? { sent: NOW + 60_000 } : undefined),
			});
			expect(findings.get(0)).toHaveProperty('seen');
			expect(findings.get(0)).toHaveProperty('attempt', undefined);
			vi.setSystemTime(NOW);
			const { findings: nothing } = await lookUp(['+33600000001']);
			expect(nothing.get(0)).toHaveProperty('attempt', expect.any(Array));
		});
	});

	test('is not taken where another execution was through so shortly before that the clock can not tell', async () => {
		// Its answer came at once, 1 ms before the attempt; looks take longer, after they were dated.
		const isContested: World['isContested'] = (_, since = -Infinity) => NOW - 1 >= since;
		expect(await found(-5, { back: 200, isContested, shows: () => ({ sent: NOW - 5 }) })).toBe(
			false,
		);
		expect(
			await found(5, {
				back: 200,
				isContested: (_, since = -Infinity) => NOW - 5_000 >= since,
			}),
		).toBe(true);
	});
});

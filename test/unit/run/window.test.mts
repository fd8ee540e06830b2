/** How many requests a run has in flight where the user doesn't say it: the rule, and what services get by it. */
import { describe, expect, test } from 'vitest';
import { FIRST, nextWindow, type Sign } from '../../../nodes/shared/run/limiter.ts';
import { randomOf, refusedConnection, sendTo, tooMany, type Service } from './services.mts';

/** Answers that came one after the other. */
interface Answers {
	sign: Sign;
	times?: number;
	/** Seconds at which they came; their requests had begun a moment before. */
	at?: number;
	/** Requests in flight. */
	used?: number;
	/** Seconds at which the requests began. */
	began?: number;
}

const sizeAfter = (...all: Answers[]) =>
	all.reduce((window, { sign, times = 1, at = 0, used = 100, began = at - 0.001 }) => {
		const heard = { sign, began: began * 1_000, ended: at * 1_000, inFlight: used };
		for (let answer = 0; answer < times; answer++) window = nextWindow(window, heard);
		return window;
	}, FIRST).size;

const quick = (times: number, more: Partial<Answers> = {}) =>
	({ sign: 'quick', times, ...more }) as const;
const slow = (times: number, used: number) => ({ sign: 'slow', times, used }) as const;
const tooManyAt = (at: number, more: Partial<Answers> = {}) =>
	({ sign: 'tooMany', at, ...more }) as const;
const brokenAt = (at: number) => ({ sign: 'broken', at }) as const;

test.each<[size: number, what: string, answers: Answers[]]>([
	[10, 'is what a run begins with', []],
	[10, 'stays until as many answers were quick', [quick(9)]],
	[30, 'is three times as much, after them', [quick(10)]],
	[90, 'is three times as much again, after as many more', [quick(40)]],
	[100, 'is the most', [quick(1_000)]],
	[10, 'stays where answers are refused', [{ sign: 'none', times: 1_000 }]],
	[10, 'stays where answers are slow', [{ sign: 'slow', times: 1_000 }]],
	[25, 'is what the run uses of 90, too, where answers got slow', [quick(40), slow(90, 25)]],
	[25, 'is what the run uses of 90', [quick(40), quick(90, { used: 25 })]],
	[26, 'is one more, where that is used', [quick(40), quick(115, { used: 25 })]],
	[26, 'stays where 25 of it are used', [quick(40), quick(391, { used: 25 })]],
	[10, 'is left to a run that uses less', [quick(1_000, { used: 3 })]],
	[30, 'is reached by a run that began with less', [quick(50, { used: 1 }), quick(10)]],
	[5, 'is half of it, after 429', [tooManyAt(1)]],
	[30, 'is where 90 came from, after 429', [quick(40), tooManyAt(1)]],
	[90, 'is where 100 came from, after 429', [quick(1_000), tooManyAt(1)]],
	[
		30,
		'is not changed by 429 to requests that began before',
		[quick(40), tooManyAt(1), tooManyAt(2, { began: 0.5, times: 40 })],
	],
	[15, 'is half of 30, after 429 to later ones', [quick(40), tooManyAt(1), tooManyAt(2)]],
	[1, 'is the least, after 429', [1, 2, 3, 4, 5, 6].map((at) => tooManyAt(at))],
	[5, 'is held for 4 seconds', [tooManyAt(1), quick(100, { at: 4.9 })]],
	[6, 'is one more then, for as many quick answers', [tooManyAt(1), quick(5, { at: 5 })]],
	[
		5,
		'is held for 8 seconds by further trouble',
		[tooManyAt(1), quick(5, { at: 5 }), tooManyAt(6), quick(100, { at: 13.9 })],
	],
	[
		2,
		'is one more after 16 seconds at most',
		[...[1, 2, 3, 4, 5].map((at) => tooManyAt(at)), quick(1, { at: 21 })],
	],
	[10, 'stays where a connection broke off', [brokenAt(1), brokenAt(2)]],
	[30, 'is where 90 came from, after a broken connection', [quick(40), brokenAt(1)]],
	[10, 'is the least, after broken connections', [quick(40), ...[1, 2, 3, 4].map(brokenAt)]],
	[5, 'is not raised by a broken connection', [tooManyAt(1), brokenAt(2)]],
])('%i %s', (size, _, answers) => {
	expect(sizeAfter(...answers)).toBe(size);
});

describe('a service that answers', () => {
	/** As 429, beyond so many at once. */
	const limited =
		(limit: number, ms: number, retryAfter?: number): Service =>
		({ inFlight }) => ({
			after: ms,
			failure: inFlight > limit ? tooMany(retryAfter) : undefined,
		});

	test.each([20, 200, 2_000])(
		'in %i ms gets 1,000 messages much sooner than with 10 at once',
		async (ms) => {
			const { accepted, took, inFlight } = await sendTo(() => ({ after: ms }), 1_000);
			expect(accepted).toBe(1_000);
			expect(Math.max(...inFlight)).toBeLessThanOrEqual(100);
			const with10 = await sendTo(() => ({ after: ms }), 1_000, 10);
			console.log(`${ms} ms: ${took} ms, with 10 at once ${with10.took} ms`);
			expect(took).toBeLessThan(with10.took / 3);
		},
	);

	test('later the more it has to do gets no more than a run begins with', async () => {
		const { accepted, inFlight } = await sendTo(
			({ inFlight }) => ({ after: 5 * inFlight }),
			1_000,
		);
		expect(accepted).toBe(1_000);
		expect(Math.max(...inFlight)).toBe(10);
	});

	test.each([
		[1, 20, undefined, 30],
		[2, 200, undefined, 40],
		[5, 20, undefined, 20],
		[5, 20, 1, 20],
		[5, 200, undefined, 30],
		[5, 200, 1, 35],
		[12, 50, undefined, 50],
		[50, 20, 2, 100],
		[50, 200, undefined, 100],
	])(
		'to %i at once in %i ms, and 429 beyond with Retry-After %s, refuses a few of 1,000',
		async (limit, ms, retryAfter, most) => {
			const { accepted, failures, took } = await sendTo(
				limited(limit, ms, retryAfter),
				1_000,
			);
			console.log(`${limit} at once, ${ms} ms: ${failures} refused, ${Math.round(took)} ms`);
			expect(accepted).toBe(1_000);
			expect(failures).toBeLessThanOrEqual(most);
		},
	);

	test('to 30 requests a second gets all messages, which it does not with 10 at once', async () => {
		const service = (): Service => {
			let [tokens, last] = [30, 0];
			return () => {
				const now = performance.now();
				tokens = Math.min(30, tokens + (last && (now - last) * 0.03));
				last = now;
				return { after: 20, failure: tokens < 1 ? tooMany() : void tokens-- };
			};
		};
		const { accepted, failures } = await sendTo(service(), 1_000);
		const with10 = await sendTo(service(), 1_000, 10);
		console.log(`30 a second: ${failures} refused; with 10 at once ${with10.failures}`);
		expect(accepted).toBe(1_000);
		expect(failures).toBeLessThan(with10.failures / 3);
	});

	test('in 20 ms, and in 2 s from request 300 on, has no more in flight then', async () => {
		const service: Service = ({ order }) => ({ after: order < 300 ? 20 : 2_000 });
		const { accepted, inFlight } = await sendTo(service, 1_000);
		expect(accepted).toBe(1_000);
		const before = Math.max(...inFlight.slice(0, 300));
		expect(Math.max(...inFlight)).toBeLessThanOrEqual(before);
	});

	test('no more from request 300 on has no more in flight then than before', async () => {
		const service: Service = ({ order }) =>
			order < 300 ? { after: 20 } : { after: 1, failure: refusedConnection() };
		const { inFlight } = await sendTo(service, 400);
		const later = Math.max(...inFlight.slice(300));
		expect(later).toBeLessThanOrEqual(Math.max(...inFlight.slice(0, 300)));
	});

	test('four of five connections is as fast as with 10 at once', async () => {
		const service = (): Service => {
			const random = randomOf(7);
			return () =>
				random() < 0.2 ? { after: 1, failure: refusedConnection() } : { after: 20 };
		};
		const { accepted, took } = await sendTo(service(), 1_000);
		const with10 = await sendTo(service(), 1_000, 10);
		console.log(`a fifth refused: ${took} ms; with 10 at once ${with10.took} ms`);
		// Four refusals of the same message end it as not sent: one of 625.
		expect(accepted).toBeGreaterThanOrEqual(990);
		expect(took).toBeLessThan(with10.took * 1.1);
	});
});

/** What is made again, and what is not: each line of the one predicate (design, guarantee 5). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { repeatOf, type Tried } from '../../../nodes/shared/run/repeat.ts';
import { TIMING, type RetryPolicy } from '../../../nodes/shared/run/timing.ts';

/** Not the one that every operation has, so that it is seen to be read. */
const POLICY: RetryPolicy = { tries: 5, firstDelay: 40, longestWait: 10_000 };

const FAILURE: Failure = {
	status: 'notSent',
	message: 'x',
	advice: '',
	transient: true,
	general: true,
};
const FIRST: Tried = { isSending: true, tries: 1, waited: 0 };

const repeat = (failure: Partial<Failure>, tried: Partial<Tried> = {}, random = () => 0.5) =>
	repeatOf({ ...FAILURE, ...failure }, { ...FIRST, ...tried }, POLICY, random);
const again = { after: expect.any(Number) };
const never = (why: string) => ({ never: expect.stringContaining(why) });

describe('each line', () => {
	test.each<[what: string, failure: Partial<Failure>, tried: Partial<Tried>, then: object]>([
		['certainly not sent, and may pass', {}, {}, again],
		['does not pass', { transient: false }, {}, never('no better')],
		[
			'nor where a time is named',
			{ transient: false, retryAfterMs: 1 },
			{},
			never('no better'),
		],
		['a send that is unknown', { status: 'unknown' }, {}, never('carried out')],
		[
			'a read or a deletion that is unknown',
			{ status: 'unknown' },
			{ isSending: false },
			again,
		],
		['the last try but one', {}, { tries: POLICY.tries - 1 }, again],
		['the last try', {}, { tries: POLICY.tries }, never('often enough')],
		['more tries than allowed', {}, { tries: POLICY.tries + 1 }, never('often enough')],
		['a wait that still fits', { retryAfterMs: 5_000 }, { waited: 4_900 }, again],
		['one that does not', { retryAfterMs: 5_000 }, { waited: 5_001 }, never('too long')],
		['a time named beyond all waits', { retryAfterMs: 10_001 }, {}, never('too long')],
		['the wait of its own that does not fit', {}, { waited: 9_999 }, never('too long')],
	])('%s', (_, failure, tried, then) => expect(repeat(failure, tried)).toEqual(then));

	test('the first that fits is the reason', () => {
		const unknown = { status: 'unknown', retryAfterMs: 1e6 } as const;
		const often = { tries: 99, waited: 1e6 };
		expect(repeat({ ...unknown, transient: false }, often)).toEqual(never('no better'));
		expect(repeat(unknown, often)).toEqual(never('carried out'));
		expect(repeat(unknown, { ...often, isSending: false })).toEqual(never('often enough'));
	});
});

const delay = (tries: number, random: () => number, failure: Partial<Failure> = {}) =>
	(repeat(failure, { tries }, random) as { after: number }).after;

test('the wait doubles, with jitter', () => {
	const least = [1, 2, 3].map((tries) => delay(tries, () => 0));
	const most = [1, 2, 3].map((tries) => delay(tries, () => 1));
	for (const delays of [least, most]) {
		expect(delays[1]).toBe(delays[0] * 2);
		expect(delays[2]).toBe(delays[1] * 2);
	}
	expect(most[0]).toBe(POLICY.firstDelay);
	expect(most[0]).toBeGreaterThan(least[0]);
	expect(least[0]).toBeGreaterThan(0);
});

test('Retry-After is the least time to wait', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 0, max: 9_000 }),
			fc.double({ min: 0, max: 1, noNaN: true }),
			(retryAfterMs, random) => {
				expect(delay(1, () => random, { retryAfterMs })).toBeGreaterThanOrEqual(
					retryAfterMs,
				);
			},
		),
	);
});

test('whatever happens, the waits of a request stay within the bounds of every operation', () => {
	const answer = fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined });
	fc.assert(
		fc.property(
			fc.array(answer, { minLength: 20, maxLength: 20 }),
			fc.double({ min: 0, max: 1, noNaN: true }),
			(answers, random) => {
				let tries = 1;
				let waited = 0;
				for (const retryAfterMs of answers) {
					const next = repeatOf(
						{ ...FAILURE, retryAfterMs },
						{ isSending: true, tries, waited },
						TIMING.retry,
						() => random,
					);
					if ('never' in next) break;
					expect(next.after).toBeGreaterThan(0);
					waited += next.after;
					tries++;
				}
				expect(tries).toBeLessThanOrEqual(TIMING.retry.tries);
				expect(waited).toBeLessThanOrEqual(TIMING.retry.longestWait);
			},
		),
	);
});

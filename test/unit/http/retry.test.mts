/** When a request that did no harm is made again, and when no more (design, guarantee 5). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { nextDelay, retryPolicy, type RetryPolicy } from '../../../nodes/shared/http/retry.ts';

/** Not the one that every operation has, so that it is seen to be read. */
const POLICY: RetryPolicy = { tries: 5, firstDelay: 40, longestWait: 10_000 };

const FAILURE: Failure = {
	status: 'notSent',
	message: 'x',
	advice: '',
	transient: true,
	general: true,
};

test('what is not transient is never repeated', () => {
	expect(nextDelay({ ...FAILURE, transient: false }, 1, 0, POLICY)).toBeUndefined();
	expect(
		nextDelay({ ...FAILURE, transient: false, retryAfterMs: 1 }, 1, 0, POLICY),
	).toBeUndefined();
});

test('the wait doubles, with jitter', () => {
	const least = [1, 2, 3].map((tries) => nextDelay(FAILURE, tries, 0, POLICY, () => 0)!);
	const most = [1, 2, 3].map((tries) => nextDelay(FAILURE, tries, 0, POLICY, () => 1)!);
	for (const delays of [least, most]) {
		expect(delays[1]).toBe(delays[0] * 2);
		expect(delays[2]).toBe(delays[1] * 2);
	}
	expect(most[0]).toBe(POLICY.firstDelay);
	expect(most[0]).toBeGreaterThan(least[0]);
	expect(least[0]).toBeGreaterThan(0);
});

test('the number of tries is bounded', () => {
	expect(nextDelay(FAILURE, POLICY.tries - 1, 0, POLICY, () => 0)).toBeDefined();
	expect(nextDelay(FAILURE, POLICY.tries, 0, POLICY)).toBeUndefined();
	expect(nextDelay(FAILURE, retryPolicy.tries + 1, 0, POLICY)).toBeUndefined();
});

describe('Retry-After', () => {
	test('is the least time to wait', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 0, max: 50_000 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(retryAfterMs, random) => {
					const delay = nextDelay(
						{ ...FAILURE, retryAfterMs },
						1,
						0,
						retryPolicy,
						() => random,
					);
					expect(delay).toBeGreaterThanOrEqual(retryAfterMs);
				},
			),
		);
	});

	test('longer than what is left: waiting is given up at once', () => {
		const retryAfterMs = POLICY.longestWait + 1;
		expect(nextDelay({ ...FAILURE, retryAfterMs }, 1, 0, POLICY)).toBeUndefined();
		expect(
			nextDelay({ ...FAILURE, retryAfterMs: 5_000 }, 2, POLICY.longestWait - 4_000, POLICY),
		).toBeUndefined();
	});
});

test('whatever happens, the waits of a request stay within the bounds', () => {
	const answer = fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined });
	fc.assert(
		fc.property(
			fc.array(answer, { minLength: 20, maxLength: 20 }),
			fc.double({ min: 0, max: 1, noNaN: true }),
			(answers, random) => {
				let tries = 1;
				let waited = 0;
				for (const retryAfterMs of answers) {
					const delay = nextDelay(
						{ ...FAILURE, retryAfterMs },
						tries,
						waited,
						retryPolicy,
						() => random,
					);
					if (delay === undefined) break;
					expect(delay).toBeGreaterThan(0);
					waited += delay;
					tries++;
				}
				expect(tries).toBeLessThanOrEqual(retryPolicy.tries);
				expect(waited).toBeLessThanOrEqual(retryPolicy.longestWait);
			},
		),
	);
});

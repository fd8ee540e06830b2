import type { Failure } from './failure';

/** How often and how long a request is repeated that certainly did no harm. Milliseconds. */
export interface RetryPolicy {
	/** Tries in all, the first one included. */
	tries: number;
	/** Upper bound of the first wait; it doubles with each further one. */
	firstDelay: number;
	/** Longest time that one request may spend waiting, all its waits together. */
	longestWait: number;
}

/** What every operation does. */
export const retryPolicy: RetryPolicy = { tries: 4, firstDelay: 1_000, longestWait: 60_000 };

/**
 * How long to wait before the next try, or undefined when there is to be none.
 *
 * Exponential with jitter, so that requests that failed together don't come back together. Where the
 * service names a time, that is the least; if it is longer than what is left, waiting is given up.
 *
 * @param tries how many were made so far
 * @param waited milliseconds spent waiting so far
 */
export function nextDelay(
	failure: Failure,
	tries: number,
	waited: number,
	policy: RetryPolicy,
	random: () => number = Math.random,
): number | undefined {
	if (!failure.transient || tries >= policy.tries) return undefined;
	const backoff = policy.firstDelay * 2 ** (tries - 1) * (0.5 + random() / 2);
	const delay = failure.retryAfterMs === undefined ? backoff : failure.retryAfterMs + backoff / 4;
	return waited + delay > policy.longestWait ? undefined : delay;
}

import type { Failure } from '../http/failure';
import type { RetryPolicy } from './timing';

/** What was tried so far of a request. */
export interface Tried {
	/** It changes something, and does so again when it is repeated: sending, adding. */
	isSending: boolean;
	tries: number;
	/** Milliseconds spent waiting between them. */
	waited: number;
}

/** Whether a request is made again, after how many milliseconds, or why not. */
export type Repeat = { after: number } | { never: string };

/**
 * The one place that decides what is repeated: the first line that fits says why not.
 *
 * The wait is exponential with jitter, so that requests that failed together don't come back together.
 * Where the service names a time, that is the least.
 */
export function repeatOf(
	{ transient, status, retryAfterMs }: Failure,
	{ isSending, tries, waited }: Tried,
	{ tries: most, firstDelay, longestWait }: RetryPolicy,
	random: () => number = Math.random,
): Repeat {
	const backoff = firstDelay * 2 ** (tries - 1) * (0.5 + random() / 2);
	const after = retryAfterMs === undefined ? backoff : retryAfterMs + backoff / 4;
	if (!transient) return { never: 'another try would fare no better' };
	if (isSending && status === 'unknown') return { never: 'it may have been carried out' };
	if (tries >= most) return { never: 'it was tried often enough' };
	if (waited + after > longestWait) return { never: 'the wait would be too long' };
	return { after };
}

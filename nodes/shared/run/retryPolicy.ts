import type { Failure } from '../http/failure';

/** The policy of every request. */
export const RETRY = {
	/** The first one included. */
	maxTries: 4,
	/** Milliseconds; doubles with each try. */
	firstDelay: 1_000,
	/** Milliseconds that one request may spend waiting in all. */
	maxWait: 60_000,
	/** Milliseconds after which the service shows what it has accepted. */
	shownAfter: 30_000,
} as const;

/**
 * The one place that decides whether a failed request is repeated. The wait is exponential with jitter, so that requests
 * that failed together don't come back together, and at least as long as the service asks for.
 *
 * @param isSafe repeating it does no harm: a GET, a deletion
 * @param waited milliseconds that the request has spent waiting
 * @returns milliseconds to wait; undefined for no further try
 */
export function retryAfter(
	{ transient, status, retryAfterMs }: Failure,
	{ isSafe, tries, waited }: { isSafe: boolean; tries: number; waited: number },
): number | undefined {
	const { maxTries, firstDelay, maxWait } = RETRY;
	const backoff = firstDelay * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
	const after = retryAfterMs === undefined ? backoff : retryAfterMs + backoff / 4;
	if (!transient) return undefined;
	// It may have been carried out: never send twice.
	if (!isSafe && status === 'unknown') return undefined;
	if (tries >= maxTries || waited + after > maxWait) return undefined;
	return after;
}

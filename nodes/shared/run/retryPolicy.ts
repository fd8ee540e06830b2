import type { Failure } from '../http/failure';
import { unknownBefore, type Result } from './outcome';
import type { Receipt } from './receipts';

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
};

/**
 * The one place that decides whether a failed request is repeated. The wait is exponential with jitter, so that requests that failed
 * together don't come back together, and at least as long as the service asks for.
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

/**
 * The one place that decides whether a change is made that this execution has made before, or may have: an accepted one
 * never, and an unknown one only with a reason.
 *
 * @param isHarmless it can be made any number of times: a deletion
 * @param looksUp the service can be asked first
 * @param mayRepeat it was asked, and shows nothing; or the user allows it
 * @returns its result where it isn't made
 */
export function afterEarlierTry(
	receipt: Receipt | undefined,
	how: { isHarmless: boolean; looksUp: boolean; mayRepeat: boolean },
): 'make' | 'lookUp' | Result {
	if (receipt === undefined) return 'make';
	if (receipt.state === 'accepted') return { value: receipt.answer };
	if (how.isHarmless) return 'make';
	// Retry On Fail repeats nothing of its own execution; a person's retry may.
	if (receipt.isOwn) return unknownBefore();
	if (how.looksUp) return 'lookUp';
	return how.mayRepeat ? 'make' : unknownBefore();
}

/** Milliseconds until the service certainly shows what it has accepted, of which the answer got lost. */
export function untilShown(receipt: Receipt | undefined): number {
	if (receipt?.state !== 'unknown') return 0;
	// The clock may have been set back.
	return Math.min(Math.max(0, receipt.at + RETRY.shownAfter - Date.now()), RETRY.shownAfter);
}

import { sleep } from 'n8n-workflow';

/** Waits in slices, so that a cancelled execution doesn't go on waiting. */
const SLICE = 200;

/**
 * Sleeps.
 *
 * @param isClosed asked before and after each slice
 * @returns false where that ended the wait
 */
export async function waitUnless(isClosed: () => boolean, milliseconds: number): Promise<boolean> {
	const end = performance.now() + milliseconds;
	for (let left = milliseconds; left > 0; left = end - performance.now()) {
		if (isClosed()) return false;
		await sleep(Math.min(left, SLICE));
	}
	return !isClosed();
}

/** Whoever waits for a slot when the execution is cancelled gets none, unless it completes something half done. */
import { expect, test } from 'vitest';
import { Limiter } from '../../../nodes/shared/run/limiter.ts';

test('after a cancelled execution, nothing new starts', async () => {
	const execution = new AbortController();
	const limiter = new Limiter({ concurrency: 1, requestsPerSecond: 0 }, execution.signal);
	expect(await limiter.acquire()).toBe(true);
	const waiting = [limiter.acquire(), limiter.acquire(), limiter.acquire(true)];
	execution.abort();
	limiter.release();
	expect(await Promise.all(waiting)).toEqual([false, false, true]);
	expect(await limiter.acquire()).toBe(false);
});

/** Whoever waits for a slot when the execution is cancelled gets none, unless it completes something half done. */
import { setTimeout as sleep } from 'node:timers/promises';
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

test('a pause that begins while a start waits for its turn holds it up, too', async () => {
	const limiter = new Limiter({ concurrency: 10, requestsPerSecond: 5 });
	const begun = performance.now();
	await limiter.nextTurn();
	const second = limiter.nextTurn();
	await sleep(50);
	limiter.pause(600);
	expect(await second).toBe(true);
	expect(performance.now() - begun).toBeGreaterThanOrEqual(640);
});

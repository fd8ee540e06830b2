/** Who waits for a slot, or for its next try, and for how long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Limiter } from '../../../nodes/shared/run/limiter.ts';
import { SEND } from '../../../nodes/shared/service/sentMessages.ts';

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

test('of ten tries that are due together after 429, five are in flight at once', async () => {
	const limiter = new Limiter({ requestsPerSecond: 0 });
	/** Ten requests get this answer once so many are in flight. @returns the most at once */
	const wave = async (answer: object, expected: number) => {
		let [inFlight, most] = [0, 0];
		const request = async () => {
			most = Math.max(most, ++inFlight);
			while (most < expected) await sleep(1);
			// Another one would come meanwhile.
			await sleep(50);
			inFlight--;
			return answer as never;
		};
		const service = limiter.listenTo({ request });
		const makeOne = async () => {
			await limiter.nextTurn();
			await service.request({ endpoint: SEND }, () => undefined);
		};
		await Promise.all(Array.from({ length: 10 }, makeOne));
		return most;
	};
	expect(await wave({ status: 'notSent', httpCode: 429, transient: true }, 10)).toBe(10);
	expect(await wave({ value: {} }, 5)).toBe(5);
});

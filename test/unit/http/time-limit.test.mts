/** The time limit of a request (design, "http": one timer). What takes longer: engine/sms/time-limit.test.mts. */
import { getEventListeners } from 'node:events';
import { setTimeout as pass } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { withinLimit } from '../../../nodes/shared/http/timeLimit.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('what ends in time gives what it gives, and leaves nothing behind', async () => {
	const { signal: cancelled } = new AbortController();
	const timers = () =>
		process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
	const before = timers();
	let given: AbortSignal | undefined;
	const work = async (signal: AbortSignal) => {
		given = signal;
		await pass(1);
		expect(timers()).toBe(before);
		return 7;
	};
	expect(await withinLimit(60_000, work, cancelled)).toBe(7);
	await expect(
		withinLimit(60_000, async () => await Promise.reject(new Error('x')), cancelled),
	).rejects.toThrow('x');
	expect(listeners(cancelled)).toBe(0);
	expect(given!.aborted).toBe(false);
});

test('an error of the work that comes after its time is nobody’s', async () => {
	const late = withinLimit(10, async (signal) => {
		await pass(30);
		throw new Error(String(signal.aborted));
	});
	await expect(late).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	await pass(50); // an unhandled rejection fails the suite
});

describe('a Stop', () => {
	test.each(['before', 'during'])('%s the work is passed on to it', async (when) => {
		const cancel = new AbortController();
		if (when === 'before') cancel.abort();
		const stopped = withinLimit(
			60_000,
			async (signal) =>
				await new Promise<never>((_, reject) => {
					const stop = () => reject(new Error('stopped'));
					if (signal.aborted) stop();
					signal.addEventListener('abort', stop);
				}),
			cancel.signal,
		);
		cancel.abort();
		await expect(stopped).rejects.toThrow('stopped');
		expect(listeners(cancel.signal)).toBe(0);
	});
});

test.each([2 ** 31, 1e12, Infinity])('a limit of %d ms is not over at once', async (limit) => {
	const work = async () => await pass(20).then(() => 'done');
	expect(await withinLimit(limit, work)).toBe('done');
});

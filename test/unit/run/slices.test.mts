/** Work that is begun in order, and bounded in number. */
import { describe, expect, test } from 'vitest';
import { beginInSlices } from '../../../nodes/shared/run/slices.ts';

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

describe('work that takes its time', () => {
	test('is begun in order, never more than a few thousand at once, and all of it', async () => {
		const begun: number[] = [];
		let underWay = 0;
		let most = 0;
		const count = 6_000;
		await beginInSlices(Array.from({ length: count }).keys(), async (value) => {
			begun.push(value);
			most = Math.max(most, ++underWay);
			// The first ones take longest.
			for (let left = value < 100 ? 20 : 1; left > 0; left--) await turn();
			underWay--;
		});
		expect(begun).toEqual([...Array.from({ length: count }).keys()]);
		expect(most).toBeLessThanOrEqual(2_500);
		expect(most).toBeGreaterThan(1_000);
		expect(underWay).toBe(0);
	});

	test('does not wait for what was begun before, as long as there is room', async () => {
		let end: () => void = () => {};
		const first = new Promise<void>((resolve) => (end = resolve));
		const ended: number[] = [];
		await beginInSlices([0, 1, 2], async (value) => {
			if (value === 0) await first;
			// The last one lets the first one end.
			if (value === 2) end();
			ended.push(value);
		});
		expect(ended).toEqual([1, 2, 0]);
	});

	test('an error is thrown when all have ended', async () => {
		const ended: number[] = [];
		const work = beginInSlices([0, 1, 2], async (value) => {
			if (value === 0) throw new Error('the first');
			await turn();
			ended.push(value);
			if (value === 2) throw new Error('the last');
		});
		await expect(work).rejects.toThrow('the first');
		expect(ended).toEqual([1, 2]);
	});

	test('nothing to do is done', async () => {
		await beginInSlices([], async () => await Promise.reject(new Error('never')));
	});
});

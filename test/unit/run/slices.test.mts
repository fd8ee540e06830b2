/** Work that is begun in order, and bounded in number (issue 10, "Fast": memory). */
import { describe, expect, test } from 'vitest';
import { beginInSlices } from '../../../nodes/shared/run/slices.ts';

const turn = async () => await new Promise((resolve) => setImmediate(resolve));

describe('work that takes its time', () => {
	test('is begun in order, never more at once than allowed, and all of it', async () => {
		const begun: number[] = [];
		let underWay = 0;
		let most = 0;
		await beginInSlices(Array.from({ length: 100 }).keys(), 7, async (value) => {
			begun.push(value);
			most = Math.max(most, ++underWay);
			// The first ones take longest.
			for (let left = 100 - value; left > 0; left--) await turn();
			underWay--;
		});
		expect(begun).toEqual([...Array.from({ length: 100 }).keys()]);
		expect(most).toBe(7);
		expect(underWay).toBe(0);
	});

	test('does not wait for what was begun before, as long as there is room', async () => {
		let end: () => void = () => {};
		const first = new Promise<void>((resolve) => (end = resolve));
		const ended: number[] = [];
		await beginInSlices([0, 1, 2], 2, async (value) => {
			if (value === 0) await first;
			// The last one lets the first one end.
			if (value === 2) end();
			ended.push(value);
		});
		expect(ended).toEqual([1, 2, 0]);
	});

	test('an error is thrown when all have ended', async () => {
		const ended: number[] = [];
		const work = beginInSlices([0, 1, 2], 3, async (value) => {
			if (value === 0) throw new Error('the first');
			await turn();
			ended.push(value);
			if (value === 2) throw new Error('the last');
		});
		await expect(work).rejects.toThrow('the first');
		expect(ended).toEqual([1, 2]);
	});

	test('nothing to do is done', async () => {
		await beginInSlices([], 1, async () => await Promise.reject(new Error('never')));
	});
});

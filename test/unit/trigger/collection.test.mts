/** A long answer is compared in slices: n8n's other work gets its turn in between. */
import { expect, test } from 'vitest';
import { compareCollection } from '../../../nodes/SmsTrigger/cursor/collection.ts';
import { planWatch } from '../../../nodes/SmsTrigger/cursor/watch.ts';

test('a comparison of 500,000 entries lets others have their turn', async () => {
	const answer = Array.from({ length: 500_000 }, (_, index) => ({ id: `reply ${index}` }));
	const reading = {
		idOf: ({ id }: { id: string }) => id,
		emitExisting: false,
		limit: 1_000,
	};
	let turns = 0;
	let isOver = false;
	const others = (async () => {
		for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
	})();
	const first = await compareCollection(undefined, answer, reading);
	const { state } = first.settle(0);
	const afterFirst = turns;
	answer.push({ id: 'new' });
	const second = await compareCollection(state, answer, reading);
	isOver = true;
	await others;
	expect(second.settle(1).entries).toEqual([{ id: 'new' }]);
	expect(afterFirst).toBeGreaterThan(3);
	expect(turns - afterFirst).toBeGreaterThan(3);
});

test('so does the plan of 200,000 watched numbers', async () => {
	const targets = Array.from({ length: 200_000 }, (_, index) => ({
		id: `number ${index}`,
	}));
	const first = await planWatch(undefined, targets, 200, false);
	const state = first.settle([]);
	let turns = 0;
	let isOver = false;
	const others = (async () => {
		for (; !isOver; turns++) await new Promise((resolve) => setImmediate(resolve));
	})();
	const plan = await planWatch(state, targets, 200, false);
	isOver = true;
	await others;
	expect(plan.looks).toHaveLength(200);
	expect(turns).toBeGreaterThan(3);
});

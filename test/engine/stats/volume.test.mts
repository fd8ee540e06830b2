/** 250,000 replies: more than n8n's router can hand over (it crashes above about 40,000 items). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measure } from '../../harness/measure.mts';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { CATEGORY, NUMBER, smsStats } from './support.mts';

const COUNT = 250_000;

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator();
	sim.service.addReplies(COUNT, CATEGORY);
});
afterAll(async () => await sim.close());

test('each comes out as an item, in one request', async () => {
	const { items, error } = await smsStats(sim, 'replies', {
		category: CATEGORY,
		returnAll: true,
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(COUNT);
	expect(new Set(items.map(({ json }) => json.id)).size).toBe(COUNT);
	expect(items.at(-1)!.json.message).toBe(`Reply ${COUNT}`);
	expect(items.every(({ pairedItem }) => (pairedItem as { item: number }).item === 0)).toBe(true);
	expect(sim.requests).toHaveLength(1);
});

test('the limit is kept to', async () => {
	const { items } = await smsStats(sim, 'replies', { category: CATEGORY, limit: 7 });
	expect(items).toHaveLength(7);
});

test.each([
	['the items are made', {}],
	['those that are wanted are found', { fromNumber: NUMBER, receivedAfter: 'a, b' }],
])('n8n stays responsive while %s', async (_, options) => {
	const { busy } = await measure(
		async () =>
			await smsStats(sim, 'replies', { category: CATEGORY, returnAll: true, options }),
	);
	// Reading 25 MB of JSON is one piece of work that can't be divided.
	expect(busy).toBeLessThan(2_000);
});

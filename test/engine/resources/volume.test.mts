/**
 * 50,000 contacts, blacklist entries and replies: more than n8n's router can hand over (it crashes above about
 * 40,000 items). 250,000 contacts are among the slow proofs.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measure } from '../../harness/measure.mts';
import { bulkNumber } from '../../simulator/service.mts';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { linesOf, listOf, runnerOf } from './support.mts';

const COUNT = 50_000;

let sim: Simulator;
let listId: string;
beforeAll(async () => {
	sim = await startSimulator();
	listId = sim.service.createList('Clients', [{ name: 'Nom de famille' }, { name: 'Ville' }]).id;
	sim.service.addContacts(listId, COUNT, (index) => ({
		identifier: bulkNumber(index),
		attributes: { nom_de_famille: `Dupont ${index}`, ville: 'Lyon' },
	}));
	sim.service.addBlacklisted('unsubscribers', COUNT);
	sim.service.addReplies(COUNT, 'orders');
});
afterAll(async () => await sim.close());

test('each contact comes out as an item, with the names of its columns', async () => {
	const { items, error } = await runnerOf('SmsContact', sim)('getMany', {
		list: listOf(listId),
		returnAll: true,
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(COUNT);
	expect(new Set(items.map(({ json }) => json.number)).size).toBe(COUNT);
	expect(items.at(-1)!.json.attributes).toEqual({
		'Nom de famille': `Dupont ${COUNT - 1}`,
		Ville: 'Lyon',
	});
	expect(items.every(({ pairedItem }) => (pairedItem as { item: number }).item === 0)).toBe(true);
	expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}/contacts`, `GET /v2/lists/${listId}`]);
});

test('each blacklist entry comes out as an item', async () => {
	const { items, error } = await runnerOf('SmsBlacklist', sim)('getMany', {
		returnAll: true,
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(COUNT);
	expect(items.at(-1)!.json).toMatchObject({ number: bulkNumber(COUNT - 1) });
});

test('a number is found among them', async () => {
	const run = runnerOf('SmsBlacklist', sim);
	const { items } = await run(
		'check',
		{ number: '={{ $json.to }}' },
		{ items: [{ to: bulkNumber(COUNT - 1) }, { to: bulkNumber(COUNT) }] },
	);
	expect(items.map(({ json }) => json.listed)).toEqual([true, false]);
});

test('each reply comes out as an item, and n8n stays responsive', async () => {
	const stats = runnerOf('SmsStats', sim);
	const { result, share } = await measure(
		async () => await stats('replies', { category: 'orders', returnAll: true }),
	);
	expect(result.items).toHaveLength(COUNT);
	// Reading 5 MB of JSON is one piece of work that can't be divided, an eighth of the whole.
	expect(share).toBeLessThan(0.25);
});

/** A name in the place of an ID, as people and agents enter it: the error gives the ID. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { addCampaign, byId, runCampaign } from '../campaign/support.mts';
import { hurry, linesOf, listOf, runnerOf } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

const NUMBER = '+33639981111';
const ABOUT_LIST: Array<[node: string, operation: string, INodeParameters?]> = [
	['SmsList', 'get'],
	['SmsList', 'empty'],
	['SmsList', 'delete'],
	['SmsList', 'addColumn', { columnName: 'City', columnType: 'STRING' }],
	['SmsContact', 'getMany', { returnAll: true }],
	['SmsContact', 'add', { number: NUMBER }],
	['SmsContact', 'import', { number: NUMBER }],
];

test.each(ABOUT_LIST)('%s, %s: the list by its name', async (node, operation, more) => {
	const { id } = sim.service.createList('Clients');
	sim.service.createList('Others');
	const { error } = await runnerOf(node, sim)(operation, {
		list: listOf(' clients', 'id'),
		...more,
	});
	expect(error?.message).toContain('"clients" is the name of a list, not its ID');
	expect(error?.description).toContain(`Choose it in 'List', or enter its ID: ${id}.`);
	expect(sim.service.lists.size).toBe(2);
	// An agent reads the ID, and goes on with it.
	const { error: none } = await runnerOf(node, sim)(operation, {
		list: listOf(id, 'id'),
		...more,
	});
	expect(none).toBeUndefined();
});

test.each(['send', 'sendTest', 'getStatistics'])(
	'a campaign by its name: %s',
	async (operation) => {
		const list = sim.service.createList('Clients');
		list.addContact(NUMBER);
		addCampaign(sim, 'c-1', list.id, { name: 'Summer sale' });
		const more = { operation, number: NUMBER };
		const { error } = await runCampaign(sim, { ...more, campaign: byId('Summer sale') });
		expect(error?.message).toBe('"Summer sale" is the name of a campaign, not its ID');
		expect(error?.description).toContain("Choose it in 'Campaign', or enter its ID: c-1.");
		expect(error?.description).not.toContain('Send Without Checks');
		expect(sim.messages).toEqual([]);
	},
);

test('a name that nothing has stays what was not found', async () => {
	sim.service.createList('Clients');
	const { error } = await runnerOf('SmsList', sim)('get', { list: listOf('5e00', 'id') });
	expect(error?.message).toBe('The list was not found (ID 5e00)');
	sim.faults.add({ method: 'GET', path: /lists\/$/, do: { kind: 'status', status: 500 } });
	await runnerOf('SmsList', sim)('get', { list: listOf('Clients', 'id') });
	expect(linesOf(sim).at(-1)).toBe('GET /v2/lists/');
});

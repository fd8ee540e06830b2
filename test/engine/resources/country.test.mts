/** Default Country of the credential: the nodes other than SMS read numbers by it too. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { runNode } from '../harness.mts';

const sim = await useSimulator({ extended: true });

const list = () => ({ __rl: true, mode: 'id', value: sim.service.createList('Clients').id });

test.each<[string, string, () => INodeParameters]>([
	['SmsBlacklist', 'add', () => ({ blacklist: 'unsubscribers' })],
	['SmsBlacklist', 'remove', () => ({ blacklist: 'unsubscribers' })],
	['SmsStats', 'messageStatus', () => ({ lookupBy: 'number' })],
	['SmsContact', 'add', () => ({ list: list() })],
	['SmsContact', 'delete', () => ({ list: list() })],
])('%s, %s', async (node, operation, parameters) => {
	await runNode({
		node,
		parameters: { operation, number: '0470 12 34 56', ...parameters() },
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, defaultCountry: 'BE' },
	});
	const sent = sim.requests.map(({ query, bodyText }) =>
		bodyText === ''
			? query.get('identifier')
			: (JSON.parse(bodyText) as { identifier: string }).identifier,
	);
	expect(sent).toContain('+32470123456');
	expect(sent).not.toContain('0470123456');
});

test('SmsBlacklist, check', async () => {
	sim.service.addToBlacklist('bounces', '+32470123456');
	const { items } = await runNode({
		node: 'SmsBlacklist',
		parameters: { operation: 'check', blacklist: 'any', number: '0470 12 34 56' },
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, defaultCountry: 'BE' },
	});
	expect(items[0].json).toMatchObject({ number: '+32470123456', listed: true });
});

test('SmsContact, import', async () => {
	const chosen = list();
	const { items, error } = await runNode({
		node: 'SmsContact',
		parameters: { operation: 'import', list: chosen, number: '={{ $json.to }}' },
		items: [{ to: '0470 12 34 56' }, { to: 470123457 }, { to: '+33 6 39 98 12 34' }],
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, defaultCountry: 'BE' },
	});
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ imported: 3 });
	const { contacts } = sim.service.list(chosen.value);
	expect([...contacts.items()].map(({ identifier }) => identifier)).toEqual([
		'+32470123456',
		'+32470123457',
		'+33639981234',
	]);
});

test('SmsCampaign, sendTest', async () => {
	const { error } = await runNode({
		node: 'SmsCampaign',
		parameters: {
			operation: 'sendTest',
			campaign: { __rl: true, mode: 'id', value: 'c-7' },
			number: '0470 12 34 56',
		},
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, defaultCountry: 'BE' },
	});
	// The campaign is none; the number is read all the same.
	expect(error).toBeDefined();
	expect(sim.requests.map(({ bodyText }) => JSON.parse(bodyText) as unknown)).toEqual([
		{ identifier: '+32470123456' },
	]);
});

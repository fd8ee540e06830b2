/** Default Country of the credential: the nodes other than SMS read numbers by it too. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { runNode } from '../harness.mts';

const sim = await useSimulator({ extended: true });

const list = () => ({ __rl: true, mode: 'id', value: sim.service.createList('Clients').id });
const run = async (
	node: string,
	operation: string,
	parameters: INodeParameters,
	items: IDataObject[] = [{ to: '0470 12 34 56' }],
) =>
	await runNode({
		node,
		parameters: { operation, number: '={{ $json.to }}', ...parameters },
		items,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, defaultCountry: 'BE' },
	});

test.each<[string, string, () => INodeParameters]>([
	['SmsBlacklist', 'add', () => ({ blacklist: 'unsubscribers' })],
	['SmsBlacklist', 'remove', () => ({ blacklist: 'unsubscribers' })],
	['SmsStats', 'messageStatus', () => ({ lookupBy: 'number' })],
	['SmsContact', 'add', () => ({ list: list() })],
	['SmsContact', 'delete', () => ({ list: list() })],
	// The campaign is none; the number is read all the same.
	['SmsCampaign', 'sendTest', () => ({ campaign: { __rl: true, mode: 'id', value: 'c-7' } })],
])('%s, %s', async (node, operation, parameters) => {
	await run(node, operation, parameters());
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
	const { items } = await run('SmsBlacklist', 'check', { blacklist: 'any' });
	expect(items[0].json).toMatchObject({ number: '+32470123456', listed: true });
});

test('SmsContact, import', async () => {
	const chosen = list();
	const numbers = ['0470 12 34 56', 470123457, '+33 6 39 98 12 34'];
	const { error } = await run(
		'SmsContact',
		'import',
		{ list: chosen },
		numbers.map((to) => ({ to })),
	);
	expect(error).toBeUndefined();
	const { contacts } = sim.service.list(chosen.value);
	expect([...contacts.items()].map(({ identifier }) => identifier)).toEqual([
		'+32470123456',
		'+32470123457',
		'+33639981234',
	]);
});

/** Default Country of the credential: the nodes other than SMS read numbers by it too. */
import type { INodeParameters } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { runNode } from '../harness.mts';

let sim: Simulator;
beforeAll(async () => (sim = await startSimulator({ extended: true })));
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

const list = () => ({ __rl: true, mode: 'id', value: sim.service.createList('Clients').id });

test.each<[string, string, () => INodeParameters]>([
	['SmsBlacklist', 'add', () => ({ blacklist: 'unsubscribers' })],
	['SmsBlacklist', 'remove', () => ({ blacklist: 'unsubscribers' })],
	['SmsStats', 'messageStatus', () => ({ lookupBy: 'number' })],
	['SmsContact', 'add', () => ({ list: list() })],
	['SmsContact', 'deleteByNumber', () => ({ list: list() })],
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

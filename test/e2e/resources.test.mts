/** Output schemas, a journey of contacts and one of a campaign in a real n8n. long/browser.test.mts runs each operation. */
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { firstRows } from '../operations.mts';
import { packageName, useEnvironment, workflowOf } from './support.mts';

const environment = await useEnvironment({ simulator: { extended: true } });

const locator = (id: string) => ({
	__rl: true,
	mode: 'list',
	value: id,
	cachedResultName: 'Clients',
});

async function run(type: string, parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const { n8n } = environment;
	const { id } = await n8n.createWorkflow(workflowOf(items, type, parameters));
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	return execution.json('Node');
}

const newList = () =>
	environment.simulator.service.createList('Clients', [
		{ name: 'Nom de famille' },
		{ name: 'Client depuis', type: 'DATE', format: 'dd/MM/yyyy' },
		{ name: 'Inscrit', type: 'BOOLEAN' },
	]);

test.each([
	['SmsList', 'smsList', 'list'],
	['SmsContact', 'smsContact', 'contact'],
	['SmsBlacklist', 'smsBlacklist', 'blacklist'],
	['SmsStats', 'smsStats', 'stats'],
	['SmsCampaign', 'smsCampaign', 'campaign'],
	['Sms', 'sms', 'sms'],
])('the editor gets the output schemas of %s', async (node, type, resource) => {
	const { url, sessionCookie } = environment.n8n;
	for (const { operation } of firstRows.filter((row) => row.node === node)) {
		const { data } = await axios.get(
			`${url}/schemas/${packageName}.${type}/1.0.0/${resource}/${operation}.json`,
			{ headers: { Cookie: sessionCookie } },
		);
		expect(data.type, operation).toBe('object');
		expect(data.properties, operation).not.toEqual({});
	}
});

const NUMBER = '+33639981234';

const attributes = (value: IDataObject) => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [],
});

test('contacts are synced: an empty field, one that is missing, and numbers as the CRM has them', async () => {
	const list = newList();
	const first = { nom_de_famille: 'Dupont', client_depuis: '01/03/2020', inscrit: '1' };
	for (const last of [1, 2, 3]) list.addContact(`+3363998000${last}`, first);
	const synced = async () =>
		await run(
			'smsContact',
			{
				operation: 'sync',
				list: locator(list.id),
				number: '={{ $json.phone }}',
				attributes: attributes({
					nom_de_famille: '={{ $json.name }}',
					client_depuis: '={{ $json.since }}',
					inscrit: '',
				}) as never,
				...{ removeMissing: true, maxRemovals: 34 },
			},
			[
				{ phone: 639980001, name: null, since: '2020-03-01' },
				{ phone: '06 39 98 00 02' },
				{ phone: '06 39 98 00 04', name: 'Durand', since: '' },
			],
		);
	const actions = async () => (await synced()).map(({ action }) => action);
	expect(await actions()).toEqual(['updated', 'unchanged', 'added', 'removed']);
	const held = list.contacts
		.items()
		.map(({ identifier, attributes: values }) => [identifier, values]);
	expect(Object.fromEntries(held)).toEqual({
		'+33639980001': { client_depuis: '01/03/2020', inscrit: '1' },
		'+33639980002': first,
		'+33639980004': { nom_de_famille: 'Durand' },
	});
	expect(await actions()).toEqual(['unchanged', 'unchanged', 'unchanged']);
});

test('a campaign is created, tested, sent and followed', async () => {
	const list = environment.simulator.service.createList('Clients', [{ name: 'Nom de famille' }]);
	environment.simulator.service.addContacts(list.id, 3);

	const [created] = await run('smsCampaign', {
		operation: 'create',
		campaignType: 'marketing',
		name: 'Soldes',
		list: { __rl: true, mode: 'id', value: list.id },
		message: 'Bonjour ${nom_de_famille}, les soldes commencent demain.',
		landingPage: 'none',
	});
	expect(environment.simulator.messages).toHaveLength(0);

	const campaignId = created.id as string;
	const campaign = { __rl: true, mode: 'id', value: campaignId };
	const of = { campaign, campaignType: 'marketing' };
	const [tested] = await run('smsCampaign', { operation: 'sendTest', ...of, number: NUMBER });
	expect(tested).toMatchObject({ id: campaignId, number: NUMBER });
	expect(environment.simulator.messagesTo(NUMBER)).toHaveLength(1);

	const [sent] = await run('smsCampaign', { operation: 'send', ...of });
	expect(sent).toMatchObject({ id: campaignId, creditsUsed: 3 });
	expect(environment.simulator.messages).toHaveLength(4);
	expect((await run('smsCampaign', { operation: 'get', campaign }))[0]).toMatchObject({
		name: 'Soldes',
	});
	expect(await run('smsCampaign', { operation: 'getMany', returnAll: true })).toHaveLength(1);
	const statistics = { state: 'SENT', sent: 4 };
	expect((await run('smsCampaign', { operation: 'getStatistics', campaign }))[0]).toMatchObject(
		statistics,
	);
});

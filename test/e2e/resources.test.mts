/**
 * Output schemas, contacts with values of n8n's expressions, and example workflows in a real n8n. Each operation is run in
 * long/browser.test.mts.
 */
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
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
	['Sms', 'sms', 'sms'],
])('the editor gets the output schemas of %s', async (node, type, resource) => {
	const { url, sessionCookie } = environment.n8n;
	for (const { operation } of firstRows.filter((row) => row.node === node)) {
		const { data } = await axios.get(
			`${url}/schemas/${packageName}.${type}/1.0.0/${resource}/${operation}.json`,
			{ headers: { Cookie: sessionCookie } },
		);
		expect(data.type).toBe('object');
	}
});

describe('SMS Contact', () => {
	const attributes = (value: IDataObject) => ({
		mappingMode: 'defineBelow',
		value,
		matchingColumns: [],
		schema: [],
	});

	test('add, with dates and booleans as expressions give them', async () => {
		const list = newList();
		const added = await run(
			'smsContact',
			{
				operation: 'add',
				list: locator(list.id),
				number: '={{ $json.phone }}',
				attributes: attributes({
					nom_de_famille: '={{ $json.name }}',
					client_depuis: '={{ $json.since }}',
					inscrit: '={{ $json.subscribed }}',
				}) as never,
			},
			[
				{ phone: '06 39 98 00 01', name: 'Dupont', since: '2020-03-01', subscribed: true },
				{
					phone: '06 39 98 00 02',
					name: 'Durand',
					since: '2020-03-01T23:30:00Z',
					subscribed: 0,
				},
			],
		);
		expect(added.map(({ attributes: values }) => values)).toEqual([
			{ 'Nom de famille': 'Dupont', 'Client depuis': '01/03/2020', Inscrit: '1' },
			{ 'Nom de famille': 'Durand', 'Client depuis': '02/03/2020', Inscrit: '0' },
		]);
		expect(list.contacts.length).toBe(2);
	});

	test('add, with a DateTime and a Date of an expression', async () => {
		const list = newList();
		for (const expression of [
			'={{ DateTime.fromISO("2020-03-01T23:30:00Z") }}',
			'={{ new Date("2020-03-01T23:30:00Z") }}',
			'={{ "2020-03-01T23:30:00Z".toDateTime() }}',
		]) {
			const [json] = await run('smsContact', {
				operation: 'add',
				list: locator(list.id),
				number: `+3363998000${list.contacts.length}`,
				attributes: attributes({ client_depuis: expression }) as never,
			});
			expect(json.attributes).toEqual({ 'Client depuis': '02/03/2020' });
		}
	});

	test('import', async () => {
		const list = newList();
		const [json] = await run(
			'smsContact',
			{
				operation: 'import',
				list: locator(list.id),
				number: '={{ $json.phone }}',
				attributes: { mappingMode: 'autoMapInputData', value: null } as never,
			},
			[
				{ phone: '06 39 98 00 01', 'Nom de famille': 'Dupont' },
				{ phone: '06 39 98 00 02', 'Nom de famille': 'Durand' },
			],
		);
		expect(json).toMatchObject({ imported: 2, listId: list.id });
		expect(list.contacts.items().map(({ attributes: values }) => values)).toEqual([
			{ nom_de_famille: 'Dupont' },
			{ nom_de_famille: 'Durand' },
		]);
	});

	test('sync, with an empty field, one that is missing, and numbers as the CRM has them', async () => {
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
});

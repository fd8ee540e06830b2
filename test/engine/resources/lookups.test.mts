/** Lookups of the editor: lists, columns, the fields of the mapper, campaigns. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { editorOf } from '../editor.mts';
import { loadNode } from '../harness.mts';
import { listOf } from './support.mts';

const sim = await useSimulator();

const editor = (name: string, parameters?: INodeParameters) => editorOf(name, sim, parameters);

describe('the lists', () => {
	const search = async (filter?: string, page?: string) =>
		await loadNode('SmsContact').methods!.listSearch!.searchLists.call(
			editor('SmsContact'),
			filter,
			page,
		);

	test('2,000 of them come page by page, each once, by name', async () => {
		for (let index = 2_000; index >= 1; index--) sim.service.createList(`Liste ${index}`);
		const names: string[] = [];
		let page: string | undefined;
		do {
			const { results, paginationToken } = await search(undefined, page);
			expect(results.length).toBeLessThanOrEqual(200);
			names.push(...results.map(({ name }) => name));
			page = paginationToken;
		} while (page !== undefined);
		expect(names).toEqual(Array.from({ length: 2_000 }, (_, index) => `Liste ${index + 1}`));
	});

	test.each([
		['ete', ['Été 2030', 'Prêt-à-porter été']],
		['  ÉTÉ ', ['Été 2030', 'Prêt-à-porter été']],
		['pret', ['Prêt-à-porter été']],
		['2030', ['Été 2030']],
		['hiver', []],
	])('are found by %j', async (filter, names) => {
		for (const name of ['Prêt-à-porter été', 'Clients', 'Été 2030']) {
			sim.service.createList(name);
		}
		expect((await search(filter)).results.map(({ name }) => name)).toEqual(names);
	});

	test('are found by ID', async () => {
		sim.service.createList('Clients');
		const { id } = sim.service.createList('Prospects');
		expect((await search(id)).results).toEqual([{ name: 'Prospects', value: id }]);
	});

	test('a wrong key is said to be one, and is not shown', async () => {
		sim.faults.add({
			do: { kind: 'json', status: 401, body: { status: 401, error: sim.apiKey } },
		});
		const error: Error & { description?: string } = await search().catch((caught) => caught);
		expect(error.message).toBe('The service refused the API key');
		expect(
			JSON.stringify([error, error.message, error.description, error.stack]),
		).not.toContain(sim.apiKey);
	});

	test('an answer that makes no sense is an error, not an empty dropdown', async () => {
		sim.faults.add({ do: { kind: 'html200' } });
		await expect(search()).rejects.toThrow('The service gave an unexpected answer');
	});
});

describe('the campaigns', () => {
	const search = async (filter?: string) =>
		await loadNode('SmsCampaign').methods!.listSearch!.searchCampaigns.call(
			editor('SmsCampaign'),
			filter,
		);

	test('of one name are told apart by date, state and the end of their IDs', async () => {
		const body = [
			{ id: 'c-0001', name: 'Soldes', state: 'SENT', date: Date.UTC(2030, 4, 4, 12) },
			{ id: 'c-0002', name: 'Soldes', state: 'CREATED' },
			{ id: 'c-0003', name: 'Rentrée', state: 'CREATED' },
		];
		sim.faults.add({ do: { kind: 'json', body } });
		expect((await search()).results.map(({ name }) => name)).toEqual([
			'Rentrée',
			'Soldes (4 May 2030, SENT, …0001)',
			'Soldes (CREATED, …0002)',
		]);
		expect(sim.requests.map(({ target }) => target)).toEqual(['/v2/campaigns']);
		sim.faults.add({ do: { kind: 'json', body } });
		const described = { name: 'Rentrée', value: 'c-0003', description: 'CREATED' };
		expect((await search('rentree')).results).toEqual([described]);
	});

	test('an account that can not list them is told to give the ID', async () => {
		// The simulator without the extended endpoints.
		await expect(search()).rejects.toThrow(
			"Your account can't list its campaigns. Choose 'By ID' and enter the ID.",
		);
	});
});

test.each([
	['SmsContact', 'searchLists', [{ id: 7 }, { id: '8', name: '' }]],
	['SmsCampaign', 'searchCampaigns', [{ campaignId: 7 }, { id: '8', name: ' ' }]],
])('%s, %s: what has no name is called by its ID', async (node, method, body) => {
	sim.faults.add({ do: { kind: 'json', body } });
	const { results } = await loadNode(node).methods!.listSearch![method].call(editor(node));
	expect(results).toEqual(['7', '8'].map((id) => ({ name: id, value: id })));
});

describe('the fields of the mapper', () => {
	const fieldsOf = async (list: unknown) =>
		await loadNode('SmsContact').methods!.resourceMapping!.getColumnFields.call(
			editor('SmsContact', { list } as INodeParameters),
		);

	test('have the types of the columns, and say the format of a date', async () => {
		const { id } = sim.service.createList('Clients', [
			{ name: 'Nom de famille' },
			{ name: 'Naissance', type: 'DATE', format: 'dd/MM/yyyy' },
			{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
			{ name: 'Expire', type: 'DATE', format: 'MM/yyyy' },
			{ name: 'Inscrit', type: 'BOOLEAN' },
			{ name: 'Points', type: 'NUMBER' },
		]);
		const { fields } = await fieldsOf(listOf(id));
		expect(fields.map(({ id: key, displayName, type }) => [key, displayName, type])).toEqual([
			['Nom de famille', 'Nom de famille', 'string'],
			['Naissance', 'Naissance (dd/MM/yyyy)', 'dateTime'],
			['Anniversaire', 'Anniversaire (dd/MM)', 'string'],
			['Expire', 'Expire (MM/yyyy)', 'string'],
			// A switch would be off, and so written, before anybody touched it.
			['Inscrit', 'Inscrit', 'options'],
			['Points', 'Points', 'number'],
		]);
		expect(fields.every(({ required, display }) => !required && display)).toBe(true);
	});

	test('are kept under the ID where the name could mean another column', async () => {
		const { id, fields } = sim.service.createList('Clients', [
			{ name: 'Prénom' },
			{ name: 'Prénom' },
			{ name: 'Ville' },
			{ name: 'Taille "L"' },
		]);
		const [first, second, , quoted] = fields.map((column) => column.id);
		const { fields: shown } = await fieldsOf(listOf(id));
		expect(shown.map(({ id: key }) => key)).toEqual([first, second, 'Ville', quoted]);
	});

	test('a list that was deleted says so', async () => {
		expect(await fieldsOf(listOf('5e0000000000000000000099', 'id'))).toEqual({
			fields: [],
			emptyFieldsNotice: 'This list no longer exists. Choose another one.',
		});
	});

	test('a list without columns says so', async () => {
		const { id } = sim.service.createList('Clients');
		expect(await fieldsOf(listOf(id))).toEqual({
			fields: [],
			emptyFieldsNotice: expect.stringContaining('no columns'),
		});
	});

	test.each([
		[
			'an expression that is not known yet',
			'={{ $json.list }}',
			/while 'List' is an expression/,
		],
		['nothing', '', /'List' is empty/],
	])("can't be shown for %s", async (_, value, message) => {
		await expect(fieldsOf(listOf(value, 'id'))).rejects.toThrow(message);
	});
});

test.each([undefined, '', { __rl: true, mode: 'list', value: '' }, listOf(' ')])(
	'there are no columns to choose from while the list is %j',
	async (list) => {
		const { getColumns } = loadNode('SmsList').methods!.loadOptions!;
		const parameters = { list } as INodeParameters;
		expect(await getColumns.call(editor('SmsList', parameters))).toEqual([]);
		expect(sim.requests).toEqual([]);
	},
);

test('the columns of a list, as a dropdown', async () => {
	const { id } = sim.service.createList('Clients', [
		{ name: 'Nom de famille' },
		{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
	]);
	const { getColumns } = loadNode('SmsList').methods!.loadOptions!;
	const parameters = { list: listOf(id) } as INodeParameters;
	expect(await getColumns.call(editor('SmsList', parameters))).toEqual([
		{ name: 'Nom de famille', value: 'nom_de_famille', description: 'Text' },
		{ name: 'Anniversaire', value: 'anniversaire', description: 'Date (dd/MM)' },
	]);
});

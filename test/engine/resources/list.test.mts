/** SMS List (interface document 2.2, 2.3, 4.5). */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { retryExecution, runNode } from '../harness.mts';
import { bodiesOf, hurry, jsonOf, linesOf, listOf, optionsOf, runnerOf } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });
const run = runnerOf('SmsList', sim);

const COLUMNS = {
	column: [
		{ name: 'Nom de famille', type: 'STRING' },
		{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
		{ name: 'Points', type: 'NUMBER' },
	],
};

describe('create', () => {
	const options = () =>
		optionsOf('SmsList', sim, 'create', { name: 'Clients', columns: COLUMNS });

	describe('for several items', () => {
		const rows = async (items: Array<{ name: string; column?: string }>, more = {}) =>
			await run(
				'create',
				{
					name: '={{ $json.name }}',
					columns: { column: [{ name: '={{ $json.column }}', type: 'STRING' }] },
				},
				{ items: items.map((item) => ({ column: 'Nom', ...item })), ...more },
			);

		test('creates one list where they mean the same, and says so', async () => {
			const { items, hints } = await rows([
				{ name: 'Clients' },
				{ name: ' Clients ' },
				{ name: 'Lyon' },
				{ name: 'Clients' },
			]);
			const [clients, lyon] = [...sim.service.lists.values()];
			expect(sim.service.lists.size).toBe(2);
			const fields = [{ id: 'nom', name: 'Nom', type: 'STRING' }];
			const created = { id: clients.id, name: 'Clients', fields };
			const same = {
				status: 'skipped',
				reason: 'Same list as another item: Row 1 (item 0)',
				...created,
			};
			const other = { id: lyon.id, name: 'Lyon', fields };
			expect(jsonOf(items)).toEqual([created, same, other, same]);
			expect(Object.keys(items[1].json).slice(0, 2)).toEqual(['status', 'reason']);
			expect(hints).toMatchObject([
				{ message: '2 items had the same list as an earlier item: it was created once.' },
			]);
			expect(linesOf(sim).filter((line) => line.startsWith('POST'))).toHaveLength(4);
		});

		test('names another list of a name, where somebody tries it out', async () => {
			const [first] = (await rows([{ name: 'Clients' }])).items;
			const { hints } = await rows([{ name: 'Clients' }, { name: 'Lyon' }]);
			expect(hints).toMatchObject([
				{
					message: expect.stringContaining(
						`another list "Clients" already (ID ${String(first.json.id)})`,
					),
				},
			]);
			sim.requests.length = 0;
			expect((await rows([{ name: 'Clients' }], { mode: 'trigger' })).hints).toEqual([]);
			expect(linesOf(sim).every((line) => line.startsWith('POST'))).toBe(true);
		});

		test('creates two where the columns differ', async () => {
			await rows([{ name: 'Clients' }, { name: 'Clients', column: 'Ville' }]);
			expect(sim.service.lists.size).toBe(2);
		});
	});

	test.each([
		['a refusal', { kind: 'json', status: 400, body: { code: 17, error: 'too many' } }],
		['a lost answer', { kind: 'resetAfterAccept' }],
	] as const)('says what exists when a column fails with %s', async (_, action) => {
		sim.faults.add({ path: /\/fields$/, skip: 1, do: action });
		const { error } = await run('create', { name: 'Clients', columns: COLUMNS });
		const [list] = [...sim.service.lists.values()];
		expect(error?.description).toContain(
			`The list "Clients" exists now (ID ${list.id}); the column "Anniversaire" could not be added.`,
		);
		expect(error?.context.data).toMatchObject({
			id: list.id,
			fields: [{ id: 'nom_de_famille', name: 'Nom de famille', type: 'STRING' }],
		});
	});

	describe('whose answer was lost', () => {
		const lose = async (
			path: string | RegExp,
			kind: 'resetBeforeRead' | 'resetAfterAccept',
			skip = 0,
		) => {
			sim.faults.add({ method: 'POST', path, skip, do: { kind } });
			const failed = await runNode(options());
			expect(failed.error?.message).toMatch(/^It is unknown whether this was created \(Cli/);
			return await retryExecution(failed, options());
		};
		const columns = () => [...sim.service.lists.values()][0].fields.map(({ name }) => name);
		const all = COLUMNS.column.map(({ name }) => name);

		test.each([
			['the list', '/v2/lists/', 'resetAfterAccept', 0],
			['the list, which never arrived', '/v2/lists/', 'resetBeforeRead', 0],
			['a column', /fields$/, 'resetAfterAccept', 1],
			['a column, which never arrived', /fields$/, 'resetBeforeRead', 1],
		] as const)('is completed by a retry, once: %s', async (_, path, kind, skip) => {
			sim.service.createList('Another');
			const { error, items } = await lose(path, kind, skip);
			expect(error).toBeUndefined();
			const [list] = [...sim.service.lists.values()].filter(({ name }) => name === 'Clients');
			expect(sim.service.lists.size).toBe(2);
			expect(list.fields.map(({ name }) => name)).toEqual(all);
			expect(items?.[0].json).toMatchObject({ id: list.id, name: 'Clients' });
		});

		test('stays unknown beside a list of its name that somebody uses', async () => {
			sim.service.createList('Clients').addContact('+33639981111');
			const { error } = await lose('/v2/lists/', 'resetBeforeRead');
			expect(error?.message).toMatch(/a list "Clients" is there that may be another one$/);
			expect(error?.description).toContain('look there yourself, or retry later');
			expect(sim.service.lists.size).toBe(1);
			expect(columns()).toEqual([]);
		});

		test('says so where the others go on, and what a retry does where it stops', async () => {
			const failing = () =>
				sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
			failing();
			const { error } = await runNode(options());
			expect(error?.description).toContain('looks up what is unknown');
			failing();
			const settings = { onError: 'continueRegularOutput' } as const;
			const { items } = await runNode({ ...options(), settings });
			expect(items?.[0].json.advice).toContain('look before you repeat it');
		});
	});

	test.each([
		['an empty name', { name: ' ' }, "'Name' is empty"],
		['an object as a name', { name: '={{ $json }}' }, "'Name' is an object, not a text"],
		[
			'an empty column name',
			{ columns: { column: [{ name: '', type: 'STRING' }] } },
			"'Column Name' is empty",
		],
		[
			'one of several column names',
			{ columns: { column: [{ name: 'A' }, { name: ' ' }] } },
			"Column 2: 'Column Name' is empty",
		],
		[
			'two of several column names',
			{ columns: { column: [{ name: '' }, { name: 'A' }, { name: 'B', type: '={{ 1 }}' }] } },
			"Column 1: 'Column Name' is empty, and 1 more problem",
		],
		...['Rich Message', 'rich_message', 'RICH-MESSAGE'].map((name) => [
			`the column ${name}`,
			{ columns: { column: [{ name }] } },
			`'Column Name' can't be "${name}"`,
		]),
		...['\u200b', '\u2060\ufeff', '\u3164', '\u00ad \u200e'].map((name) => [
			'a column that nobody sees',
			{ columns: { column: [{ name }] } },
			"'Column Name' is empty",
		]),
		...[
			['First Name', 'first_name'],
			['N° client', 'N client'],
			['E-mail', 'e mail'],
			['Cœur', 'COEUR'],
		].map(([one, other]) => [
			`${one} beside ${other}`,
			{ columns: { column: [{ name: one }, { name: other }] } },
			`'Columns' has both "${one}" and "${other}"`,
		]),
		[
			'a column twice',
			{ columns: { column: [{ name: 'Points' }, { name: 'Points' }] } },
			'\'Columns\' has "Points" twice',
		],
		[
			'an unknown type',
			{ columns: { column: [{ name: 'A', type: '={{ "TIME" }}' }] } },
			'\'Column Type\' is "TIME"',
		],
		[
			'an unknown format',
			{ columns: { column: [{ name: 'A', type: 'DATE', format: '={{ "yyyy" }}' }] } },
			'\'Date Format\' is "yyyy"',
		],
	] as Array<[string, INodeParameters, string]>)(
		'refuses %s before any request',
		async (_, parameters, message) => {
			const { error } = await run('create', { name: 'Clients', ...parameters });
			expect(error?.message).toBe(message);
			expect(sim.requests).toEqual([]);
		},
	);
});

describe('the list', () => {
	test.each([
		[
			'an expression that gives nothing',
			listOf('={{ $json.missing }}', 'id'),
			"'List' is empty",
		],
		['an object', listOf('={{ $json.list }}', 'id'), "'List' is an object, not a text"],
		['a path', listOf('..', 'id'), '\'List\' ".." is not an ID'],
	])('is refused when it is %s', async (_, list, message) => {
		for (const operation of ['get', 'delete', 'empty']) {
			const { error } = await run(operation, { list }, { items: [{ list: {} }] });
			expect(error?.message).toBe(message);
		}
		expect(sim.requests).toEqual([]);
	});

	test('can be an expression, a number, or an ID with signs of a path', async () => {
		const { id } = sim.service.createList('Clients');
		await run('get', { list: listOf('={{ $json.id }}', 'id') }, { items: [{ id }] });
		await run('get', { list: listOf('={{ 42 }}', 'id') });
		await run('get', { list: listOf('a/b?c', 'id') });
		// Those that are not found are compared with the names of all lists.
		expect(linesOf(sim)).toEqual([
			`GET /v2/lists/${id}`,
			...['GET /v2/lists/42', 'GET /v2/lists/'],
			...['GET /v2/lists/a%2Fb%3Fc', 'GET /v2/lists/'],
		]);
	});
});

test('deleting a list that is not there: a hint says so', async () => {
	const { items, hints } = await run('delete', { list: listOf('5e00', 'id') });
	expect(jsonOf(items)).toEqual([{ deleted: false, id: '5e00' }]);
	expect(hints).toMatchObject([{ message: '1 list was not there: 5e00.' }]);
});

describe('addColumn', () => {
	test('has no format unless the column is a date', async () => {
		const list = listOf(sim.service.createList('Clients').id);
		const column = { columnName: ' Points ', columnType: 'NUMBER', dateFormat: 'dd/MM' };
		await run('addColumn', { list, ...column });
		expect(bodiesOf(sim)).toEqual([undefined, { name: 'Points', type: 'NUMBER' }]);
	});

	test('refuses a name that the list has, and asks once for all items', async () => {
		const { id, fields } = sim.service.createList('Clients', [{ name: 'Points' }]);
		const { error } = await run(
			'addColumn',
			{ list: listOf(id), columnName: '={{ $json.name }}' },
			{ items: [{ name: 'Ville' }, { name: ' POÏNTS' }] },
		);
		expect(error?.message).toBe("POÏNTS: The list already has a column 'Points'");
		expect(error?.description).toContain('differ only in accents, case or spaces');
		expect(error?.context.itemIndex).toBe(1);
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${id}`]);
		expect(fields.map(({ name }) => name)).toEqual(['Points']);
	});

	test('refuses a name that has the token of another column, or of the link', async () => {
		const { id, fields } = sim.service.createList('Clients', [{ name: 'First Name' }]);
		for (const columnName of ['first_name', 'First-Name', 'rich message', '\u2063']) {
			const { error } = await run('addColumn', { list: listOf(id), columnName });
			expect(error?.message).toMatch(/already has|can't be|is empty/);
		}
		expect(fields).toHaveLength(1);
		const other = await run('addColumn', { list: listOf(id), columnName: 'Name' });
		expect(other.error).toBeUndefined();
	});

	test('refuses a second column of one name in one run, and adds none', async () => {
		const { id, fields } = sim.service.createList('Clients');
		const parameters = { list: listOf(id), columnName: '={{ $json.name }}' };
		const items = [{ name: 'Prénom' }, { name: 'Ville' }, { name: 'pre nom' }];
		const { error } = await run('addColumn', parameters, { items });
		expect(error?.message).toBe("pre nom: Column 'Prénom' is already added by Row 1 (item 0)");
		expect(error?.context.itemIndex).toBe(2);
		expect(fields).toEqual([]);
		const other = sim.service.createList('Others');
		const lists = await run(
			'addColumn',
			{ list: listOf('={{ $json.list }}'), columnName: 'Points' },
			{ items: [{ list: id }, { list: other.id }] },
		);
		expect(lists.error).toBeUndefined();
		expect([fields, other.fields].flat().map(({ name }) => name)).toEqual(['Points', 'Points']);
	});

	test('goes on with one column of a name where the node continues', async () => {
		const { id, fields } = sim.service.createList('Clients');
		const { items } = await run(
			'addColumn',
			{ list: listOf(id), columnName: '={{ $json.name }}' },
			{
				items: ['Points', 'Points', 'Ville'].map((name) => ({ name })),
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(fields.map(({ name }) => name)).toEqual(['Points', 'Ville']);
		expect(items.map(({ json }) => json.error !== undefined)).toEqual([false, true, false]);
	});

	test('leaves it to the service where the list can’t be looked at', async () => {
		const { id, fields } = sim.service.createList('Clients');
		sim.faults.add({ method: 'GET', times: Infinity, do: { kind: 'status', status: 404 } });
		const { items } = await run('addColumn', { list: listOf(id), columnName: 'Points' });
		expect(items).toHaveLength(1);
		expect(fields.map(({ name }) => name)).toEqual(['Points']);
	});
});

describe('deleteColumn', () => {
	test.each(['nom_de_famille', 'Nom de famille', 'nom de FAMILLE '])(
		'finds the column by %s',
		async (column) => {
			const list = sim.service.createList('Clients', [{ name: 'Nom de famille' }]);
			const { items } = await run('deleteColumn', { list: listOf(list.id), column });
			expect(items[0].json).toMatchObject({ deleted: true, id: 'nom_de_famille' });
			expect(list.fields).toEqual([]);
		},
	);

	test.each(['Nom', 'nom'])('refuses the name %s, which two columns have', async (column) => {
		sim.service.settings.fieldIds = 'opaque';
		const names = column === 'Nom' ? ['Nom', 'Nom'] : ['Nom', 'NOM'];
		const list = sim.service.createList(
			'Clients',
			names.map((name) => ({ name })),
		);
		const [one, two] = list.fields.map(({ id }) => id);
		const { error } = await run('deleteColumn', { list: listOf(list.id), column });
		expect(error?.message).toBe(`The list has 2 columns '${column}'`);
		expect(error?.description).toContain(`${one}, ${two}`);
		expect(list.fields).toHaveLength(2);
		const { items } = await run('deleteColumn', { list: listOf(list.id), column: two });
		expect(items[0].json).toMatchObject({ deleted: true, id: two });
		expect(list.fields.map(({ id }) => id)).toEqual([one]);
	});

	test('deletes nothing while one column does not exist', async () => {
		const list = sim.service.createList('Clients', [{ name: 'Nom' }, { name: 'Ville' }]);
		const { error } = await run(
			'deleteColumn',
			{ list: listOf(list.id), column: '={{ $json.column }}' },
			{ items: [{ column: 'Nom' }, { column: 'Age' }] },
		);
		expect(error?.message).toBe("The list has no column 'Age'");
		expect(error?.description).toContain("Its columns are 'Nom', 'Ville'.");
		expect(error?.context.itemIndex).toBe(1);
		expect(list.fields).toHaveLength(2);
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${list.id}`]);
	});
});

describe('empty', () => {
	test('deletes the contacts and keeps the columns', async () => {
		const list = sim.service.createList('Clients', [{ name: 'Nom' }]);
		list.addContact('+33639981234');
		sim.faults.add({ do: { kind: 'resetBeforeRead' } });
		const { items } = await run('empty', { list: listOf(list.id) });
		expect(jsonOf(items)).toEqual([{ emptied: true, id: list.id }]);
		expect(list.contacts.length).toBe(0);
		expect(list.fields).toHaveLength(1);
	});
});

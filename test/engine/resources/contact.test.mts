/** SMS Contact (interface document 2.4, 4.5). */
import { beforeEach, describe, expect, test } from 'vitest';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import { measure } from '../../harness/measure.mts';
import { bulkNumber } from '../../simulator/service.mts';
import { editorOf } from '../editor.mts';
import { loadNode, retryExecution, runNode, succeeded } from '../harness.mts';
import { bodiesOf, hurry, jsonOf, linesOf, listOf, optionsOf, runnerOf } from './support.mts';

const [FIRST, SECOND, THIRD] = ['+33639980001', '+33639980002', '+33639980003'];

let listId: string;
hurry();
const sim = await useSimulator({ extended: true });
const run = runnerOf('SmsContact', sim);
beforeEach(() => {
	listId = sim.service.createList('Clients', [
		{ name: 'Nom de famille' },
		{ name: 'Anniversaire', type: 'DATE', format: 'dd/MM' },
		{ name: 'Client depuis', type: 'DATE', format: 'dd/MM/yyyy' },
		{ name: 'Inscrit', type: 'BOOLEAN' },
		{ name: 'Points', type: 'NUMBER' },
	]).id;
});

const list = () => listOf(listId);
/** Another list, with text columns of these names. */
const listWith = (names: string[]) =>
	sim.service.createList(
		'Autre',
		names.map((name) => ({ name })),
	);
const values = (value: IDataObject): INodeParameters => ({
	attributes: { mappingMode: 'defineBelow', value, schema: [] } as never,
});
const automatic = { attributes: { mappingMode: 'autoMapInputData', value: null } as never };
const add = async (number: string, given: IDataObject, items?: IDataObject[]) =>
	await run('add', { list: list(), number, ...values(given) }, { items });

describe('add', () => {
	test('writes each value as its column takes it', async () => {
		const given = {
			nom_de_famille: '={{ $json.name }}',
			anniversaire: '={{ $json.birthday }}',
			client_depuis: '={{ DateTime.fromISO("2020-03-01T23:30:00Z") }}',
			inscrit: true,
			points: '={{ $json.points }}',
		};
		const item = { name: 'Dupont', birthday: '1990-12-24', points: 12.5 };
		succeeded(await add(FIRST, given, [item]));
		expect(bodiesOf(sim)[1]).toEqual({
			identifier: FIRST,
			attributes: {
				nom_de_famille: 'Dupont',
				anniversaire: '24/12',
				client_depuis: '02/03/2020', // in Paris
				inscrit: '1',
				points: '12.5',
			},
		});
	});

	test('finds columns by ID, by name, and by name in other letters', async () => {
		const given = { nom_de_famille: 'Dupont', Inscrit: '1', 'client DEPUIS': '1/2/2020' };
		await add(FIRST, given);
		const attributes = { nom_de_famille: 'Dupont', inscrit: '1', client_depuis: '01/02/2020' };
		expect(bodiesOf(sim)[1]).toEqual({ identifier: FIRST, attributes });
	});

	test('leaves out what is empty, and asks for no columns when all is', async () => {
		const empty = { nom_de_famille: '', anniversaire: null, points: '={{ $json.missing }}' };
		await add(FIRST, {});
		await add(SECOND, empty);
		expect(linesOf(sim)).toEqual([
			`POST /v2/lists/${listId}/contacts`,
			`GET /v2/lists/${listId}`,
			`POST /v2/lists/${listId}/contacts`,
		]);
		expect(bodiesOf(sim).filter(Boolean)).toEqual([
			{ identifier: FIRST },
			{ identifier: SECOND },
		]);
	});

	test('adds nobody while there is no column for a value', async () => {
		const { error } = await add(FIRST, { prenom: 'Marie' });
		expect(error?.message).toBe("The list has no column 'prenom'");
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}`]);
	});

	test('says which numbers look made up, and which get no SMS', async () => {
		const to = ['0606060606', '0639980001', '01 23 45 67 89'].map((number) => ({ to: number }));
		const { hints } = await add('={{ $json.to }}', {}, to);
		expect(hints).toMatchObject([{ type: 'warning' }]);
		const [{ message }] = hints!;
		expect(message).toContain('made up: +33606060606. Check them: a stranger may have');
		expect(message).toContain('get SMS, but there are fixed lines: +33123456789.');
	});

	test('a retry gives the values of a contact that was added before', async () => {
		sim.faults.add({
			match: ({ bodyText }) => bodyText.includes(SECOND),
			do: { kind: 'status', status: 400 },
		});
		const options = optionsOf(
			'SmsContact',
			sim,
			'add',
			{
				...{ list: list(), number: '={{ $json.to }}', options: { concurrency: 1 } },
				...values({ points: '={{ $json.points }}' }),
			},
			{ items: [FIRST, SECOND].map((to, points) => ({ to, points })) },
		);
		const failed = await runNode(options);
		expect(failed.error?.message).toBe(`1 of 2 added, 1 refused (${SECOND})`);
		const { items } = await retryExecution(failed, options);
		expect(jsonOf(items).map(({ attributes }) => attributes)).toEqual([
			{ Points: '0' },
			{ Points: '1' },
		]);
		expect(sim.service.list(listId).contacts.length).toBe(2);
	});
});

describe('getMany', () => {
	test('keeps the IDs of columns that share a name, or are gone', async () => {
		const twins = listWith(['Nom', 'Nom', 'Age']);
		twins.addContact(FIRST, { nom: 'Dupont', nom_2: 'Durand', age: '30' });
		twins.fields.pop();
		const { items } = await run('getMany', { list: listOf(twins.id) });
		expect(items[0].json.attributes).toEqual({ nom: 'Dupont', nom_2: 'Durand', age: '30' });
	});

	test('asks for no columns when no contact has values', async () => {
		sim.service.list(listId).addContact(FIRST);
		await run('getMany', { list: list() });
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}/contacts`]);
	});

	test('stops at the limit and pairs', async () => {
		sim.service.addContacts(listId, 120);
		const { items } = await run('getMany', { list: list(), limit: 70 }, { items: [{}, {}] });
		expect(items).toHaveLength(140);
		expect(items[69].pairedItem).toEqual({ item: 0 });
		expect(items[70].pairedItem).toEqual({ item: 1 });
	});
});

describe('delete', () => {
	const deletions = () =>
		linesOf(sim).flatMap((line) => /^DELETE .*\/(contacts?)\?/.exec(line)?.[1] ?? []);

	test.each([
		[
			'405 of a path with other methods',
			{ kind: 'json', status: 405, body: { status: 405, error: 'Method not allowed' } },
		],
		['404 with a web page', { kind: 'status', status: 404 }],
		['404 without a body', { kind: 'status', status: 404, body: '' }],
	] as const)('takes a %s for a missing path', async (_, action) => {
		sim.service.list(listId).addContact(FIRST);
		sim.faults.add({ path: /contacts$/, do: action });
		succeeded(await run('delete', { list: list(), number: FIRST }));
		expect(deletions()).toEqual(['contacts', 'contact']);
	});

	test('tries other spellings at the pace of the user', async () => {
		const options = { requestsPerSecond: 5 };
		const { items } = await run('delete', { list: list(), number: FIRST, options });
		expect(jsonOf(items)).toMatchObject([{ deleted: false }]);
		const times = sim.requests.map(({ receivedAt }) => receivedAt);
		expect(times.length).toBeGreaterThan(1);
		// 200 ms each; half of it leaves room for a machine that is busy.
		expect(times.at(-1)! - times[0]).toBeGreaterThan(100 * (times.length - 1));
	});

	test.each([
		['the list does not exist', { kind: 'json', status: 404, body: { code: 60, error: 'x' } }],
		['the request is refused', { kind: 'status', status: 400 }],
		['the key is wrong', { kind: 'status', status: 401 }],
	] as const)('does not try the singular when %s', async (_, action) => {
		sim.faults.add({ do: action });
		const { error } = await run('delete', { list: list(), number: FIRST });
		expect(error).toBeDefined();
		expect(deletions()).toEqual(['contacts']);
	});

	test.each([
		['has words for it', undefined],
		[
			'has a code for it',
			{ kind: 'json', status: 404, body: { code: 16, error: 'No message found' } },
		],
	] as const)('deletes nothing where nobody is: the service %s', async (_, action) => {
		if (action) sim.faults.add({ times: 2, do: action });
		const { items, hints } = succeeded(await run('delete', { list: list(), number: FIRST }));
		expect(hints).toMatchObject([{ message: `1 contact was not in the list: ${FIRST}.` }]);
		expect(jsonOf(items)).toEqual([{ deleted: false, number: FIRST, listId }]);
		// Both forms of the number, on the path that exists.
		expect(linesOf(sim)).toEqual(
			['%2B33639980001', '0639980001'].map(
				(number) => `DELETE /v2/lists/${listId}/contacts?identifier=${number}`,
			),
		);
	});
});

test("Delete refuses another 'Delete By' than the two", async () => {
	const { error } = await run('delete', {
		list: list(),
		number: FIRST,
		contactId: 'a',
		deleteBy: '={{ "name" }}',
	});
	expect(error?.message).toBe('\'Delete By\' is "name"');
	expect(sim.requests).toEqual([]);
});

describe('delete by contact ID', () => {
	const how = { deleteBy: 'id' };
	test('escapes the ID', async () => {
		await run('delete', { list: list(), contactId: 'a/b', ...how });
		expect(linesOf(sim)).toEqual([`DELETE /v2/lists/${listId}/contacts/a%2Fb`]);
	});

	test.each(['  ', '={{ $json.missing }}', '={{ $json }}'])('refuses %j', async (contactId) => {
		const { error } = await run('delete', { list: list(), contactId, ...how });
		expect(error?.message).toMatch(/^'Contact ID' is /);
		expect(sim.requests).toEqual([]);
	});
});

describe('import', () => {
	const people = [
		{ to: FIRST, name: 'Dupont', birthday: '1990-12-24' },
		{ to: '06 39 98 00 02', name: 'Durand', birthday: '' },
		{ to: THIRD, name: '', birthday: '01/02' },
	];
	const parameters = () => ({
		list: list(),
		number: '={{ $json.to }}',
		...values({ nom_de_famille: '={{ $json.name }}', anniversaire: '={{ $json.birthday }}' }),
	});
	const numbersOnly = () => ({ list: list(), number: '={{ $json.to }}' });
	const imports = () => linesOf(sim).filter((line) => line.startsWith('POST'));

	test('sends all items in one request, dates in the format of their column', async () => {
		sim.service.list(listId).addContact(SECOND);
		const { items, hints } = await run('import', parameters(), { items: people });
		expect(linesOf(sim)).toEqual([
			`GET /v2/lists/${listId}`,
			`GET /v2/lists/${listId}/contacts`,
			`POST /v2/lists/${listId}/import`,
		]);
		expect(bodiesOf(sim)[2]).toEqual([
			['tel', 'Nom de famille', 'Anniversaire'],
			[FIRST, 'Dupont', '24/12'],
			[SECOND, 'Durand', ''],
			[THIRD, '', '01/02'],
		]);
		expect(items).toEqual([
			{
				json: { imported: 3, added: 2, alreadyThere: 1, listId },
				pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
			},
		]);
		expect(hints).toMatchObject([
			{
				message:
					'1 contact was in the list already, and may have kept the old values. To change them, use Sync Contacts.',
			},
		]);
		expect(sim.service.list(listId).contacts.length).toBe(3);
	});

	test('counts people, whatever spelling of a number several items have', async () => {
		const others = ['06 39 98 00 01', '0690 12 34 56', '+590 690 12 34 56', '+33 690 12 34 56'];
		const again = others.map((to) => ({ ...people[0], to }));
		const { items } = await run('import', parameters(), { items: [...people, ...again] });
		expect(jsonOf(items)).toEqual([{ imported: 4, added: 4, alreadyThere: 0, listId }]);
		const [, , table] = bodiesOf(sim) as string[][][];
		expect(new Set(table.slice(1).map(([number]) => number)).size).toBe(4);
		expect(sim.service.list(listId).contacts).toHaveLength(4);
	});

	test('refuses one number with different values: nobody could say which the list has then', async () => {
		const again = { ...people[0], to: '06 39 98 00 01', name: 'Dupond' };
		const { error } = await run('import', parameters(), { items: [...people, again] });
		expect(`${error?.message} ${error?.description}`).toContain(
			`'Phone Number' ${FIRST} is in several items, with different values: Row 1 (item 0), Row ${people.length + 1} (item ${people.length})`,
		);
		expect(error?.description).toContain('Keep one of these items');
		expect(imports()).toEqual([]);
	});

	test('says how to leave out the empty rows of a table', async () => {
		const { error } = await run('import', parameters(), {
			items: [...people, { to: '', name: '', birthday: '' }],
		});
		expect(error?.description).toContain('put a Filter node before this one');
		expect(imports()).toEqual([]);
	});

	test('needs numbers only, and imports nobody to a list that can not be read', async () => {
		await run('import', numbersOnly(), { items: people });
		expect(bodiesOf(sim).at(-1)).toEqual([['tel'], [FIRST], [SECOND], [THIRD]]);
		sim.faults.add({ path: /contacts$/, do: { kind: 'status', status: 400 } });
		const { error } = await run('import', numbersOnly(), { items: people });
		expect(error?.description).toContain('No item has been imported.');
		expect(imports()).toHaveLength(1);
	});

	test('names a wrong number together with the wrong values', async () => {
		const wrong = { ...people[0], to: '123', birthday: 'demain' };
		const { error } = await run('import', parameters(), { items: [wrong] });
		expect(error?.message).toMatch(/^'Phone Number' "123" .*, and 1 more problem$/);
		expect(error?.description).toMatch(/\nAlso: Column 'Anniversaire' is "demain"/);
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}`]);
	});

	test('two items with the same first mistake are told apart by their others', async () => {
		const wrong = ['demain', 'hier'].map((birthday, index) => ({
			...{ ...people[index], name: { first: 'Marie' }, birthday },
		}));
		const { error } = await run('import', parameters(), { items: wrong });
		expect(error?.description).toMatch(/"demain"[^]*"hier"/);
	});

	test('imports the others when the user continues on fail', async () => {
		const { items, errorItems } = await run('import', parameters(), {
			items: [{ ...people[0], to: '06' }, { ...people[1], birthday: 'demain' }, people[2]],
			settings: { onError: 'continueErrorOutput' },
		});
		expect(jsonOf(items)).toEqual([expect.objectContaining({ imported: 1 })]);
		expect(items[0].pairedItem).toEqual([{ item: 2 }]);
		expect(errorItems.map(({ json, pairedItem }) => [json.status, pairedItem])).toEqual([
			['invalid', { item: 0 }],
			['invalid', { item: 1 }],
		]);
	});

	test('goes to one list only', async () => {
		const { error } = await run(
			'import',
			{ list: listOf('={{ $json.list }}', 'id'), number: FIRST },
			{ items: [{ list: listId }, { list: 'other' }] },
		);
		expect(error?.message).toBe(`${FIRST}: 'List' differs from the list of the items before`);
		expect(sim.requests).toEqual([]);
	});

	test.each([
		[{ imported: 2, rejected: 1 }, { answers: [{ imported: 2, rejected: 1 }] }],
		[{ errors: [{ row: 3 }] }, { answers: [{ errors: [{ row: 3 }] }] }],
		[{}, { imported: 3, added: 3, alreadyThere: 0 }],
		[[], { imported: 3, added: 3, alreadyThere: 0 }],
	])('counts by itself, unless the service does: %j', async (body, expected) => {
		sim.faults.add({ path: /import$/, do: { kind: 'json', status: 201, body } });
		const { items, hints } = await run('import', parameters(), { items: people });
		expect(jsonOf(items)).toEqual([{ ...expected, listId }]);
		const message = expect.stringContaining("see 'answers' in the result");
		expect(hints).toEqual(
			'answers' in expected ? [expect.objectContaining({ message, type: 'warning' })] : [],
		);
	});

	describe('of many', () => {
		const MANY = Array.from({ length: 1_100 }, (_, at) => ({ to: `+3363998${1000 + at}` }));
		const options = () =>
			optionsOf('SmsContact', sim, 'import', numbersOnly(), { items: MANY });
		const sizes = () =>
			sim.requestsTo('POST', /import$/).map((request) => (request.json() as []).length - 1);

		test('goes in parts of 500', async () => {
			const { items } = await runNode(options());
			expect(sizes()).toEqual([500, 500, 100]);
			expect(jsonOf(items)).toEqual([
				{ imported: 1_100, added: 1_100, alreadyThere: 0, listId },
			]);
			expect(items[0].pairedItem).toHaveLength(1_100);
			expect(sim.service.list(listId).contacts.length).toBe(1_100);
		});

		test('keeps what the service answers to each part', async () => {
			const answers = [1, 2].map((row) => ({ errors: [{ row }] }));
			for (const body of answers)
				sim.faults.add({ path: /import$/, do: { kind: 'json', status: 201, body } });
			const { items } = await runNode(options());
			expect(jsonOf(items)).toEqual([{ answers, listId }]);
			expect(sizes()).toEqual([500, 500, 100]);
		});

		test.each([
			[400, { code: 18, error: 'too large' }, 'The data is too large'],
			[400, { code: 74, error: 'limit' }, 'The limit of contacts in one request is reached'],
		])('is an error where a part is too much: %i %j', async (status, body, message) => {
			sim.faults.add({ path: /import$/, do: { kind: 'json', status, body } });
			const { error } = await runNode(options());
			expect(error?.message).toMatch(/^\+\d+, \+\d+, \+\d+ and 497 more: /);
			expect(error?.message.endsWith(`: ${message}`)).toBe(true);
			expect(sizes()).toEqual([500]);
		});

		test('is not imported twice by a retry', async () => {
			sim.service.settings.duplicates = 'accept';
			sim.faults.add({ path: /import$/, skip: 1, do: { kind: 'status', status: 400 } });
			const failed = await runNode(options());
			expect(failed.error?.message).toMatch(
				/^500 of 1100 imported, 500 refused \(.* and 497 more\), 100 not imported$/,
			);
			expect(failed.error?.context.itemIndex).toBeUndefined();
			expect(sim.service.list(listId).contacts.length).toBe(500);
			const retried = succeeded(await retryExecution(failed, options()));
			expect(retried.items[0].json).toMatchObject({ imported: 1_100, added: 1_100 });
			const held = sim.service.list(listId).contacts.items();
			expect(held.map(({ identifier }) => identifier)).toEqual(MANY.map(({ to }) => to));
			expect(sizes()).toEqual([500, 500, 500, 100]);
		});

		test('goes on after a part that failed, if the user continues on fail', async () => {
			sim.faults.add({ path: /import$/, do: { kind: 'status', status: 400 } });
			const settings = { onError: 'continueErrorOutput' } as const;
			const { items, errorItems } = await runNode({ ...options(), settings });
			expect(items.map(({ json }) => json.imported)).toEqual([600]);
			const pairs = MANY.map((_, item) => ({ item }));
			expect(items[0].pairedItem).toEqual(pairs.slice(500));
			expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(pairs.slice(0, 500));
		});

		test('says what is unknown of it, and what was accepted', async () => {
			sim.faults.add({ path: /import$/, skip: 1, do: { kind: 'resetAfterAccept' } });
			const failed = await runNode(options());
			expect(failed.error?.message).toMatch(
				/^500 of 1100 imported, 500 unknown \(.* and 497 more\), 100 not imported$/,
			);
			expect(failed.error?.description).toContain("'Get Many Contacts' shows which");
			const retried = await retryExecution(failed, options());
			expect(retried.error?.message).toMatch(/^600 of 1100 imported, 500 unknown/);
			expect(sizes()).toEqual([500, 500, 100]);
		});
	});

	describe('to a list with a column called tel', () => {
		let id: string;
		beforeEach(() => {
			({ id } = listWith(['Tel', 'Nom', 'Nom']));
		});

		test('imports without the column', async () => {
			succeeded(await run('import', { list: listOf(id), number: FIRST }));
			expect(sim.service.list(id).contacts.length).toBe(1);
		});

		test.each([
			['tel', "Import can't fill in the column 'Tel'"],
			['nom', "Import can't fill in the column 'Nom'"],
			['Nom', "The list has 2 columns 'Nom'"],
		])('refuses a value for %s that would go astray', async (column, message) => {
			const to = { list: listOf(id), number: FIRST };
			const { error } = await run('import', { ...to, ...values({ [column]: 'Bureau' }) });
			expect(error?.message).toBe(message);
			expect(imports()).toEqual([]);
		});
	});
});

describe('Map Automatically', () => {
	const byNames = async (operation: string, item: IDataObject, names: string[]) => {
		const { id } = listWith(names);
		const result = await run(
			operation,
			{ list: listOf(id), number: '={{ $json.to }}', ...automatic },
			{ items: [{ to: FIRST, ...item }] },
		);
		const [{ attributes } = { attributes: {} }] = sim.service.list(id).contacts.items();
		const hints = result.hints as Array<{ message: string }>;
		const said = hints.map(({ message }) => message).join(' ');
		return { ...result, stored: Object.values(attributes), said };
	};

	test.each([
		['decomposed accents', 'Pre\u0301nom', 'Prénom'],
		['a no-break space', 'Nom\u00a0de famille', 'Nom de famille'],
		['a narrow one', 'Nom\u202fde famille', 'Nom de famille'],
		['a double space', 'Nom  de famille', 'Nom de famille'],
		['a line break', 'Nom\r\nde famille', 'Nom de famille'],
		['a tab', '\tNom de\tfamille', 'Nom de famille'],
		['a zero-width space', 'No\u200bm', 'Nom'],
		['a soft hyphen', 'Nom de fa\u00admille', 'Nom de famille'],
		['a typographic apostrophe', 'Date d’entrée', "Date d'entrée"],
		['an apostrophe in the list', "Date d'entrée", 'Date d’entrée'],
		['a modifier apostrophe', 'Date d\u02bcentrée', "Date d'entrée"],
		['a byte order mark', '\ufeffNom', 'Nom'],
		['a byte order mark and quotes', '\ufeff"Nom"', 'Nom'],
		['curly quotes', '“Nom”', 'Nom'],
		['a no-break hyphen', 'Code\u2011barres', 'Code-barres'],
		['other letters', 'NOM DE FAMILLE', 'Nom de famille'],
		['no accent', 'Prenom', 'Prénom'],
		['an accent', 'PRÉNOM', 'Prenom'],
		['no space', 'CodePostal', 'Code postal'],
		['an emoji without its style', '\u2764 Nom', '\u2764\ufe0f Nom'],
	])('finds a column in spite of %s', async (_, field, column) => {
		for (const operation of ['add', 'upsert', 'sync', 'import']) {
			const { stored, said, error } = await byNames(operation, { [field]: 'Dupont' }, [
				column,
			]);
			expect(error).toBeUndefined();
			expect(stored, operation).toEqual(['Dupont']);
			expect(said).not.toContain('Not stored');
		}
	});

	test.each(['add', 'upsert', 'sync', 'import'])(
		'%s names the fields that are for no column, but for those that are used otherwise',
		async (operation) => {
			const item = { Nom: 'Dupont', Prenoms: 'Marie', ville: '' };
			const { stored, said } = await byNames(operation, item, ['Nom', 'Prénom']);
			expect(stored).toEqual(['Dupont']);
			expect(said).toContain(
				"Not stored, because the list has no such column ('Add Column to List' adds one): 'Prenoms', 'ville'.",
			);
		},
	);

	test('takes the field with the very name, else the first, and names the other', async () => {
		const fields = { ' nom': 'A', 'Nom ': 'B', VILLE: 'C', 'ville ': 'D', Ville: 'E' };
		const { stored, said } = await byNames('add', fields, ['Nom', 'Ville']);
		expect(stored).toEqual(['A', 'E']);
		expect(said).toContain("'Nom ', 'VILLE', 'ville '");
	});

	test.each([[['prenom', 'Prénom']], [['Prénom', 'prenom']]])(
		'takes the field with the name before the one with the ID: %j',
		async (fields) => {
			const values = { prenom: 'of the ID', Prénom: 'of the name' };
			const item = Object.fromEntries(
				fields.map((field) => [field, values[field as keyof typeof values]]),
			);
			const { stored, said } = await byNames('add', item, ['Prénom']);
			expect(stored).toEqual(['of the name']);
			expect(said).toContain("another field is for the same column: 'prenom'");
		},
	);

	test('refuses a field that two columns of one look could be for', async () => {
		const { error } = await byNames('add', { NOM: 'A' }, ['Nom', 'nom']);
		expect(error?.message).toBe("The list has 2 columns 'NOM'");
		expect(sim.requestsTo('POST', /contacts$/)).toEqual([]);
	});

	// Issue 49: seconds of one stall, from rows that have other names each.
	test.each(['add', 'import'])(
		'%s holds nobody up where each of 400 items has 200 names of its own',
		async (operation) => {
			const { id } = listWith(
				Array.from({ length: 50 }, (_, at) => `Colonne préférée ${at}`),
			);
			const items = Array.from({ length: 400 }, (_, item) => ({
				to: bulkNumber(item),
				...Object.fromEntries(
					Array.from({ length: 200 }, (__, at) => [`Champ « ${item} / ${at} »`, 'x']),
				),
				'COLONNE PREFEREE 7': `Dupont ${item}`,
			}));
			const parameters = { list: listOf(id), number: '={{ $json.to }}', ...automatic };
			const { result, share } = await measure(
				async () => await run(operation, parameters, { items }),
			);
			expect(result.error).toBeUndefined();
			// n8n itself copies 80,000 fields in one turn; the look-ups are not another one.
			expect(share).toBeLessThan(0.9);
			const stored = sim.service.list(id).contacts.items();
			expect(stored).toHaveLength(400);
			expect(Object.values(stored[399].attributes)).toEqual([
				expect.stringMatching(/^Dupont \d+$/),
			]);
			const [{ message }] = result.hints as Array<{ message: string }>;
			expect(message).toMatch(/no such column .*: 'Champ .* and 79,990 more/);
		},
	);
});

describe('columns that are called like parts of every object', () => {
	const NAMES = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty'];
	const { getColumnFields } = loadNode('SmsContact').methods!.resourceMapping!;
	// As n8n reads an item: in JSON, `__proto__` is a field like others.
	const row = (of: string) =>
		JSON.parse(`{${NAMES.map((name) => `"${name}":"${of} ${name}"`).join()}}`) as IDataObject;

	test.each(['add', 'upsert', 'sync', 'import'])(
		'%s stores each of their values',
		async (operation) => {
			const { id } = listWith(NAMES);
			// The editor's names for them: n8n leaves the very names out of a workflow.
			const editor = editorOf('SmsContact', sim, { list: listOf(id) });
			const { fields } = await getColumnFields.call(editor);
			const mapped = Object.fromEntries(
				fields.map((field) => [field.id, `mapped ${field.displayName.replace(/ .*/, '')}`]),
			);
			for (const [number, given] of [
				[FIRST, automatic],
				[SECOND, values(mapped)],
			] as const) {
				const parameters = { list: listOf(id), number, ...given };
				succeeded(await run(operation, parameters, { items: [row('mapped')] }));
			}
			const contacts = sim.service.list(id).contacts.items();
			expect(contacts).toHaveLength(2);
			for (const { attributes } of contacts)
				expect(Object.values(attributes).sort()).toEqual(
					NAMES.map((name) => `mapped ${name}`).sort(),
				);
		},
	);

	test('and Sync keeps, changes and compares them', async () => {
		const { id } = listWith(NAMES);
		const parameters = { list: listOf(id), number: FIRST, ...automatic };
		const actions: unknown[] = [];
		for (const item of [row('a'), row('a'), row('b'), { constructor: 'c' }]) {
			const { items, error } = await run('sync', parameters, {
				items: [item],
			});
			expect(error).toBeUndefined();
			actions.push(items[0].json.action);
		}
		expect(actions).toEqual(['added', 'unchanged', 'updated', 'updated']);
		const [{ attributes }] = sim.service.list(id).contacts.items();
		expect(Object.values(attributes).sort()).toEqual([
			'b __proto__',
			'b hasOwnProperty',
			'b prototype',
			'c',
		]);
	});
});

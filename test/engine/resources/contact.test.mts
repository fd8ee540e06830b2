/** SMS Contact (interface document 2.4, 4.5). */
import { beforeEach, describe, expect, test } from 'vitest';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import { retryExecution } from '../harness.mts';
import { bodiesOf, hurry, jsonOf, linesOf, listOf, runnerOf } from './support.mts';

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
const values = (value: IDataObject): INodeParameters => ({
	attributes: { mappingMode: 'defineBelow', value, schema: [] } as never,
});
const automatic = { attributes: { mappingMode: 'autoMapInputData', value: null } as never };

describe('add', () => {
	test('writes each value as its column takes it', async () => {
		const { error } = await run(
			'add',
			{
				list: list(),
				number: FIRST,
				...values({
					nom_de_famille: '={{ $json.name }}',
					anniversaire: '={{ $json.birthday }}',
					client_depuis: '={{ DateTime.fromISO("2020-03-01T23:30:00Z") }}',
					inscrit: true,
					points: '={{ $json.points }}',
				}),
			},
			{ items: [{ name: 'Dupont', birthday: '1990-12-24', points: 12.5 }] },
		);
		expect(error).toBeUndefined();
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
		await run('add', {
			list: list(),
			number: FIRST,
			...values({
				nom_de_famille: 'Dupont',
				Anniversaire: '24/12',
				'client DEPUIS': '1/2/2020',
			}),
		});
		expect(bodiesOf(sim)[1]).toEqual({
			identifier: FIRST,
			attributes: {
				nom_de_famille: 'Dupont',
				anniversaire: '24/12',
				client_depuis: '01/02/2020',
			},
		});
	});

	test('leaves out what is empty, and asks for no columns when all is', async () => {
		const empty = { nom_de_famille: '', anniversaire: null, points: '={{ $json.missing }}' };
		await run('add', { list: list(), number: FIRST, ...values({}) });
		await run('add', { list: list(), number: SECOND, ...values(empty as IDataObject) });
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

	test('takes the columns from the input item, and nothing else of it', async () => {
		await run(
			'add',
			{ list: list(), number: '={{ $json.phone }}', ...automatic },
			{ items: [{ phone: FIRST, 'Nom de famille': 'Dupont', points: 3, other: { a: 1 } }] },
		);
		expect(bodiesOf(sim)[1]).toEqual({
			identifier: FIRST,
			attributes: { nom_de_famille: 'Dupont', points: '3' },
		});
	});

	test('takes them in other letters too, but not beside those in the same letters', async () => {
		const to = { list: list(), number: '={{ $json.phone }}', ...automatic };
		const fields = { ' nom DE famille': 'Dupont', POINTS: 4, points: 3 };
		await run('add', to, { items: [{ phone: FIRST, ...fields }] });
		expect(bodiesOf(sim)[1]).toEqual({
			identifier: FIRST,
			attributes: { nom_de_famille: 'Dupont', points: '3' },
		});
	});

	test('asks for the columns once for all items', async () => {
		const { items } = await run(
			'add',
			{
				list: list(),
				number: '={{ $json.to }}',
				...values({ points: '={{ $json.points }}' }),
			},
			{ items: [FIRST, SECOND, THIRD].map((to, points) => ({ to, points })) },
		);
		expect(items).toHaveLength(3);
		expect(linesOf(sim).filter((line) => line.startsWith('GET'))).toHaveLength(1);
	});

	test.each([
		[
			'anniversaire',
			'31/13',
			'The value of column \'Anniversaire\' is "31/13", not a date in the format dd/MM, such as 24/12, or an ISO date',
		],
		[
			'points',
			'douze',
			'The value of column \'Points\' is "douze", not a number such as 12 or 12.5',
		],
		[
			'inscrit',
			'peut-être',
			'The value of column \'Inscrit\' is "peut-être", not yes (true, 1) or no (false, 0)',
		],
		[
			'nom_de_famille',
			'={{ $json }}',
			"The value of column 'Nom de famille' is an object, not a text",
		],
		['prenom', 'Marie', "The list has no column 'prenom'"],
	])('adds nobody while a value of %s is wrong', async (column, value, message) => {
		const { error } = await run(
			'add',
			{ list: list(), number: '={{ $json.to }}', ...values({ [column]: value }) },
			{ items: [{ to: FIRST }] },
		);
		expect(error?.message).toBe(message);
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}`]);
	});

	test('gives an error item for a wrong value, and adds the rest', async () => {
		const { items, errorItems } = await run(
			'add',
			{
				list: list(),
				number: '={{ $json.to }}',
				...values({ points: '={{ $json.points }}' }),
			},
			{
				items: [
					{ to: FIRST, points: 'douze' },
					{ to: SECOND, points: 12 },
				],
				settings: { onError: 'continueErrorOutput' },
			},
		);
		expect(jsonOf(items)).toEqual([
			expect.objectContaining({ number: SECOND, attributes: { Points: '12' } }),
		]);
		expect(
			errorItems.map(({ json, pairedItem }) => [json.status, json.number, pairedItem]),
		).toEqual([['invalid', FIRST, { item: 0 }]]);
	});

	test('keeps the format of the number, without separators', async () => {
		await run('add', { list: list(), number: '06 39 98 00 01' });
		expect(bodiesOf(sim)).toEqual([{ identifier: '0639980001' }]);
	});

	test('does not add a contact twice when the execution is retried', async () => {
		sim.faults.add({
			method: 'POST',
			match: ({ bodyText }) => bodyText.includes(SECOND),
			do: { kind: 'status', status: 400 },
		});
		const options = {
			node: 'SmsContact',
			parameters: {
				operation: 'add',
				list: list(),
				number: '={{ $json.to }}',
				...values({ points: '={{ $json.points }}' }),
				options: { concurrency: 1 },
			},
			items: [FIRST, SECOND, THIRD].map((to, points) => ({ to, points })),
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		};
		const failed = await run('add', options.parameters, options);
		expect(failed.error?.context.itemIndex).toBe(1);
		expect(failed.error?.description).toContain('Accepted anyway: 1 of 3 items');
		const retried = await retryExecution(failed, options);
		expect(jsonOf(retried.items).map(({ number, attributes }) => [number, attributes])).toEqual(
			[
				[FIRST, { Points: '0' }],
				[SECOND, { Points: '1' }],
				[THIRD, { Points: '2' }],
			],
		);
		const added = bodiesOf(sim).filter(Boolean);
		expect(added.map((body) => (body as IDataObject).identifier)).toEqual([
			FIRST,
			SECOND,
			SECOND,
			THIRD,
		]);
	});

	test('never has more requests under way than Concurrency says', async () => {
		sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 10 } });
		await run(
			'add',
			{ list: list(), number: '={{ $json.to }}', options: { concurrency: 3 } },
			{
				items: Array.from({ length: 20 }, (_, index) => ({
					to: `+336399801${10 + index}`,
				})),
			},
		);
		expect(sim.service.list(listId).contacts.length).toBe(20);
		expect(sim.maxInFlight).toBe(3);
	});
});

describe('getMany', () => {
	test('gives the values under the names of the columns, or under their IDs', async () => {
		const contacts = sim.service.list(listId);
		contacts.addContact(FIRST, { nom_de_famille: 'Dupont', points: '3' });
		contacts.addContact(SECOND);
		const named = await run('getMany', { list: list(), returnAll: true });
		expect(jsonOf(named.items).map(({ attributes }) => attributes)).toEqual([
			{ 'Nom de famille': 'Dupont', Points: '3' },
			{},
		]);
		for (const contact of jsonOf(named.items)) expect(Object.keys(contact)[0]).toBe('number');
		const byId = await run('getMany', {
			list: list(),
			returnAll: true,
			options: { attributeKeys: 'ids' },
		});
		expect(jsonOf(byId.items).map(({ attributes }) => attributes)).toEqual([
			{ nom_de_famille: 'Dupont', points: '3' },
			{},
		]);
	});

	test('keeps the IDs of columns that share a name, or are gone', async () => {
		const twins = sim.service.createList('Jumeaux', [
			{ name: 'Nom' },
			{ name: 'Nom' },
			{ name: 'Age' },
		]);
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

	test.each([
		[
			'numbers for IDs',
			[{ id: 1, identifier: 33639980001 }],
			{ id: '1', identifier: '33639980001', number: FIRST, attributes: {} },
		],
		[
			'attributes that are null',
			[{ id: '1', identifier: FIRST, attributes: null }],
			{ id: '1', number: FIRST, attributes: {} },
		],
		[
			'a single contact',
			{ id: '1', identifier: FIRST },
			{ id: '1', number: FIRST, attributes: {} },
		],
		['a contact without ID', [{ identifier: FIRST }], { number: FIRST, attributes: {} }],
	])('understands %s', async (_, body, contact) => {
		sim.faults.add({ do: { kind: 'json', body } });
		const { items } = await run('getMany', { list: list() });
		expect(jsonOf(items)).toEqual([contact]);
	});

	test.each([
		['a text', 'contacts'],
		['contacts without ID and number', [{ attributes: {} }]],
		['attributes that are a text', [{ id: '1', identifier: FIRST, attributes: 'Dupont' }]],
		['null', null],
	])('refuses %s', async (_, body) => {
		sim.faults.add({ do: { kind: 'json', body } });
		const { error } = await run('getMany', { list: list() });
		expect(error?.message).toBe('The service gave an unexpected answer');
	});
});

describe('delete', () => {
	const deletions = () => linesOf(sim).map((line) => /\/(contacts?)\?/.exec(line)?.[1]);

	test('tries the singular where the plural does not exist', async () => {
		sim.service.settings.deletePath = 'contact';
		sim.service.list(listId).addContact(FIRST);
		const { items } = await run('delete', { list: list(), number: FIRST });
		expect(jsonOf(items)).toEqual([{ deleted: true, number: FIRST, listId }]);
		expect(deletions()).toEqual(['contacts', 'contact']);
	});

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
		const { error } = await run('delete', { list: list(), number: FIRST });
		expect(error).toBeUndefined();
		expect(deletions()).toEqual(['contacts', 'contact']);
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
		const { items, error, hints } = await run('delete', { list: list(), number: FIRST });
		expect(error).toBeUndefined();
		expect(hints).toMatchObject([{ message: '1 contact was not in the list.' }]);
		expect(jsonOf(items)).toEqual([{ deleted: false, number: FIRST, listId }]);
		// Both forms of the number, on the path that exists.
		expect(linesOf(sim)).toEqual(
			['%2B33639980001', '0639980001'].map(
				(number) => `DELETE /v2/lists/${listId}/contacts?identifier=${number}`,
			),
		);
	});

	test('goes on with the other items after a missing path', async () => {
		sim.service.settings.deletePath = 'contact';
		for (const number of [FIRST, SECOND, THIRD]) sim.service.list(listId).addContact(number);
		const { items, error } = await run(
			'delete',
			{ list: list(), number: '={{ $json.to }}', options: { concurrency: 1 } },
			{ items: [FIRST, SECOND, THIRD].map((to) => ({ to })) },
		);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(3);
		expect(sim.service.list(listId).contacts.length).toBe(0);
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

	test.each(['', '  ', '={{ $json.missing }}', '={{ $json }}'])(
		'refuses %j',
		async (contactId) => {
			if (contactId === '') return; // n8n itself asks for it
			const { error } = await run('delete', { list: list(), contactId, ...how });
			expect(error?.message).toMatch(/^'Contact ID' is /);
			expect(sim.requests).toEqual([]);
		},
	);
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

	test('sends all items in one request, dates in the format of their column', async () => {
		const { items } = await run('import', parameters(), { items: people });
		expect(linesOf(sim)).toEqual([
			`GET /v2/lists/${listId}`,
			`POST /v2/lists/${listId}/import`,
		]);
		expect(bodiesOf(sim)[1]).toEqual([
			['tel', 'Nom de famille', 'Anniversaire'],
			[FIRST, 'Dupont', '24/12'],
			['0639980002', 'Durand', ''],
			[THIRD, '', '01/02'],
		]);
		expect(items).toEqual([
			{
				json: { imported: 3, listId },
				pairedItem: [{ item: 0 }, { item: 1 }, { item: 2 }],
			},
		]);
		expect(sim.service.list(listId).contacts.length).toBe(3);
	});

	test('says what its result does not', async () => {
		const said = async (items: typeof people) => {
			const { hints } = await run('import', parameters(), { items });
			return (hints as Array<{ message: string }>).map(({ message }) => message).join(' ');
		};
		expect(await said(people)).toBe('');
		const again = { ...people[0], to: '+33639980002' };
		expect(await said([...people, again])).toBe('1 item had the number of an earlier one.');
	});

	test('imports numbers alone without asking for columns', async () => {
		await run('import', { list: list(), number: '={{ $json.to }}' }, { items: people });
		expect(linesOf(sim)).toEqual([`POST /v2/lists/${listId}/import`]);
		expect(bodiesOf(sim)[0]).toEqual([['tel'], [FIRST], ['0639980002'], [THIRD]]);
	});

	test('imports nobody while an item is wrong', async () => {
		const { error } = await run('import', parameters(), {
			items: [people[0], { ...people[1], birthday: 'demain' }, { ...people[2], to: '06' }],
		});
		expect(error?.message).toContain('\'Phone Number\' "06" has 2 digits');
		expect(error?.context.itemIndex).toBe(2);
		expect(sim.requests).toEqual([]);
		const other = await run('import', parameters(), {
			items: [people[0], { ...people[1], birthday: 'demain' }],
		});
		expect(other.error?.message).toContain('The value of column \'Anniversaire\' is "demain"');
		expect(linesOf(sim)).toEqual([`GET /v2/lists/${listId}`]);
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
		expect(error?.message).toBe("'List' differs from the list of the items before");
		expect(sim.requests).toEqual([]);
	});

	test.each([
		[
			{ imported: 2, rejected: 1 },
			{ imported: 2, rejected: 1 },
		],
		[{ count: '3' }, { count: '3', imported: 3 }],
		[{}, { imported: 3 }],
		[[], { imported: 3 }],
	])('says how many were taken, as the answer %j does', async (body, expected) => {
		sim.faults.add({ path: /import$/, do: { kind: 'json', status: 201, body } });
		const { items } = await run('import', parameters(), { items: people });
		expect(jsonOf(items)).toEqual([{ ...expected, listId }]);
	});

	describe('that is too much for the service', () => {
		const MANY = Array.from({ length: 20 }, (_, at) => ({ to: `+3363998${1000 + at}` }));
		const rowsOf = () =>
			sim
				.requestsTo('POST', /import$/)
				.map((request) => [request.status, (request.json() as unknown[]).length - 1]);
		/** It takes no more than so many rows at once. */
		function atMost(
			rows: number,
			refusal: object = { code: 74, error: 'limit' },
			status = 400,
		) {
			sim.faults.add({
				path: /import$/,
				times: Infinity,
				match: (request) => (request.json() as unknown[]).length - 1 > rows,
				do: { kind: 'json', status, body: refusal },
			});
		}
		const numbersOnly = () => ({ list: list(), number: '={{ $json.to }}' });

		test.each([
			[400, { code: 18, error: 'too large' }],
			[400, { code: 74, error: 'limit' }],
			[200, { code: 74, error: 'limit' }],
			[413, { status: 413, error: 'Payload too large' }],
		])('is halved until it fits: %i %j', async (status, refusal) => {
			atMost(6, refusal, status);
			const { items, error } = await run('import', numbersOnly(), { items: MANY });
			expect(error).toBeUndefined();
			expect(rowsOf().map(([, rows]) => rows)).toEqual([20, 10, 5, 5, 10, 5, 5]);
			expect(items).toHaveLength(1);
			expect(items[0].json).toMatchObject({ imported: 20, listId });
			expect(items[0].pairedItem).toHaveLength(20);
			expect(sim.service.list(listId).contacts.length).toBe(20);
		});

		test('is an error where one contact is too much', async () => {
			atMost(0);
			const { error } = await run('import', numbersOnly(), { items: MANY.slice(0, 2) });
			expect(error?.message).toBe('The limit of contacts in one request is reached');
			expect(rowsOf().map(([, rows]) => rows)).toEqual([2, 1]);
		});

		test('is not imported twice by a retry, even if the service takes more by then', async () => {
			sim.service.settings.duplicates = 'accept';
			atMost(5);
			sim.faults.add({
				path: /import$/,
				match: ({ bodyText }) => bodyText.includes(`"${MANY[12].to}"`),
				do: { kind: 'status', status: 400 },
			});
			const options = {
				node: 'SmsContact',
				parameters: { operation: 'import', ...numbersOnly() },
				items: MANY,
				credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			};
			// The fault that was added last comes after the limit.
			const failed = await run('import', options.parameters, options);
			expect(failed.error?.description).toContain('Accepted anyway: 10 of 20 items');
			expect(sim.service.list(listId).contacts.length).toBe(10);
			sim.faults.clear();
			const retried = await retryExecution(failed, options);
			expect(retried.error).toBeUndefined();
			expect(retried.items[0].json).toMatchObject({ imported: 20 });
			const held = sim.service.list(listId).contacts.items();
			expect(held.map(({ identifier }) => identifier)).toEqual(MANY.map(({ to }) => to));
			expect(rowsOf().slice(-2)).toEqual([
				[201, 5],
				[201, 5],
			]);
		});

		test('goes on after a part that failed, if the user continues on fail', async () => {
			atMost(10);
			sim.faults.add({
				path: /import$/,
				match: (request) => (request.json() as unknown[]).length === 11,
				do: { kind: 'status', status: 400 },
			});
			const { items, errorItems } = await run('import', numbersOnly(), {
				items: MANY,
				settings: { onError: 'continueErrorOutput' },
			});
			expect(items.map(({ json }) => json.imported)).toEqual([10]);
			expect(items[0].pairedItem).toEqual(
				Array.from({ length: 10 }, (_, at) => ({ item: 10 + at })),
			);
			expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(
				Array.from({ length: 10 }, (_, item) => ({ item })),
			);
		});

		test('says what is unknown of it, and what was accepted', async () => {
			atMost(10);
			sim.faults.add({
				path: /import$/,
				skip: 1,
				match: (request) => (request.json() as unknown[]).length === 11,
				do: { kind: 'resetAfterAccept' },
			});
			const { error } = await run('import', numbersOnly(), { items: MANY });
			expect(error?.message).toMatch(/^It is unknown whether this was imported/);
			expect(error?.description).toContain('Accepted anyway: 10 of 20 items');
			expect(error?.context.itemIndex).toBe(10);
		});
	});

	describe('to a list with a column called tel', () => {
		let id: string;
		beforeEach(() => {
			const columns = [{ name: 'Tel' }, { name: 'Nom' }, { name: 'Nom' }];
			({ id } = sim.service.createList('Clients', columns));
		});
		const lines = () => linesOf(sim).filter((line) => line.startsWith('POST'));

		test('leaves the column out where it has the number itself', async () => {
			const { error } = await run(
				'import',
				{ list: listOf(id), number: '={{ $json.Tel }}', ...automatic },
				{ items: [{ Tel: '06 39 98 00 01' }, { Tel: SECOND }] },
			);
			expect(error).toBeUndefined();
			expect(bodiesOf(sim).at(-1)).toEqual([['tel'], ['0639980001'], [SECOND]]);
		});

		test('imports without the column', async () => {
			const { error } = await run('import', { list: listOf(id), number: FIRST });
			expect(error).toBeUndefined();
			expect(sim.service.list(id).contacts.length).toBe(1);
		});

		test.each([
			['tel', "Import can't fill in the column 'Tel'"],
			['nom', "Import can't tell the columns called 'Nom' apart"],
			['Nom', "The list has 2 columns 'Nom'"],
		])('refuses a value for %s that would go astray', async (column, message) => {
			const { error } = await run('import', {
				...{ list: listOf(id), number: FIRST },
				...values({ [column]: 'Bureau' }),
			});
			expect(error?.message).toBe(message);
			expect(lines()).toEqual([]);
		});
	});

	test('is not repeated when its answer was lost', async () => {
		sim.faults.add({ path: /import$/, do: { kind: 'resetAfterAccept' } });
		const options = {
			node: 'SmsContact',
			parameters: { operation: 'import', ...parameters() },
			items: people,
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		};
		const failed = await run('import', options.parameters, options);
		expect(failed.error?.message).toMatch(/^It is unknown whether this was imported/);
		expect(failed.error?.description).toContain('The operation Get Many Contacts tells');
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toMatch(/^It is unknown whether/);
		expect(sim.requestsTo('POST', /import$/)).toHaveLength(1);
	});

	test('gives an error item for each contact when the request fails', async () => {
		sim.faults.add({ path: /import$/, do: { kind: 'json', status: 400, body: { code: 75 } } });
		const { items } = await run('import', parameters(), {
			items: people,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(items.map(({ json, pairedItem }) => [json.code, pairedItem])).toEqual([
			[75, { item: 0 }],
			[75, { item: 1 }],
			[75, { item: 2 }],
		]);
	});
});

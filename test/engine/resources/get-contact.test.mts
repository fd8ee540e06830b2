/** SMS Contact, Get Contact: one contact of "Get contacts of a list" (interface document 2.4, 4.5). */
import { beforeEach, describe, expect, test } from 'vitest';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import type { RunOptions } from '../harness.mts';
import { hurry, jsonOf, linesOf, listOf, runnerOf, succeeded } from './support.mts';

const [FIRST, SECOND, THIRD] = ['+33639980001', '+33639980002', '+33639980003'];

let listId: string;
hurry();
const sim = await useSimulator({ extended: true });
const run = runnerOf('SmsContact', sim);
beforeEach(() => {
	listId = sim.service.createList('Clients', [{ name: 'Nom' }]).id;
});

const contacts = () => `GET /v2/lists/${listId}/contacts`;
const add = (number: string, name?: string) =>
	sim.service.list(listId).addContact(number, name === undefined ? {} : { nom: name }).id;
const get = async (parameters: INodeParameters, options?: Partial<RunOptions>) =>
	await run('get', { list: listOf(listId), ...parameters }, options);
/** The answer to "get contacts", whatever it is. */
const answer = (body: unknown) =>
	sim.faults.add({ path: /contacts$/, do: { kind: 'json', status: 200, body } });

describe('by phone number', () => {
	test.each(['0639980001', '06.39.98.00.01', '0033 6 39 98 00 01', FIRST])(
		'finds %s in whatever spelling the list has it',
		async (number) => {
			for (const stored of ['0639980001', FIRST, '33639980001']) {
				answer([{ id: 'c1', identifier: stored, attributes: { nom: 'Petit' } }]);
				const { items } = succeeded(await get({ number }));
				expect(jsonOf(items)).toMatchObject([
					{ exists: true, number: FIRST, id: 'c1', attributes: { Nom: 'Petit' } },
				]);
			}
		},
	);

	test('reads the list and its columns once for all items, and answers each in its place', async () => {
		const ids = [add(FIRST, 'Petit'), add(SECOND)];
		const items = [THIRD, SECOND, FIRST, '0639980002'].map((to) => ({ to }));
		const { items: results } = await get({ number: '={{ $json.to }}' }, { items });
		const second = { number: SECOND, exists: true, attributes: {}, id: ids[1] };
		expect(jsonOf(results)).toEqual([
			{ number: THIRD, exists: false },
			second,
			{ number: FIRST, exists: true, attributes: { Nom: 'Petit' }, id: ids[0] },
			second,
		]);
		expect(results?.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(linesOf(sim)).toEqual([contacts(), `GET /v2/lists/${listId}`]);
	});

	test('asks for no columns where none has to be named', async () => {
		add(FIRST);
		add(SECOND, 'Petit');
		const { items } = await get({ number: FIRST });
		expect(jsonOf(items)).toMatchObject([{ exists: true, attributes: {} }]);
		await get({ number: SECOND, options: { attributeKeys: 'ids' } });
		expect(linesOf(sim)).toEqual([contacts(), contacts()]);
	});

	test('gives the first of two contacts with one number, and says so', async () => {
		answer([
			{ id: 'c1', identifier: '0639980001', attributes: {} },
			{ id: 'c2', identifier: FIRST, attributes: {} },
		]);
		const { items, hints } = await get({ number: FIRST });
		expect(jsonOf(items)).toMatchObject([{ id: 'c1' }]);
		expect(hints).toMatchObject([
			{ type: 'warning', message: expect.stringContaining(`2 contacts with the number`) },
		]);
	});

	test('looks up a number of any country: nothing is sent to it', async () => {
		const credential = { ...sim, allowedCountries: ['FR'] };
		const { items } = await get({ number: '+4915123456789' }, { credential });
		expect(jsonOf(items)).toEqual([{ number: '+4915123456789', exists: false }]);
	});

	test('a number that is none is an error that names it, not a contact that is missing', async () => {
		const { error } = await get({ number: 'Dupont' });
		expect(error).toMatchObject({ message: expect.stringContaining('Dupont') });
		expect(linesOf(sim)).toEqual([]);
	});
});

describe('by contact ID', () => {
	const byId = async (contactId: string) => await get({ getBy: 'id', contactId });

	test('finds a contact, and says what it looked for where there is none', async () => {
		const id = add(FIRST, 'Petit');
		const expected = { exists: true, number: FIRST, attributes: { Nom: 'Petit' }, id };
		expect(jsonOf((await byId(id)).items)).toEqual([expected]);
		expect(jsonOf((await byId('gone')).items)).toEqual([{ id: 'gone', exists: false }]);
	});

	test('finds one that has no number', async () => {
		answer([{ id: 'c1', attributes: {} }]);
		expect(jsonOf((await byId('c1')).items)).toEqual([
			{ exists: true, id: 'c1', attributes: {} },
		]);
	});
});

describe('what is not certain', () => {
	const UNREADABLE: Array<[string, unknown, INodeParameters]> = [
		['no record', 'nobody', { number: FIRST }],
		['without a number', { id: 'c9', attributes: {} }, { number: FIRST }],
		['without an ID', { identifier: SECOND }, { getBy: 'id', contactId: 'c1' }],
	];

	test.each(UNREADABLE)(
		'nobody is said to be missing beside a contact that is %s',
		async (_, record, by) => {
			answer([record, { id: 'c2', identifier: SECOND, attributes: {} }]);
			const { items, error } = await get(by);
			expect(items).toEqual([]);
			expect(error).toMatchObject({
				message: expect.stringContaining("1 contact of the list can't be read"),
			});
		},
	);

	test.each(UNREADABLE)('who is there is found beside one that is %s', async (_, record) => {
		answer([record, { id: 'c1', identifier: FIRST, attributes: {} }]);
		expect(jsonOf((await get({ number: FIRST })).items)).toMatchObject([{ id: 'c1' }]);
	});

	test('a list that is gone is an error, once for all items', async () => {
		const items: IDataObject[] = [{ to: FIRST }, { to: SECOND }];
		sim.service.lists.delete(listId);
		const { error } = await get({ number: '={{ $json.to }}' }, { items });
		expect(error).toBeDefined();
		// Its ID could be the name of another list.
		expect(linesOf(sim)).toEqual([contacts(), 'GET /v2/lists/']);
	});
});

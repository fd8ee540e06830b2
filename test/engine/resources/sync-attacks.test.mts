/**
 * SMS Contact: Sync, where the service answers in forms that the interface document leaves open, and where others
 * change the list meanwhile: nobody is lost, nobody is there twice, nobody is removed who stays, and the third run
 * changes nothing.
 */
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import { runNode } from '../harness.mts';
import { ADA, BOB, CAROL, DAVE, REFUSED, useContacts } from './contacts.mts';
import { bodiesOf, jsonOf } from './support.mts';

const {
	sim,
	list,
	held,
	changes,
	runOf: syncOf,
} = await useContacts('sync', {
	nom: '={{ $json.name }}',
	points: '',
	ville: '',
});
const OLD = { nom: 'Old', points: '5', ville: 'Lyon' };

/** Before the first request of a kind is answered. */
function before(what: (request: RecordedRequest) => boolean, change: () => void): void {
	let isDone = false;
	sim.faults.add({
		match: (request) => {
			if (!isDone && what(request)) {
				isDone = true;
				change();
			}
			return false;
		},
		do: REFUSED,
	});
}
const isPost = ({ method }: RecordedRequest) => method === 'POST';
const isDelete = ({ method }: RecordedRequest) => method === 'DELETE';

describe('a column that somebody deletes or renames between the two requests', () => {
	test.each(['nom', 'ville'])('%s: nobody is off the list', async (column) => {
		for (const number of [ADA, BOB]) list().addContact(number, OLD);
		before(isPost, () => void list().removeField(column));
		const options = syncOf(
			[ADA, BOB].map((to) => ({ to, name: 'New' })),
			{ options: { concurrency: 1 } },
		);
		const { error } = await runNode(options);
		expect(Object.keys(held()).sort()).toEqual([ADA, BOB]);
		expect(error?.description).toContain('The contact is in the list');
	});
});

describe('contacts in a form that is not read', () => {
	const answer = (contacts: unknown[]) =>
		sim.faults.add({
			path: /contacts$/,
			method: 'GET',
			times: Infinity,
			do: { kind: 'json', body: contacts },
		});

	test.each([
		['values as a list', { attributes: [{ id: 'nom', value: 'Old' }] }],
		['values as a text', { attributes: 'nom=Old' }],
		['a number in an object', { identifier: { value: BOB }, id: { value: '1' } }],
	])('%s: nothing is changed', async (_, form) => {
		sim.service.settings.duplicates = 'accept';
		list().addContact(ADA, OLD);
		list().addContact(BOB, OLD);
		answer([
			{ id: list().contacts.items()[0].id, identifier: ADA, attributes: OLD },
			{ id: list().contacts.items()[1].id, identifier: BOB, attributes: OLD, ...form },
		]);
		for (const removeMissing of [false, true]) {
			const { error } = await runNode(
				syncOf([{ to: BOB, name: 'New' }], { removeMissing, maxRemovals: 100 }),
			);
			expect(error?.message).toContain('1 contact of the list can');
			expect(changes()).toEqual([]);
		}
	});

	test.each([
		['null values', { attributes: null }],
		['no values', {}],
		['values as an empty list', { attributes: [] }],
		['a null value', { attributes: { nom: null } }],
	])('%s are an empty contact', async (_, form) => {
		list().addContact(ADA);
		const [{ id }] = list().contacts.items();
		answer([{ id, identifier: ADA, ...form }]);
		const { items, error } = await runNode(syncOf([{ to: ADA, name: '' }]));
		expect(error).toBeUndefined();
		expect(jsonOf(items)[0].action).toBe('unchanged');
	});

	test.each(['33639980001', '0033639980001', '06 39 98 00 01', '639980001', 639980001])(
		'the number %j is the same one',
		async (identifier) => {
			list().addContact(ADA, { nom: 'New' });
			const [{ id }] = list().contacts.items();
			answer([{ id, identifier, attributes: { nom: 'New' } }]);
			const { items, error } = await runNode(
				syncOf([{ to: ADA, name: 'New' }], { removeMissing: true, maxRemovals: 100 }),
			);
			expect(error).toBeUndefined();
			expect(jsonOf(items).map(({ action }) => action)).toEqual(['unchanged']);
		},
	);

	test('a number without its + that may be one of the items is not removed', async () => {
		sim.service.settings.duplicates = 'accept';
		list().addContact('+687751234', { nom: 'New' });
		const [{ id }] = list().contacts.items();
		answer([{ id, identifier: 687751234, attributes: { nom: 'New' } }]);
		await runNode(
			syncOf([{ to: '+687751234', name: 'New' }], { removeMissing: true, maxRemovals: 100 }),
		);
		expect(changes().filter((line) => line.startsWith('DELETE'))).toEqual([]);
	});

	test('numbers under another name: nobody is added twice', async () => {
		sim.service.settings.duplicates = 'accept';
		list().addContact(ADA, OLD);
		list().addContact(BOB, OLD);
		answer(
			list()
				.contacts.items()
				.map(({ id, identifier: phone }) => ({ id, phone })),
		);
		const { error } = await runNode(syncOf([{ to: ADA, name: 'Old' }]));
		expect(error?.message).toBe("2 contacts of the list can't be read");
		expect(changes()).toEqual([]);
	});

	test.each([
		{ id: 'request-1', error: 'Internal error' },
		{ id: 'request-1', code: 1000, error: 'unknown' },
		{ id: 'request-1', code: 72 },
		{ identifier: 'list-1', status: 500, error: 'Internal error' },
	])('a 200 with the error %j is no list', async (body) => {
		list().addContact(ADA, OLD);
		sim.faults.add({ path: /contacts$/, method: 'GET', do: { kind: 'json', body } });
		for (const parameters of [
			syncOf([{ to: BOB }], { removeMissing: true, maxRemovals: 100 }),
			syncOf([{}], { operation: 'getMany', returnAll: true }),
		]) {
			const { error, items } = await runNode(parameters);
			expect(error).toBeDefined();
			expect(items).toEqual([]);
			expect(changes()).toEqual([]);
			sim.faults.add({ path: /contacts$/, method: 'GET', do: { kind: 'json', body } });
		}
	});

	test.each(['.', '..', ' ..', 'a/b', '../..', 'a?b#c', '%2e%2e', ' 5 '])(
		'the ID %j is deleted as it is, or not at all',
		async (id) => {
			answer([{ id, identifier: DAVE, attributes: OLD }]);
			await runNode(
				syncOf([{ to: BOB, name: 'New' }], { removeMissing: true, maxRemovals: 100 }),
			);
			expect(sim.service.lists.has(list().id)).toBe(true);
			const encoded = `/v2/lists/${list().id}/contacts/${encodeURIComponent(id)}`;
			const isNone = /^\s*\.{1,2}$/.test(id);
			for (const line of changes().filter((one) => one.startsWith('DELETE'))) {
				if (isNone) expect(line).toContain(`/contacts?identifier=`);
				else expect(line).toBe(`DELETE ${encoded}`);
			}
			expect(changes().length).toBeGreaterThan(1);
		},
	);

	test('a contact without a number is left alone', async () => {
		list().addContact(ADA, { nom: 'New' });
		answer([
			{ id: list().contacts.items()[0].id, identifier: ADA, attributes: { nom: 'New' } },
			{ id: '99', identifier: null, attributes: {} },
		]);
		const { error } = await runNode(
			syncOf([{ to: ADA, name: 'New' }], { removeMissing: true, maxRemovals: 100 }),
		);
		expect(error).toBeUndefined();
		expect(changes()).toEqual([]);
	});
});

describe('a column called Constructor', () => {
	beforeEach(() => void list().addField('Constructor', 'STRING'));

	test('that a contact has no value in is empty', async () => {
		list().addContact(ADA, OLD);
		const { items, error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(jsonOf(items)[0].attributes).toEqual({ Nom: 'New', Points: '5', Ville: 'Lyon' });
		expect(held()).toEqual({ [ADA]: { ...OLD, nom: 'New' } });
	});

	test('can not be filled, since n8n would leave it out of the request', async () => {
		list().addContact(ADA, OLD);
		const attributes = { mappingMode: 'autoMapInputData', value: null };
		for (const operation of ['sync', 'add', 'upsert']) {
			const options = syncOf([{ to: ADA, Constructor: 'Renault' }], {
				...{ operation, attributes },
			});
			const { error } = await runNode(options);
			expect(error?.message).toContain("The column 'Constructor' can't be filled");
			const empty = syncOf([{ to: ADA, Constructor: '' }], { operation, attributes });
			expect((await runNode(empty)).error).toBeUndefined();
		}
		expect(bodiesOf(sim).filter(Boolean)).toEqual([{ identifier: ADA }, { identifier: ADA }]);
	});

	test('that a contact has a value in: the contact is not deleted', async () => {
		list().addContact(ADA, { ...OLD, constructor: 'Renault' });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error?.message).toContain("The column 'Constructor' can't be filled");
		expect(changes()).toEqual([]);
	});
});

test.each(['=', '= ', ' '])('a field that has nothing but %j keeps its value', async (ville) => {
	list().addContact(ADA, OLD);
	const value = { nom: '={{ $json.name }}', ville };
	const attributes = { mappingMode: 'defineBelow', value, schema: [] };
	const { items } = await runNode(syncOf([{ to: ADA, name: 'Old' }], { attributes }));
	expect(jsonOf(items)[0].action).toBe('unchanged');
	expect(held()).toEqual({ [ADA]: OLD });
});

describe('answers to changes in other forms', () => {
	test.each<[string, FaultAction]>([
		['204', { kind: 'status', status: 204, accept: true }],
		['200 without a body', { kind: 'status', status: 200, accept: true }],
		['200 with code 0', { kind: 'json', status: 200, body: { code: 0 }, accept: true }],
		['201', { kind: 'json', status: 201, body: { contactId: '5' }, accept: true }],
		['a web page', { kind: 'html200', accept: true }],
	])('%s: the contact is in the list once, and the next run is quiet', async (_, action) => {
		for (const duplicates of ['refuse', 'accept'] as const) {
			for (const method of ['DELETE', 'POST']) {
				sim.faults.clear();
				sim.service.settings.duplicates = duplicates;
				list().contacts.replace([]);
				list().addContact(ADA, OLD);
				sim.faults.add({ method, times: Infinity, do: action });
				const options = syncOf([{ to: ADA, name: 'New' }]);
				const { error } = await runNode(options);
				expect(error).toBeUndefined();
				expect(held()).toEqual({ [ADA]: { ...OLD, nom: 'New' } });
				expect(list().contacts).toHaveLength(1);
				const { items } = await runNode(options);
				expect(jsonOf(items)[0].action).toBe('unchanged');
			}
		}
	});

	test('a refusal in a 200 takes nobody off the list', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({
			match: ({ method, bodyText }) => method === 'POST' && bodyText.includes('New'),
			times: Infinity,
			do: { kind: 'json', status: 200, body: { code: 11, error: 'no' } },
		});
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error?.description).toContain('The contact keeps its previous values.');
		expect(held()).toEqual({ [ADA]: OLD });
	});
});

describe('two runs at once', () => {
	test.each(['refuse', 'accept'] as const)('of the same items (%s)', async (duplicates) => {
		sim.service.settings.duplicates = duplicates;
		for (const number of [ADA, BOB, DAVE]) list().addContact(number, OLD);
		const options = syncOf(
			[ADA, BOB, CAROL].map((to) => ({ to, name: 'New' })),
			{ removeMissing: true, maxRemovals: 100 },
		);
		await Promise.all([runNode(options), runNode(options)]);
		await runNode(options);
		sim.requests.length = 0;
		const { items, error } = await runNode(options);
		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ action }) => action)).toEqual(Array(3).fill('unchanged'));
		expect(Object.keys(held()).sort()).toEqual([ADA, BOB, CAROL]);
		expect(list().contacts).toHaveLength(3);
		expect(changes()).toEqual([]);
	});

	test('that get the contacts in other orders keep one of two entries', async () => {
		sim.service.settings.duplicates = 'accept';
		list().addContact(ADA, { nom: 'New' });
		list().addContact(ADA, { nom: 'New' });
		const both = structuredClone(list().contacts.items());
		const contacts = { path: /contacts$/, method: 'GET', times: 1 };
		sim.faults.add({ ...contacts, do: { kind: 'json', body: both } });
		sim.faults.add({ ...contacts, do: { kind: 'json', body: [...both].reverse() } });
		sim.faults.add({ ...contacts, skip: 2, do: { kind: 'delay', ms: 0 } });
		const options = syncOf([{ to: ADA, name: 'New' }]);
		await Promise.all([runNode(options), runNode(options)]);
		expect(list().contacts).toHaveLength(1);
	});
});

test.each([
	['the first deletion', isDelete],
	['the first addition', isPost],
])('a list that is deleted before %s: the run ends, after one contact', async (_, moment) => {
	for (const number of [ADA, BOB, CAROL]) list().addContact(number, OLD);
	before(moment, () => void sim.service.lists.delete(list().id));
	const { error } = await runNode(
		syncOf(
			[ADA, BOB, CAROL].map((to) => ({ to, name: 'New' })),
			{ options: { concurrency: 1 } },
		),
	);
	expect(error?.message).toBe(`${ADA}: The list was not found`);
	expect(changes().length).toBeLessThan(4);
});

describe('Max Removals (%)', () => {
	const people = Array.from(
		{ length: 200 },
		(_, at) => `+33639981${String(at).padStart(3, '0')}`,
	);

	test.each([
		[0, 0, true],
		[0, 1, false],
		[0.5, 1, true],
		[0.5, 2, false],
		[0.49, 1, false],
		[100, 200, true],
		[99.9, 200, false],
	])('%d %% of 200 allows %i: %s', async (maxRemovals, gone, isAllowed) => {
		for (const to of people) list().addContact(to);
		const items = people.slice(gone).map((to): IDataObject => ({ to }));
		if (items.length === 0) items.push({ to: ADA });
		const options = syncOf(items, { removeMissing: true, maxRemovals });
		for (const planOnly of [true, false]) {
			sim.requests.length = 0;
			const { error } = await runNode({
				...options,
				parameters: { ...options.parameters, planOnly },
			});
			expect(error === undefined).toBe(isAllowed || planOnly);
			if (planOnly) expect(changes()).toEqual([]);
			else if (isAllowed) expect(list().contacts).toHaveLength(items.length);
			else expect(list().contacts).toHaveLength(200);
		}
	});
});

/** SMS Contact: Sync makes a list equal to the input items. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import { bulkNumber } from '../../simulator/service.mts';
import { asksTheEngine, invokes, invokeTool, type Call } from '../delivery/agent.mts';
import { retryExecution, runNode, succeeded } from '../harness.mts';
import { ADA, BOB, CAROL, DAVE, REFUSED, adds, useContacts } from './contacts.mts';
import { bodiesOf, jsonOf, linesOf, listOf } from './support.mts';

const {
	sim,
	list,
	held,
	changes,
	runOf: syncOf,
} = await useContacts('sync', {
	nom: '={{ $json.name }}',
	points: '={{ $json.points }}',
});
const reads = () => [`GET /v2/lists/${list().id}`, `GET /v2/lists/${list().id}/contacts`];
const actions = (items: Array<{ json: IDataObject }>) => items.map(({ json }) => json.action);

test('adds, replaces and removes, and leaves alone what is right', async () => {
	const [ada] = [list().addContact(ADA, { nom: 'Ada', points: '1' })];
	const bob = list().addContact(BOB, { nom: 'Bob', points: '2', ville: 'Lyon' });
	const dave = list().addContact(DAVE, { nom: 'Dave' });
	const { items, error, hints } = await runNode(
		syncOf(
			[
				{ to: CAROL, name: 'Carol', points: 3 },
				{ to: BOB, name: 'Robert', points: 2 },
				{ to: ADA, name: 'Ada', points: 1 },
			],
			{ removeMissing: true, maxRemovals: 50 },
		),
	);
	expect(error).toBeUndefined();
	expect(held()).toEqual({
		[ADA]: { nom: 'Ada', points: '1' },
		[BOB]: { nom: 'Robert', points: '2', ville: 'Lyon' },
		[CAROL]: { nom: 'Carol', points: '3' },
	});
	const idOf = (number: string) =>
		list()
			.contacts.items()
			.find(({ identifier }) => identifier === number)!.id;
	const about = (number: string) => ({ number, listId: list().id });
	expect(items).toEqual([
		{
			json: {
				...{ action: 'added', id: idOf(CAROL), ...about(CAROL) },
				attributes: { Nom: 'Carol', Points: '3' },
			},
			pairedItem: { item: 0 },
		},
		{
			json: {
				...{ action: 'updated', id: idOf(BOB), ...about(BOB) },
				attributes: { Nom: 'Robert', Points: '2', Ville: 'Lyon' },
				previous: { Nom: 'Bob' },
			},
			pairedItem: { item: 1 },
		},
		{
			json: {
				...{ action: 'unchanged', id: ada.id, ...about(ADA) },
				attributes: { Nom: 'Ada', Points: '1' },
			},
			pairedItem: { item: 2 },
		},
		{
			json: {
				...{ action: 'removed', id: dave.id, ...about(DAVE) },
				attributes: { Nom: 'Dave' },
			},
			// No item is meant: n8n says so where an expression asks for one.
			pairedItem: [{ item: 0 }, { item: 2 }],
		},
	]);
	expect(hints).toEqual([
		expect.objectContaining({ message: '1 added, 1 updated, 1 removed, 1 unchanged.' }),
	]);
	const lines = linesOf(sim);
	expect(lines.slice(0, 2)).toEqual(reads());
	expect(lines.slice(2, -1).sort()).toEqual(
		[
			`POST /v2/lists/${list().id}/contacts`,
			`DELETE /v2/lists/${list().id}/contacts/${bob.id}`,
			`POST /v2/lists/${list().id}/contacts`,
		].sort(),
	);
	// Removals come last.
	expect(lines.at(-1)).toBe(`DELETE /v2/lists/${list().id}/contacts/${dave.id}`);
});

describe('columns', () => {
	beforeEach(() => void list().addContact(ADA, { nom: 'Ada', points: '5', ville: 'Lyon' }));

	test.each([
		['nothing is mapped', {}],
		['the fields are left empty', { nom: '', points: null, ville: null }],
		['the item has no such fields', { nom: '={{ $json.missing }}', points: '={{ $json.no }}' }],
	])('keep what they have where %s', async (_, value) => {
		const { items } = await runNode(syncOf([{ to: ADA }], { value }));
		expect(actions(items)).toEqual(['unchanged']);
		expect(changes()).toEqual([]);
	});
});

describe('Dry Run', () => {
	test('changes nothing, and says what would happen', async () => {
		list().addContact(BOB, { nom: 'Bob' });
		list().addContact(CAROL, { nom: 'Carol' });
		list().addContact(DAVE);
		const { items, hints } = await runNode(
			syncOf(
				[
					{ to: ADA, name: 'Ada' },
					{ to: BOB, name: 'Robert' },
					{ to: CAROL, name: 'Carol' },
				],
				{ planOnly: true, removeMissing: true, maxRemovals: 40 },
			),
		);
		expect(linesOf(sim)).toEqual(reads());
		expect(
			jsonOf(items).map(({ wouldBe, number, previous }) => [wouldBe, number, previous]),
		).toEqual([
			['added', ADA, undefined],
			['updated', BOB, { Nom: 'Bob' }],
			['unchanged', CAROL, undefined],
			['removed', DAVE, undefined],
		]);
		expect(items.every(({ json }) => !('action' in json))).toBe(true);
		expect(JSON.stringify(hints)).toContain(
			'Dry run: nothing was changed. Would be: 1 added, 1 updated, 1 removed, 1 unchanged.',
		);
	});

	test('says when a run would be refused', async () => {
		list().addContact(DAVE);
		const { items, error, hints } = await runNode(
			syncOf([{ to: ADA }], { planOnly: true, removeMissing: true }),
		);
		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ wouldBe }) => wouldBe)).toEqual(['added', 'removed']);
		expect(hints).toMatchObject([{ type: 'warning' }]);
		expect(JSON.stringify(hints)).toContain(
			"1 of 1 contact would be removed, more than 'Max Removals",
		);
	});
});

describe('Max Removals (%)', () => {
	const everybody = (count: number) =>
		Array.from({ length: count }, (_, at) => ({ to: bulkNumber(at) }));
	beforeEach(() => {
		for (const { to } of everybody(100)) list().addContact(to);
	});

	test.each([
		[undefined, 90, 1, 10],
		[undefined, 89, 1, undefined],
		[0, 100, 1, 0],
		[0, 99, 1, undefined],
		[0.5, 99, 1, undefined],
		[100, 1, 1, 99],
		// It is a percentage of the list, whatever is added.
		[10, 82, 82, undefined],
		[30, 60, 40, undefined],
		[10, 89, 500, undefined],
	])('%s percent, %i of 100 stay, %i are new', async (maxRemovals, stay, add, removed) => {
		const people = everybody(100 + add);
		const { error, items } = await runNode(
			syncOf([...people.slice(0, stay), ...people.slice(100)], {
				removeMissing: true,
				...(maxRemovals === undefined ? {} : { maxRemovals }),
			}),
		);
		if (removed === undefined) {
			expect(error?.message).toBe(
				`${100 - stay} of 100 contacts would be removed, more than 'Max Removals (%)' allows (${maxRemovals ?? 10} %)`,
			);
			expect(error?.description).toContain('The list is left as it is.');
			expect(linesOf(sim)).toEqual(reads());
		} else {
			expect(error).toBeUndefined();
			expect(actions(items).filter((action) => action === 'removed')).toHaveLength(removed);
			expect(list().contacts.length).toBe(100 - removed + add);
		}
	});

	test.each([-1, 101, '={{ "ten" }}', '={{ null }}'])('refuses %j', async (maxRemovals) => {
		const { error } = await runNode(
			syncOf([{ to: ADA }], { removeMissing: true, maxRemovals }),
		);
		expect(error?.message).toMatch(/^'Max Removals \(%\)' is /);
		expect(sim.requests).toEqual([]);
	});
});

describe('two items with the same number', () => {
	test.each([{ name: 'Ada B.', points: 5 }, { name: 'Ada', points: '' }, { name: 'Ada' }])(
		'are refused where one has %j',
		async (other) => {
			const { error } = await runNode(
				syncOf([
					{ to: BOB, name: 'Bob', points: 1 },
					{ to: ADA, name: 'Ada', points: 5 },
					{ to: '0639980001', ...other },
				]),
			);
			expect(error?.message).toBe(
				`'Phone Number' ${ADA} is in several items, with different values: Row 2 (item 1), Row 3 (item 2)`,
			);
			expect(changes()).toEqual([]);
		},
	);

	test('are all left out when the user continues on fail, and nobody is removed', async () => {
		list().addContact(DAVE);
		const { items, errorItems, hints } = await runNode(
			syncOf(
				[
					{ to: BOB, name: 'Bob' },
					{ to: ADA, name: 'Ada' },
					{ to: ADA, name: 'Ada' },
					{ to: ADA, name: 'Adele' },
				],
				{ removeMissing: true, maxRemovals: 100 },
				{ settings: { onError: 'continueErrorOutput' } },
			),
		);
		expect(actions(items)).toEqual(['added']);
		expect(errorItems.map(({ json, pairedItem }) => [json.status, pairedItem])).toEqual([
			['invalid', { item: 1 }],
			['invalid', { item: 2 }],
			['invalid', { item: 3 }],
		]);
		expect(Object.keys(held())).toEqual([DAVE, BOB]);
		expect(JSON.stringify(hints)).toContain("Nobody is removed, because 3 items can't be used");
	});
});

describe('a row without a number', () => {
	test.each([undefined, null, '', '  '])('%j: the error names the way out', async (to) => {
		const { error } = await runNode(syncOf([{ to: ADA }, { to }]));
		expect(error?.message).toContain("'Phone Number' is empty");
		expect(error?.description).toContain('put a Filter node before this one');
		expect(changes()).toEqual([]);
	});

	test('a wrong number is to be corrected', async () => {
		const { error } = await runNode(syncOf([{ to: '06 39' }]));
		expect(error?.description).not.toContain('Filter');
	});
});

test('a birthday at midnight UTC is that day, and stays it when the time zone changes', async () => {
	const birthdays = ['1990-12-24T00:00:00.000Z', '1990-12-24T00:00:00Z', '24.12.1990'];
	const rows = [ADA, BOB, CAROL].map((to, index) => ({ to, birthday: birthdays[index] }));
	const value = { anniversaire: '={{ $json.birthday }}' };
	const sync = async (timeZone: string) => {
		const { items } = await runNode(syncOf(rows, { value }, { timeZone }));
		expect(Object.values(held())).toEqual(rows.map(() => ({ anniversaire: '24/12' })));
		return actions(items);
	};
	expect(await sync('America/New_York')).toEqual(['added', 'added', 'added']);
	for (const timeZone of ['Europe/Paris', 'Asia/Tokyo', 'America/Los_Angeles']) {
		expect(await sync(timeZone)).toEqual(['unchanged', 'unchanged', 'unchanged']);
	}
});

test('is about one list', async () => {
	const { error } = await runNode(
		syncOf(
			[
				{ to: ADA, list: list().id },
				{ to: BOB, list: sim.service.createList('Other').id },
			],
			{
				list: listOf('={{ $json.list }}', 'id'),
			},
		),
	);
	expect(error?.message).toBe(`${BOB}: 'List' differs from the list of the items before`);
	expect(changes()).toEqual([]);
});

test('deletes by number where the service gives no IDs that can be read', async () => {
	sim.service.settings.ids = 'longNumber';
	sim.service.settings.deletePath = 'contact';
	list().addContact(DAVE);
	list().addContact(ADA);
	const { items, error } = await runNode(
		syncOf([{ to: ADA }], { removeMissing: true, maxRemovals: 50 }),
	);
	expect(error).toBeUndefined();
	expect(actions(items)).toEqual(['unchanged', 'removed']);
	expect(Object.keys(held())).toEqual([ADA]);
});

describe('when something goes wrong', () => {
	test('the failed item is named, the others go on, and a retry finishes', async () => {
		list().addContact(DAVE);
		sim.faults.add({ ...adds(BOB), do: REFUSED });
		const options = syncOf([{ to: ADA }, { to: BOB }, { to: CAROL }], {
			removeMissing: true,
			maxRemovals: 100,
			options: { concurrency: 1 },
		});
		const failed = await runNode(options);
		expect(failed.error?.message).toBe(`2 of 4 synced, 1 refused (${BOB}), 1 not synced`);
		expect(failed.error?.description).toContain(`${BOB}: The phone number is not valid.`);
		expect(failed.error?.context.itemIndex).toBe(1);
		// A run with that item only would remove everybody else.
		expect(failed.error?.description).toContain('with all items');
		expect(failed.error?.description).not.toMatch(/items? only/);
		// Nobody is removed where another item failed.
		expect(Object.keys(held())).toEqual([DAVE, ADA, CAROL]);
		const retried = await retryExecution(failed, options);
		expect(actions(retried.items)).toEqual(['unchanged', 'added', 'unchanged', 'removed']);
		expect(Object.keys(held())).toEqual([ADA, CAROL, BOB]);
	});

	test.each([
		['the service refuses', BOB],
		['that can not be read', '06 39'],
	])('with On Error: Continue, an item %s: all items are run again', async (_, to) => {
		sim.faults.add({ ...adds(BOB), do: REFUSED });
		const settings = { onError: 'continueRegularOutput' } as const;
		const options = syncOf([{ to: ADA }, { to }], { removeMissing: true, maxRemovals: 100 });
		const { hints } = await runNode({ ...options, settings });
		expect(hints?.[0].message).toContain(
			'Run the workflow again when this is solved, with all',
		);
		expect(hints?.[0].message).not.toMatch(/items? only/);
		expect(Object.keys(held())).toContain(ADA);
	});

	test.each(['sync', 'upsert'])(
		'%s: a contact with a value that can not be added again stays, unless an item has another',
		async (operation) => {
			const attributes = { nom: 'Old', points: 'many' };
			sim.service.addContacts(list().id, 1, () => ({ identifier: ADA, attributes }));
			const { error } = await runNode(syncOf([{ to: ADA, name: 'Ada' }], { operation }));
			expect(error?.message).toBe(
				"Column 'Points' is \"many\", not a number, such as 1234 or 12.5. A contact can't be added with it",
			);
			expect(error?.description).toContain("Give column 'Points' another value");
			expect(changes()).toEqual([]);
			await runNode(syncOf([{ to: ADA, name: 'Ada', points: 5 }], { operation }));
			expect(held()).toEqual({ [ADA]: { nom: 'Ada', points: '5' } });
		},
	);

	test('a contact that is being deleted when the run stops is added again', async () => {
		const [ada, bob] = [ADA, BOB].map((to) => list().addContact(to, { nom: 'Old' }));
		const about =
			(id: string) =>
			({ target }: RecordedRequest) =>
				target.endsWith(`/${id}`);
		sim.faults.add({ method: 'DELETE', match: about(ada.id), do: { kind: 'delay', ms: 300 } });
		const noKey: FaultAction = { kind: 'json', status: 401, body: { code: 72 } };
		sim.faults.add({ method: 'DELETE', match: about(bob.id), do: noKey });
		const items = [ADA, BOB].map((to) => ({ to, name: 'New' }));
		const { error } = await runNode(syncOf(items, { options: { concurrency: 2 } }));
		expect(error?.message).toBe(`1 of 2 synced, 1 refused (${BOB})`);
		expect(held()).toEqual({ [ADA]: { nom: 'New' }, [BOB]: { nom: 'Old' } });
	});

	test('of a contact that is there twice, both are replaced when the run stops meanwhile', async () => {
		const entries: Array<Record<string, string>> = [{ nom: 'Old' }, { ville: 'Lyon' }];
		for (const attributes of entries)
			sim.service.addContacts(list().id, 1, () => ({ identifier: ADA, attributes }));
		const bob = list().addContact(BOB, { nom: 'Old' });
		const isBob = ({ target }: RecordedRequest) => target.endsWith(`/${bob.id}`);
		const noKey: FaultAction = { kind: 'json', status: 401, body: { code: 72 } };
		sim.faults.add({ method: 'DELETE', match: isBob, do: noKey });
		sim.faults.add({ method: 'DELETE', times: 1, do: { kind: 'delay', ms: 300 } });
		const items = [ADA, BOB].map((to) => ({ to, name: 'New' }));
		const { error } = await runNode(syncOf(items, { options: { concurrency: 2 } }));
		expect(error?.message).toBe(`1 of 2 synced, 1 refused (${BOB})`);
		const ada = list()
			.contacts.items()
			.filter(({ identifier }) => identifier === ADA);
		expect(ada.map(({ attributes }) => attributes)).toEqual([{ nom: 'New', ville: 'Lyon' }]);
	});

	test('no further contact is deleted where one can not be added again', async () => {
		list().addContact(ADA, { nom: 'Ada' });
		list().addContact(BOB, { nom: 'Bob' });
		sim.faults.add({ method: 'POST', times: Infinity, do: REFUSED });
		const items = [ADA, BOB].map((to) => ({ to, name: 'New' }));
		const { error } = await runNode(syncOf(items, { options: { concurrency: 1 } }));
		expect(error?.description).toContain('It had these values: Nom: Ada.');
		expect(held()).toEqual({ [BOB]: { nom: 'Bob' } });
	});

	test('nobody is removed whose number, without its +, may be that of an item', async () => {
		// 06 87 75 12 34, or +687 75 12 34 of New Caledonia.
		sim.service.addContacts(list().id, 1, () => ({ identifier: '687751234', attributes: {} }));
		const how = { removeMissing: true, maxRemovals: 100 };
		await runNode(syncOf([{ to: '+687751234' }], how));
		expect(Object.keys(held())).toContain('687751234');
		const { items } = await runNode(syncOf([{ to: ADA }], how));
		expect(actions(items)).toContain('removed');
	});

	test('a removal that is refused is told, and who is added stays', async () => {
		list().addContact(CAROL);
		list().addContact(DAVE);
		sim.faults.add({ method: 'DELETE', do: REFUSED });
		const options = syncOf([{ to: ADA }, { to: BOB }], {
			...{ removeMissing: true, maxRemovals: 100, options: { concurrency: 1 } },
		});
		const { error } = await runNode(options);
		expect(error?.message).toBe(`3 of 4 synced, 1 refused (${CAROL})`);
		// It belongs to no item.
		expect(error?.description).toContain(`\n${CAROL} was not removed: The phone number`);
		expect(error?.context.itemIndex).toBeUndefined();
		expect(Object.keys(held())).toEqual([CAROL, ADA, BOB]);
	});

	test.each([
		['that is no list of contacts', {}, 'The service gave an unexpected answer'],
		[
			'with a contact that could be anyone',
			[{ id: '1', identifier: ADA }, { id: '2' }],
			"1 contact of the list can't be read",
		],
	])('nothing is changed after an answer %s', async (_, body, message) => {
		sim.faults.add({ path: /contacts$/, do: { kind: 'json', body } });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'Ada' }]));
		expect(error?.message).toBe(message);
		expect(changes()).toEqual([]);
	});
});

describe('when somebody else changes the list meanwhile', () => {
	/** Does it before the first request that changes something is carried out. */
	function once(change: () => void): void {
		let isDone = false;
		const match = ({ method }: RecordedRequest) => {
			if (method !== 'GET' && !isDone) {
				isDone = true;
				change();
			}
			return false;
		};
		sim.faults.add({ match, do: REFUSED });
	}

	test('who was added by them is refused by the service, and the next run puts it right', async () => {
		once(() => void list().addContact(ADA, { nom: 'Adele', ville: 'Lyon' }));
		const options = syncOf([{ to: ADA, name: 'Ada' }]);
		const { error } = await runNode(options);
		expect(error?.message).toBe('The number already exists');
		const { items } = await runNode(options);
		expect(actions(items)).toEqual(['updated']);
		expect(held()).toEqual({ [ADA]: { nom: 'Ada', ville: 'Lyon' } });
	});

	test('who was removed by them is replaced and removed all the same', async () => {
		list().addContact(ADA, { nom: 'Old' });
		list().addContact(DAVE);
		once(() => list().contacts.replace([]));
		const { items, error } = await runNode(
			syncOf([{ to: ADA, name: 'Ada' }], { removeMissing: true, maxRemovals: 100 }),
		);
		expect(error).toBeUndefined();
		expect(actions(items)).toEqual(['updated', 'removed']);
		expect(held()).toEqual({ [ADA]: { nom: 'Ada' } });
	});

	test('whom they have added anew is not removed', async () => {
		list().addContact(DAVE, { nom: 'Old' });
		once(() => {
			list().contacts.replace([]);
			list().addContact(DAVE, { nom: 'New' });
		});
		await runNode(syncOf([{ to: ADA }], { removeMissing: true, maxRemovals: 100 }));
		expect(held()).toEqual({ [DAVE]: { nom: 'New' }, [ADA]: {} });
	});
});

test.each(['refuse', 'accept'] as const)(
	'two runs at once do no harm, and the next one puts right what they left (%s)',
	async (duplicates) => {
		sim.service.settings.duplicates = duplicates;
		list().addContact(BOB, { nom: 'Bob', ville: 'Lyon' });
		list().addContact(DAVE);
		const options = syncOf(
			[
				{ to: ADA, name: 'Ada' },
				{ to: BOB, name: 'Robert' },
				{ to: CAROL, name: 'Carol' },
			],
			{ removeMissing: true, maxRemovals: 100 },
		);
		await Promise.all([runNode(options), runNode(options)]);
		expect(Object.keys(held()).sort()).toEqual([ADA, BOB, CAROL]);
		const right = {
			[ADA]: { nom: 'Ada' },
			[BOB]: { nom: 'Robert', ville: 'Lyon' },
			[CAROL]: { nom: 'Carol' },
		};
		succeeded(await runNode(options));
		expect(held()).toEqual(right);
		expect(list().contacts.length).toBe(3);
	},
);

test.each([
	['invokes', invokes],
	['asks the engine', asksTheEngine],
])('an agent, who has one person at a time, does not remove the others (%s)', async (_, agent) => {
	list().addContact(ADA, { nom: 'Old', ville: 'Lyon' });
	list().addContact(BOB, { nom: 'Bob' });
	const { parameters, credential } = syncOf([], {
		number: "={{ $fromAI('number', 'To', 'string') }}",
		value: { nom: "={{ $fromAI('name', 'Name', 'string') }}", ville: '' },
	});
	const ask = async (more: INodeParameters) => {
		const call: Call = { input: { number: '06 39 98 00 01', name: 'Ada' } };
		const { resultData } = await invokeTool({
			node: 'SmsContact',
			parameters: { ...parameters, ...more },
			credential,
			agent,
			calls: [call],
		});
		return [call.answer, call.error?.message, resultData.error?.message].join();
	};
	expect(await ask({})).toContain('"action":"updated"');
	expect(held()).toEqual({ [ADA]: { nom: 'Ada', ville: 'Lyon' }, [BOB]: { nom: 'Bob' } });
	expect(await ask({ removeMissing: true, maxRemovals: 100 })).toContain(
		"'Remove Missing' can't be used in a tool of an agent",
	);
	expect(Object.keys(held()).sort()).toEqual([ADA, BOB]);
});

test('10,000 contacts, 100 changes: requests in proportion to the changes', async () => {
	const COUNT = 10_000;
	const person = (at: number) => ({ to: bulkNumber(at), name: `Dupont ${at}`, points: at });
	sim.service.addContacts(list().id, COUNT, (at) => ({
		identifier: bulkNumber(at),
		attributes: { nom: `Dupont ${at}`, points: String(at) },
	}));
	const people = Array.from({ length: COUNT }, (_, at) => person(at));
	for (let at = 0; at < 34; at++) people[at * 7].name = 'Durand';
	people.splice(5_000, 33); // gone
	for (let at = 0; at < 33; at++) people.push(person(COUNT + at));
	const options = syncOf(people, { removeMissing: true });
	const { items, hints } = succeeded(await runNode(options));
	expect(items).toHaveLength(COUNT + 33);
	expect(JSON.stringify(hints)).toContain('33 added, 34 updated, 33 removed, 9933 unchanged.');
	expect(sim.requestCount).toBe(2 + 33 + 2 * 34 + 33);
	expect(sim.maxInFlight).toBeLessThanOrEqual(10);
	sim.requests.length = 0;
	const again = await runNode(options);
	expect(new Set(actions(again.items))).toEqual(new Set(['unchanged']));
	expect(linesOf(sim)).toEqual(reads());
	expect(bodiesOf(sim)).toEqual([undefined, undefined]);
});

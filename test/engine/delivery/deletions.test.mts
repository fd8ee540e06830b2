/** What was deleted or emptied once is not deleted again (design, guarantee 5). */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { retryExecution, runNode } from '../harness.mts';
import { listOf } from '../resources/support.mts';
import { of, sim } from './sending.mts';

describe('a deletion whose answer is lost, or that is repeated', () => {
	interface Deletion {
		node: string;
		parameters: IDataObject & { operation: string };
		items: IDataObject[];
		/** What is still there. */
		left: () => unknown[];
		/** Puts the first one back. */
		refill: () => void;
	}
	const NUMBERS = ['+33639980001', '+33639980002', '+33639980003'];

	const DELETIONS: Record<string, () => Deletion> = {
		'SMS Blacklist remove': () => {
			for (const number of NUMBERS) sim.service.addToBlacklist('unsubscribers', number);
			return {
				node: 'SmsBlacklist',
				parameters: {
					operation: 'remove',
					blacklist: 'unsubscribers',
					number: '={{ $json.to }}',
				},
				items: NUMBERS.map((to) => ({ to })),
				left: () =>
					NUMBERS.filter((one) => sim.service.blacklist('unsubscribers').has(one)),
				refill: () => void sim.service.addToBlacklist('unsubscribers', NUMBERS[0]),
			};
		},
		'SMS List delete': () => {
			const lists = NUMBERS.map((name) => sim.service.createList(name));
			return {
				node: 'SmsList',
				parameters: { operation: 'delete', list: listOf('={{ $json.id }}', 'id') },
				items: lists.map(({ id }) => ({ id })),
				left: () => [...sim.service.lists.keys()],
				refill: () => void sim.service.lists.set(lists[0].id, lists[0]),
			};
		},
		'SMS List deleteColumn': () => {
			const list = sim.service.createList('Clients', [
				{ name: 'a' },
				{ name: 'b' },
				{ name: 'c' },
			]);
			return {
				node: 'SmsList',
				parameters: {
					operation: 'deleteColumn',
					list: listOf(list.id, 'id'),
					column: '={{ $json.column }}',
				},
				items: ['a', 'b', 'c'].map((column) => ({ column })),
				left: () => list.fields,
				refill: () => void list.addField('a', 'STRING'),
			};
		},
		'SMS Contact delete by number': () => {
			const list = sim.service.createList('Clients');
			const add = (identifier: string) =>
				sim.service.addContacts(list.id, 1, () => ({ identifier }));
			NUMBERS.forEach(add);
			return {
				node: 'SmsContact',
				parameters: {
					operation: 'delete',
					list: listOf(list.id, 'id'),
					number: '={{ $json.to }}',
				},
				items: NUMBERS.map((to) => ({ to })),
				left: () => [...list.contacts.items()],
				refill: () => add(NUMBERS[0]),
			};
		},
		'SMS Contact delete by ID': () => {
			const list = sim.service.createList('Clients');
			NUMBERS.forEach((identifier) =>
				sim.service.addContacts(list.id, 1, () => ({ identifier })),
			);
			const contacts = [...list.contacts.items()];
			return {
				node: 'SmsContact',
				parameters: {
					operation: 'delete',
					deleteBy: 'id',
					list: listOf(list.id, 'id'),
					contactId: '={{ $json.id }}',
				},
				items: contacts.map(({ id }) => ({ id })),
				left: () => [...list.contacts.items()],
				refill: () => list.contacts.add(contacts[0]),
			};
		},
	};
	const NAMES = Object.keys(DELETIONS);
	const runOf = ({ node, parameters, items }: Deletion) => of(node, parameters, items);
	const DONE = Array(3).fill({ deleted: true });

	test.each(NAMES)('%s: carried out, and the answer lost', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({ method: 'DELETE', do: { kind: 'resetAfterAccept' } });
		const { error, items } = await runNode(runOf(deletion));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(DONE);
		expect(deletion.left()).toEqual([]);
	});

	test.each(NAMES)('%s: all tries lost, then a retry of the execution', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({
			method: 'DELETE',
			times: 4,
			do: { kind: 'status', status: 502, accept: true },
		});
		const failed = await runNode(runOf(deletion));
		sim.faults.clear();
		const { error, items } = failed.error
			? await retryExecution(failed, runOf(deletion))
			: failed;
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(DONE);
		expect(deletion.left()).toEqual([]);
	});

	/** Lists are deleted ten at a time: there, the second item stops nothing. */
	const ONE_BY_ONE = NAMES.filter((name) => !name.startsWith('SMS List'));
	test.each(ONE_BY_ONE)('%s: stopped at the second item, a retry finishes it', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({
			method: 'DELETE',
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } },
		});
		const failed = await runNode(runOf(deletion));
		expect(failed.error).toBeDefined();
		expect(deletion.left()).toHaveLength(2);
		const { error, items } = await retryExecution(failed, runOf(deletion));
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(DONE);
		expect(deletion.left()).toEqual([]);
	});

	test.each(NAMES)('%s: what was deleted once is not deleted again by a retry', async (name) => {
		const deletion = DELETIONS[name]();
		sim.faults.add({
			method: 'DELETE',
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } },
		});
		const failed = await runNode(runOf(deletion));
		deletion.refill();
		const { error } = await retryExecution(failed, runOf(deletion));
		expect(error).toBeUndefined();
		expect(deletion.left()).toHaveLength(1);
	});

	test.each(NAMES)('%s: what is not there is not called deleted', async (name) => {
		const deletion = DELETIONS[name]();
		await runNode(runOf(deletion));
		const { items, error } = await runNode(runOf(deletion));
		if (name === 'SMS List deleteColumn') {
			// Columns are looked up by name first: a wrong one is told with those that there are.
			expect(error?.message).toContain('The list has no column');
			return;
		}
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.deleted)).toEqual(items.map(() => false));
		expect(items.length).toBeGreaterThan(0);
	});

	test('SMS List empty: what was refilled is not emptied again by a retry', async () => {
		const lists = [1, 2, 3].map((index) => sim.service.createList(`List ${index}`));
		for (const { id } of lists) sim.service.addContacts(id, 2);
		const options = of(
			'SmsList',
			{ operation: 'empty', list: listOf('={{ $json.id }}', 'id') },
			lists.map(({ id }) => ({ id })),
		);
		sim.faults.add({
			path: /empty$/,
			skip: 1,
			do: { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } },
		});
		const failed = await runNode(options);
		expect(lists.map(({ contacts }) => contacts.length)).toEqual([0, 2, 0]);
		sim.service.addContacts(lists[0].id, 5);
		const { error } = await retryExecution(failed, options);
		expect(error).toBeUndefined();
		expect(lists.map(({ contacts }) => contacts.length)).toEqual([5, 0, 0]);
	});
});

/** Changes other than messages are made once, over lost answers and retries (design, guarantees 4 and 5). */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions } from '../harness.mts';
import { listOf } from '../resources/support.mts';
import { of, sim } from './sending.mts';
import { unknownIn } from './support.mts';

const NUMBERS = ['+33639980001', '+33639980002', '+33639980003'];
const people = NUMBERS.map((to) => ({ to }));
const BUSY: FaultAction = { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } };

const newLists = () =>
	NUMBERS.map((identifier) => {
		const list = sim.service.createList(identifier);
		sim.service.addContacts(list.id, 2, () => ({ identifier }));
		return list;
	});
const changes = () => sim.requests.filter(({ method }) => method !== 'GET').length;

function spoil(action: FaultAction, { skip = 0, times = 1 } = {}): void {
	sim.faults.add({ match: ({ method }) => method !== 'GET', skip, times, do: action });
}

/** The node, its parameters and items, of which there are three. */
type Changes = [node: string, parameters: IDataObject & { operation: string }, IDataObject[]];

describe('additions', () => {
	const ADDITIONS: Record<string, () => Changes> = {
		'SMS Blacklist add': () => [
			'SmsBlacklist',
			{ operation: 'add', number: '={{ $json.to }}' },
			people,
		],
		'SMS List create': () => [
			'SmsList',
			{ operation: 'create', name: '=List {{ $json.to }}' },
			people,
		],
		'SMS List addColumn': () => [
			'SmsList',
			{
				operation: 'addColumn',
				list: listOf('={{ $json.id }}', 'id'),
				columnName: 'City',
				columnType: 'STRING',
			},
			newLists().map(({ id }) => ({ id })),
		],
		'SMS Contact add': () => [
			'SmsContact',
			{ operation: 'add', list: listOf(newLists()[0].id, 'id'), number: '={{ $json.to }}' },
			['4', '5', '6'].map((last) => ({ to: `+3363998000${last}` })),
		],
		'SMS Campaign create': () => [
			'SmsCampaign',
			{
				operation: 'create',
				name: '={{ $json.to }}',
				message: 'Bonjour',
				list: listOf(newLists()[0].id, 'id'),
			},
			people,
		],
		'SMS Campaign send': () => [
			'SmsCampaign',
			{ operation: 'send', campaign: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
			newLists().map(({ id: listId }) => {
				const id = sim.service.createId();
				const campaign = { kind: 'marketing', name: 'C', message: 'Bonjour', listId };
				const state = { state: 'CREATED', creditsUsed: 0 };
				sim.service.campaigns.set(id, { id, ...campaign, ...state } as never);
				return { id };
			}),
		],
	};
	const prepare = (name: string) => {
		sim.service.settings.duplicates = 'accept';
		return of(...ADDITIONS[name]());
	};

	test.each(Object.keys(ADDITIONS))(
		'%s: a lost answer: the retry finds what can be looked up, and repeats nothing',
		async (name) => {
			const options = prepare(name);
			spoil({ kind: 'resetAfterAccept' }, { skip: 1 });
			const failed = await runNode(options);
			expect(unknownIn(failed)).toHaveLength(1);
			const retried = await retryExecution(failed, options);
			expect(unknownIn(retried)).toHaveLength(0);
			expect(retried.error).toBeUndefined();
			expect(changes()).toBe(3);
		},
	);

	test.each(Object.keys(ADDITIONS))(
		'%s: a request that got lost: the retry finds nothing, and makes it again',
		async (name) => {
			const options = prepare(name);
			spoil({ kind: 'resetBeforeRead' }, { skip: 1 });
			const failed = await runNode(options);
			expect(unknownIn(failed)).toHaveLength(1);
			const retried = await retryExecution(failed, options);
			expect(retried.error).toBeUndefined();
			expect(retried.items).toHaveLength(3);
			expect(changes()).toBe(4);
		},
	);

	test.each(Object.keys(ADDITIONS))('%s: a refusal: the retry adds the rest', async (name) => {
		const options = prepare(name);
		spoil(BUSY, { skip: 1 });
		const failed = await runNode(options);
		expect(`${failed.error?.message} ${failed.error?.description}`).toContain('4711');
		const { error, items } = await retryExecution(failed, options);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(3);
		// Three, and the one that was refused.
		expect(changes()).toBe(4);
	});
});

describe('deletions', () => {
	interface Deletion {
		options: RunOptions;
		/** Number of things that are still there. */
		left: () => number;
		/** Puts the first one back. */
		refill: () => void;
	}
	const DELETIONS: Record<string, () => Deletion> = {
		'SMS Blacklist remove': () => {
			const { service } = sim;
			const add = (number: string) => void service.addToBlacklist('unsubscribers', number);
			NUMBERS.forEach(add);
			return {
				options: of(
					'SmsBlacklist',
					{ operation: 'remove', number: '={{ $json.to }}' },
					people,
				),
				left: () =>
					NUMBERS.filter((one) => service.blacklist('unsubscribers').has(one)).length,
				refill: () => add(NUMBERS[0]),
			};
		},
		'SMS List delete': () => {
			const lists = newLists();
			return {
				options: of(
					'SmsList',
					{ operation: 'delete', list: listOf('={{ $json.id }}', 'id') },
					lists.map(({ id }) => ({ id })),
				),
				left: () => sim.service.lists.size,
				refill: () => void sim.service.lists.set(lists[0].id, lists[0]),
			};
		},
		'SMS List deleteColumn': () => {
			const columns = ['a', 'b', 'c'].map((name) => ({ name }));
			const list = sim.service.createList('Clients', columns);
			return {
				options: of(
					'SmsList',
					{
						operation: 'deleteColumn',
						list: listOf(list.id, 'id'),
						column: '={{ $json.name }}',
					},
					columns,
				),
				left: () => list.fields.length,
				refill: () => void list.addField('a', 'STRING'),
			};
		},
		...Object.fromEntries(
			['number', 'id'].map((deleteBy) => [
				`SMS Contact delete by ${deleteBy}`,
				() => {
					const list = sim.service.createList('Clients');
					const contacts = NUMBERS.map((number) => list.addContact(number));
					return {
						options: of(
							'SmsContact',
							{
								operation: 'delete',
								deleteBy,
								list: listOf(list.id, 'id'),
								number: '={{ $json.identifier }}',
								contactId: '={{ $json.id }}',
							},
							contacts.map(({ id, identifier }) => ({ id, identifier })),
						),
						left: () => list.contacts.length,
						refill: () => list.contacts.add(contacts[0]),
					};
				},
			]),
		),
	};
	const NAMES = Object.keys(DELETIONS);
	const expectDone = async (run: ReturnType<typeof runNode>) => {
		const { error, items } = await run;
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json)).toMatchObject(Array(3).fill({ deleted: true }));
	};

	test.each(NAMES)('%s: carried out, and the answer lost', async (name) => {
		const { options, left } = DELETIONS[name]();
		spoil({ kind: 'resetAfterAccept' });
		await expectDone(runNode(options));
		expect(left()).toBe(0);
	});

	test.each(NAMES)('%s: all tries lost, then a retry of the execution', async (name) => {
		const { options, left } = DELETIONS[name]();
		spoil({ kind: 'status', status: 502, accept: true }, { times: 4 });
		const failed = await runNode(options);
		sim.faults.clear();
		await expectDone(failed.error ? retryExecution(failed, options) : Promise.resolve(failed));
		expect(left()).toBe(0);
	});

	test.each(NAMES)(
		'%s: a retry deletes the rest, and nothing that is there again',
		async (name) => {
			const { options, left, refill } = DELETIONS[name]();
			spoil(BUSY, { skip: 1 });
			const failed = await runNode(options);
			expect(failed.error).toBeDefined();
			refill();
			await expectDone(retryExecution(failed, options));
			expect(left()).toBe(1);
		},
	);

	test.each(NAMES)('%s: what is not there is not called deleted', async (name) => {
		const { options } = DELETIONS[name]();
		await runNode(options);
		const { items, error } = await runNode(options);
		if (name === 'SMS List deleteColumn') {
			// Columns are looked up by name first: the error tells which ones there are.
			expect(error?.message).toBe('0 of 3 deleted, 3 invalid (a, b, c)');
			expect(error?.description).toContain('The list has no column');
			return;
		}
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.deleted)).toEqual([false, false, false]);
	});

	test('SMS List empty: what was refilled is not emptied again by a retry', async () => {
		const lists = newLists();
		const options = of(
			'SmsList',
			{ operation: 'empty', list: listOf('={{ $json.id }}', 'id') },
			lists.map(({ id }) => ({ id })),
		);
		spoil(BUSY, { skip: 1 });
		const failed = await runNode(options);
		expect(lists.map(({ contacts }) => contacts.length)).toEqual([0, 2, 0]);
		sim.service.addContacts(lists[0].id, 5);
		const { error } = await retryExecution(failed, options);
		expect(error).toBeUndefined();
		expect(lists.map(({ contacts }) => contacts.length)).toEqual([5, 0, 0]);
	});
});

/** A CRM sync that can run twice: what is there already, and what is gone already. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, succeeded } from '../harness.mts';
import { hurry, jsonOf, linesOf, listOf, optionsOf, runnerOf } from './support.mts';

const [FIRST, SECOND, THIRD] = ['+33639980001', '+33639980002', '+33639980003'];
const FIRST_NATIONAL = '0639980001';

let listId: string;
hurry();
const sim = await useSimulator({ extended: true });
const contact = runnerOf('SmsContact', sim);
beforeEach(() => {
	listId = sim.service.createList('Clients', [{ name: 'Nom' }]).id;
});

const list = () => sim.service.list(listId);
const held = () =>
	list()
		.contacts.items()
		.map(({ identifier, attributes }) => [identifier, attributes.nom]);
const named = (name: string, more: INodeParameters = {}): INodeParameters => ({
	list: listOf(listId),
	number: FIRST,
	attributes: { mappingMode: 'defineBelow', value: { nom: name }, schema: [] },
	...more,
});
describe('Add Contact and Create or Update Contact, for a number that the list has', () => {
	test('keeps it as it is by default, or fails', async () => {
		list().addContact(FIRST, { nom: 'Ancien' });
		const { items } = await contact('add', named('Nouveau'));
		// The values of the item were ignored.
		expect(jsonOf(items)).toEqual([{ action: 'kept', number: FIRST, listId }]);
		const { error } = await contact('add', named('Nouveau', { ifExists: 'fail' }));
		expect(error?.message).toBe('The number already exists');
		expect(held()).toEqual([[FIRST, 'Ancien']]);
	});

	test.each([
		[[FIRST], '1 contact was in the list already and was not changed. To change it, use'],
		[
			[FIRST, SECOND],
			'2 contacts were in the list already and were not changed. To change them, use',
		],
	])('says above the results that it was kept: %j', async (there, said) => {
		for (const number of there) list().addContact(number);
		const { hints } = await contact('add', named('Nouveau', { number: '={{ $json.to }}' }), {
			items: [FIRST, SECOND, THIRD].map((to) => ({ to })),
		});
		const message = `${said} Create or Update Contact.`;
		expect(hints).toMatchObject([{ message, type: 'info' }]);
	});

	test.each([
		['refuse', 'resetAfterAccept'],
		['accept', 'resetAfterAccept'],
		['accept', 'resetBeforeRead'],
	] as const)(
		'of several items about one contact, those after a lost answer wait for another run (%s, %s)',
		async (duplicates, kind) => {
			sim.service.settings.duplicates = duplicates;
			sim.faults.add({ method: 'POST', do: { kind } });
			const options = optionsOf(
				'SmsContact',
				sim,
				'upsert',
				named('={{ $json.name }}', { number: '={{ $json.to }}' }),
				{
					items: [
						{ to: FIRST, name: 'Un' },
						{ to: FIRST_NATIONAL, name: 'Deux' },
						{ to: SECOND, name: 'Autre' },
					],
					settings: { onError: 'continueRegularOutput' },
				},
			);
			const { items } = await runNode(options);
			expect(jsonOf(items).map(({ status, action }) => status ?? action)).toEqual([
				...['unknown', 'notSent', 'added'],
			]);
			// n8n offers no retry of a run that went on.
			expect(items[0].json.advice).not.toContain('Retry');
			await runNode(options);
			expect(held().sort()).toEqual([
				[expect.stringMatching(/639980001$/), 'Deux'],
				[SECOND, 'Autre'],
			]);
		},
	);

	test('of several items about one contact, those after a refused one are not tried', async () => {
		list().addContact(FIRST, { nom: 'Ancien' });
		sim.faults.add({ method: 'POST', do: { kind: 'status', status: 400 } });
		const { items } = await contact('upsert', named('={{ $json.name }}'), {
			items: [{ name: 'Un' }, { name: 'Deux' }],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(jsonOf(items)).toMatchObject([
			{
				status: 'refused',
				advice: expect.stringContaining('The contact has its old values, and a new ID.'),
			},
			{
				status: 'notSent',
				error: expect.stringContaining('an earlier item about the same number failed'),
			},
		]);
		expect(held()).toEqual([[FIRST, 'Ancien']]);
	});

	test('says that it is gone, with its values, where it can not be added again', async () => {
		list().addContact(FIRST, { nom: 'Ancien' });
		sim.faults.add({ method: 'POST', times: Infinity, do: { kind: 'status', status: 400 } });
		const options = optionsOf('SmsContact', sim, 'upsert', named('Nouveau'));
		const failed = await runNode(options);
		expect(failed.error?.description).toContain(
			'It was deleted, and could not be added again. It had these values: Nom: Ancien.',
		);
		expect(held()).toEqual([]);
		sim.faults.clear();
		succeeded(await retryExecution(failed, options));
		expect(held()).toEqual([[FIRST, 'Nouveau']]);
		expect(linesOf(sim).filter((line) => line.startsWith('DELETE'))).toHaveLength(1);
	});
});

describe('an addition whose answer was lost', () => {
	const repeat = { options: { resendUnknown: true } };
	test.each([
		['SmsContact', 'add', () => named('Nouveau', repeat), { action: 'unknown' }],
		['SmsContact', 'upsert', () => named('Nouveau', repeat), { action: 'unchanged' }],
		['SmsBlacklist', 'add', () => ({ number: FIRST, ...repeat }), { alreadyListed: null }],
	] as const)(
		'%s %s: found by a retry, it may be its own and is not called there before',
		async (node, operation, parameters, result) => {
			sim.faults.add({ method: 'POST', do: { kind: 'resetAfterAccept' } });
			const options = optionsOf(node, sim, operation, parameters());
			const failed = await runNode(options);
			expect(failed.error?.message).toMatch(/^It is unknown whether/);
			const retried = succeeded(await retryExecution(failed, options));
			expect(jsonOf(retried.items)[0]).toMatchObject({ number: FIRST, ...result });
			expect(retried.hints).toEqual([]);
		},
	);

	test('what was there is not added by a retry when it has gone since', async () => {
		sim.service.addToBlacklist('unsubscribers', FIRST);
		sim.faults.add({
			match: ({ bodyText }) => bodyText.includes(SECOND),
			do: { kind: 'status', status: 400 },
		});
		const options = optionsOf(
			'SmsBlacklist',
			sim,
			'add',
			{ number: '={{ $json.to }}', options: { concurrency: 1 } },
			{ items: [{ to: FIRST }, { to: SECOND }] },
		);
		const failed = await runNode(options);
		expect(failed.error?.message).toBe(`1 of 2 added, 1 refused (${SECOND})`);
		sim.service.removeFromBlacklist('unsubscribers', FIRST);
		const retried = await retryExecution(failed, options);
		expect(jsonOf(retried.items)[0]).toMatchObject({ alreadyListed: true });
		expect(sim.service.blacklist('unsubscribers').has(FIRST)).toBe(false);
	});
});

const LOST: Array<[what: string, FaultAction]> = [
	['after it was carried out', { kind: 'resetAfterAccept' }],
	['before it was read', { kind: 'resetBeforeRead' }],
	['as 502', { kind: 'status', status: 502, accept: true }],
];

/** Deletions by number: how one is put there, and whether it still is. */
const DELETIONS = [
	{
		node: 'SmsContact',
		operation: 'delete',
		parameters: (number: string): INodeParameters => ({ list: listOf(listId), number }),
		put: (written: string) => void list().addContact(written),
		isThere: () => list().contacts.length > 0,
	},
	{
		node: 'SmsBlacklist',
		operation: 'remove',
		parameters: (number: string): INodeParameters => ({ number }),
		put: (written: string) => void sim.service.addWritten('unsubscribers', written),
		isThere: () => sim.service.blacklist('unsubscribers').has(FIRST),
	},
];

describe.each(DELETIONS)('$node $operation', ({ node, operation, parameters, put, isThere }) => {
	const run = async (number: string) => await runnerOf(node, sim)(operation, parameters(number));

	test.each(
		[FIRST, FIRST_NATIONAL].flatMap((written) =>
			LOST.flatMap(([what, action]) =>
				[0, 1].map((skip) => [written, what, skip, action] as const),
			),
		),
	)(
		'stored as %s: is gone when an answer is lost %s, of request %i',
		async (written, _, skip, action) => {
			sim.service.settings.numbers = 'text';
			put(written);
			sim.faults.add({ skip, do: action });
			const { items } = succeeded(await run(FIRST));
			expect(jsonOf(items)[0]).toMatchObject({ deleted: true });
			expect(isThere()).toBe(false);
		},
	);

	test('a number that is not French has one form', async () => {
		const { items } = await run('+447700900123');
		expect(jsonOf(items)[0]).toMatchObject({ deleted: false });
		expect(sim.requests).toHaveLength(1);
	});

	test.each([
		['the form that was given', 0],
		['the other form', 1],
	])('a service that can not read %s is asked for the other one', async (_, skip) => {
		put(FIRST);
		sim.service.settings.numbers = 'text';
		const other = skip === 0 ? FIRST : FIRST_NATIONAL;
		sim.faults.add({
			times: Infinity,
			match: ({ target }) => !decodeURIComponent(target).includes(other),
			do: { kind: 'json', status: 400, body: { code: 11, error: 'syntax' } },
		});
		const { items } = succeeded(await run(FIRST_NATIONAL));
		expect(jsonOf(items)[0]).toMatchObject({ deleted: skip === 0 });
	});
});

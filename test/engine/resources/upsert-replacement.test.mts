/**
 * SMS Contact: Create or Update deletes the contact and adds it again, since the service can't change one
 * (interface document 4.5). Whatever happens between the two, the contact is in the list in the end, or the error
 * says who is out, and with which values, and a retry adds it.
 */
import { describe, expect, test } from 'vitest';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import { retryExecution, runNode } from '../harness.mts';
import {
	ADA,
	BOB,
	CAROL,
	FAILED,
	FAILED_AFTER,
	LOST,
	REFUSED,
	SWALLOWED,
	TOO_MANY,
	adds,
	useContacts,
} from './contacts.mts';
import { jsonOf, linesOf, listOf } from './support.mts';

const {
	sim,
	list,
	held,
	runOf: upsertOf,
	settled,
} = await useContacts('upsert', { nom: '={{ $json.name }}' });
const OLD = { nom: 'Old', ville: 'Lyon' };
const NEW = { nom: 'New' };
const ADA_NEW = [{ to: ADA, name: 'New' }];

const methods = () => linesOf(sim).map((line) => line.split(' ')[0]);

describe('a replacement that has begun is finished', () => {
	test('although another item fails while it waits', async () => {
		for (const number of [ADA, CAROL]) list().addContact(number, OLD);
		sim.faults.add({
			...adds(ADA),
			times: 2,
			do: { kind: 'tooManyRequests', retryAfter: 0.2 },
		});
		sim.faults.add({ ...adds(BOB), do: REFUSED });
		sim.faults.add({ ...adds(BOB), do: { kind: 'delay', ms: 60 } });
		const { error } = await runNode(
			upsertOf(
				[ADA, BOB, CAROL].map((to) => ({ to, name: 'New' })),
				{ options: { concurrency: 2 } },
			),
		);
		expect(error?.message).toBe('The phone number is not valid');
		expect(held()).toEqual({ [ADA]: NEW, [CAROL]: OLD });
	});

	test('although another item fails while it is deleted', async () => {
		for (const number of [ADA, CAROL]) list().addContact(number, OLD);
		sim.faults.add({ ...adds(BOB), do: REFUSED });
		const isAda = ({ method, target }: RecordedRequest) =>
			method === 'DELETE' && target.includes(encodeURIComponent(ADA));
		sim.faults.add({ match: isAda, do: { kind: 'delay', ms: 500 } });
		const { error } = await runNode(
			upsertOf(
				[ADA, BOB, CAROL].map((to) => ({ to, name: 'New' })),
				{ options: { concurrency: 2 } },
			),
		);
		expect(error).toBeDefined();
		expect(held()).toEqual({ [ADA]: NEW, [CAROL]: OLD });
	});

	const stops: Array<[string, (request: RecordedRequest) => boolean, FaultAction | undefined]> = [
		['at the deletion', ({ method }) => method === 'DELETE', undefined],
		['while it is deleted', ({ method }) => method === 'DELETE', { kind: 'delay', ms: 50 }],
		['while the deletion is repeated', ({ method }) => method === 'DELETE', LOST],
		['while it is added', ({ method }) => method === 'POST', { kind: 'delay', ms: 50 }],
		['while the addition waits', ({ method }) => method === 'POST', TOO_MANY],
		['while the addition is lost', ({ method }) => method === 'POST', SWALLOWED],
	];
	test.each(stops)('although the user stops the run %s', async (_, isMoment, action) => {
		for (const number of [ADA, BOB]) list().addContact(number, OLD);
		let cancel = () => {};
		sim.faults.add({
			match: (request) => {
				if (isMoment(request)) setTimeout(() => cancel(), 0);
				return false;
			},
			do: REFUSED,
		});
		if (action !== undefined) sim.faults.add({ match: isMoment, do: action });
		await runNode({
			...upsertOf(
				[ADA, BOB].map((to) => ({ to, name: 'New' })),
				{ options: { concurrency: 1 } },
			),
			onStart: (stopIt) => (cancel = stopIt),
		});
		await settled();
		expect(held()).toEqual({ [ADA]: NEW, [BOB]: OLD });
	});

	test('one that has deleted nothing is not begun after a stop', async () => {
		list().addContact(ADA, OLD);
		let cancel = () => {};
		sim.faults.add({
			method: 'DELETE',
			match: () => (setTimeout(() => cancel(), 0), true),
			do: { kind: 'tooManyRequests', retryAfter: 0.1 },
		});
		await runNode({ ...upsertOf(ADA_NEW), onStart: (stopIt) => (cancel = stopIt) });
		await settled();
		expect(methods()).toEqual(['GET', 'DELETE']);
		expect(held()).toEqual({ [ADA]: OLD });
	});
});

describe('the answer to the addition', () => {
	test.each([
		['429', TOO_MANY],
		['500', FAILED],
		['a lost connection', SWALLOWED],
		['500, carried out', FAILED_AFTER],
		['a lost connection, carried out', LOST],
	])('is %s for a while: the contact is in the list once, in one run', async (_, action) => {
		for (const duplicates of ['refuse', 'accept'] as const) {
			sim.service.settings.duplicates = duplicates;
			sim.faults.clear();
			list().contacts.replace([]);
			list().addContact(ADA, OLD);
			sim.faults.add({ ...adds('New'), times: 2, do: action });
			const options = upsertOf(ADA_NEW);
			const { items, error } = await runNode(options);
			expect(error).toBeUndefined();
			expect(jsonOf(items)).toEqual([
				{
					...{ id: list().contacts.items()[0].id, number: ADA },
					...{ listId: list().id, replaced: true, attributes: { Nom: 'New' } },
				},
			]);
			expect(list().contacts).toHaveLength(1);
			expect(held()).toEqual({ [ADA]: NEW });
		}
	});

	test.each([
		['429', TOO_MANY],
		['500', FAILED],
		['a refusal', REFUSED],
	])(
		'is %s each time: the error names who is out, with the values; a retry adds',
		async (_, action) => {
			list().addContact(ADA, OLD);
			const fault = sim.faults.add({ ...adds('New'), times: Infinity, do: action });
			const options = upsertOf(ADA_NEW);
			const failed = await runNode(options);
			expect(held()).toEqual({});
			expect(failed.error?.description).toContain(
				'is not in the list now. A retry of this execution adds it.',
			);
			expect(failed.error?.description).toContain('It was to have Nom: New.');
			expect(failed.error?.context.data).toMatchObject({
				number: ADA,
				listId: list().id,
				attributes: { Nom: 'New' },
			});
			fault.remove();
			const { items, error } = await retryExecution(failed, options);
			expect(error).toBeUndefined();
			expect(jsonOf(items)[0]).toMatchObject({ replaced: true });
			expect(held()).toEqual({ [ADA]: NEW });
			expect(methods().filter((method) => method === 'DELETE')).toHaveLength(1);
		},
	);

	test('is lost and the list does not tell: it may be out', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({ method: 'POST', times: Infinity, do: LOST });
		sim.faults.add({ skip: 1, method: 'GET', times: Infinity, do: FAILED });
		const { error } = await runNode(upsertOf(ADA_NEW));
		expect(error?.message).toMatch(/^It is unknown whether this was written/);
		expect(error?.description).toContain('may not be in the list now');
		expect(methods().filter((method) => method === 'POST')).toHaveLength(1);
	});

	test.each([
		['was carried out', LOST, 1],
		['was not', SWALLOWED, 2],
	])(
		'is lost and the list does not tell; a retry finds out that it %s, and adds who is out',
		async (_, action, posts) => {
			list().addContact(ADA, OLD);
			const faults = [
				sim.faults.add({ ...adds(ADA), times: Infinity, do: action }),
				sim.faults.add({ skip: 1, method: 'GET', times: Infinity, do: FAILED }),
			];
			const options = upsertOf(ADA_NEW);
			const failed = await runNode(options);
			expect(failed.error?.description).toContain('A retry of this execution adds it then.');
			// It can't be found out yet: nothing is said that isn't known.
			const again = await retryExecution(failed, options);
			expect(again.error?.message).toMatch(/^It is unknown whether this was written/);
			for (const fault of faults) fault.remove();
			const { items, error } = await retryExecution(again, options);
			expect(error).toBeUndefined();
			expect(jsonOf(items)).toEqual([
				{
					...{ id: list().contacts.items()[0].id, number: ADA },
					...{ listId: list().id, replaced: true, attributes: { Nom: 'New' } },
				},
			]);
			expect(held()).toEqual({ [ADA]: NEW });
			expect(list().contacts).toHaveLength(1);
			expect(methods().filter((method) => method === 'POST')).toHaveLength(posts);
		},
	);

	test.each([
		['was carried out', LOST, 1],
		['was not', SWALLOWED, 2],
	])(
		'is lost where nothing was deleted: a retry finds out that it %s',
		async (_, action, posts) => {
			list().addContact(BOB, OLD);
			sim.faults.add({ ...adds(ADA), do: action });
			const refused = sim.faults.add({ ...adds(BOB), times: Infinity, do: REFUSED });
			const options = upsertOf([ADA, BOB].map((to) => ({ to, name: 'New' })));
			const failed = await runNode(options);
			expect(failed.error?.message).toMatch(/^It is unknown whether this was written/);
			refused.remove();
			// Who is unknown holds back nobody who is out.
			const { items, error } = await retryExecution(failed, {
				...options,
				parameters: { ...options.parameters, options: { concurrency: 1 } },
			});
			expect(error).toBeUndefined();
			expect(jsonOf(items)).toMatchObject([
				{ number: ADA, replaced: false, attributes: { Nom: 'New' } },
				{ number: BOB, replaced: true, attributes: { Nom: 'New' } },
			]);
			expect(held()).toEqual({ [ADA]: NEW, [BOB]: NEW });
			const added = sim.requests.filter(
				({ method, bodyText }) => method === 'POST' && bodyText.includes(ADA),
			);
			expect(added).toHaveLength(posts);
		},
	);

	test('is lost in several lists at once: each is looked for in its own', async () => {
		const ids = ['A', 'B', 'C'].map(
			(name) => sim.service.createList(name, [{ name: 'Nom' }]).id,
		);
		for (const id of ids) sim.service.list(id).addContact(ADA, { nom: 'Old' });
		const [first, second, third] = ids.map((id) => ({
			method: 'POST',
			path: `/v2/lists/${id}/contacts`,
		}));
		sim.faults.add({ ...first, do: LOST });
		sim.faults.add({ ...second, do: LOST });
		sim.faults.add({ ...third, do: SWALLOWED });
		const reading = { method: 'GET', path: /contacts$/, times: Infinity };
		sim.faults.add({ ...reading, do: { kind: 'delay', ms: 100 } });
		const { items, error } = await runNode(
			upsertOf(
				ids.map((id) => ({ to: ADA, name: 'New', id })),
				{ list: listOf('={{ $json.id }}', 'id') },
			),
		);
		expect(error).toBeUndefined();
		for (const [at, id] of ids.entries()) {
			const [contact, ...others] = sim.service.list(id).contacts.items();
			expect(others).toEqual([]);
			expect(contact).toMatchObject({ identifier: ADA, attributes: { nom: 'New' } });
			expect(jsonOf(items)[at].id).toBe(contact.id);
		}
	});

	test('is that the number is there, which the list does not show: one is lost at most', async () => {
		const people = Array.from({ length: 8 }, (_, at) => `+3363998001${at}`);
		for (const number of people) list().addContact(number, OLD);
		sim.faults.add({
			method: 'POST',
			times: Infinity,
			do: { kind: 'json', status: 400, body: { code: 15, error: 'exists' } },
		});
		const { items } = await runNode({
			...upsertOf(
				people.map((to) => ({ to, name: 'New' })),
				{ options: { concurrency: 1 } },
			),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(items).toHaveLength(8);
		expect(list().contacts).toHaveLength(7);
	});

	test('where nothing was deleted: unknown, without reading the list', async () => {
		sim.faults.add({ method: 'POST', times: Infinity, do: SWALLOWED });
		const { error } = await runNode(upsertOf(ADA_NEW));
		expect(error?.message).toMatch(/^It is unknown whether this was written/);
		expect(error?.description).not.toContain('was deleted');
		expect(linesOf(sim).some((line) => /^GET .*contacts/.test(line))).toBe(false);
	});

	test('who is out after the first try is named by the second, which stops before', async () => {
		for (const number of [ADA, BOB]) list().addContact(number, OLD);
		const faults = [ADA, BOB].map((number) =>
			sim.faults.add({ ...adds(number), times: Infinity, do: REFUSED }),
		);
		sim.faults.add({ method: 'DELETE', times: 2, do: { kind: 'delay', ms: 40 } });
		const options = upsertOf([ADA, BOB].map((to) => ({ to, name: 'New' })));
		const failed = await runNode(options);
		expect(failed.error?.context.data).toMatchObject({
			number: ADA,
			failed: [{ item: 1, number: BOB }],
		});
		const corrected = { ...options.parameters, options: { concurrency: 1 } };
		const again = await retryExecution(failed, options, { parameters: corrected });
		expect(again.error?.context.data).toMatchObject({
			number: ADA,
			failed: [{ item: 1, number: BOB }],
		});
		for (const fault of faults) fault.remove();
		const { error } = await retryExecution(again, { ...options, parameters: corrected });
		expect(error).toBeUndefined();
		expect(held()).toEqual({ [ADA]: NEW, [BOB]: NEW });
	});

	test('says no for one contact after the other: only the first is lost', async () => {
		const people = Array.from({ length: 8 }, (_, at) => `+3363998001${at}`);
		for (const number of people) list().addContact(number, OLD);
		sim.faults.add({ method: 'POST', times: Infinity, do: REFUSED });
		const { items } = await runNode({
			...upsertOf(
				people.map((to) => ({ to, name: 'New' })),
				{ options: { concurrency: 1 } },
			),
			settings: { onError: 'continueRegularOutput' },
		});
		expect(items).toHaveLength(8);
		expect(list().contacts).toHaveLength(7);
	});
});

describe('a deletion whose answer is lost each time', () => {
	test.each([
		['carried out', LOST, NEW],
		['not carried out', SWALLOWED, OLD],
	])('(%s): the list tells', async (what, action, expected) => {
		list().addContact(ADA, OLD);
		sim.faults.add({ method: 'DELETE', times: 4, do: action });
		const { items, error } = await runNode(upsertOf(ADA_NEW));
		expect(held()).toEqual({ [ADA]: expected });
		if (what === 'carried out') expect(jsonOf(items)[0]).toMatchObject({ replaced: true });
		else expect(error?.description).toContain('The contact keeps its previous values.');
	});
});

describe('somebody else adds the number meanwhile', () => {
	/** Between the two requests. */
	function meanwhile(times = 1): void {
		sim.faults.add({
			...adds('New'),
			match: ({ bodyText }) => {
				if (bodyText.includes('New') && times-- > 0)
					list().addContact(ADA, { nom: 'Else' });
				return false;
			},
			do: REFUSED,
		});
	}

	test.each(['statuses', 'html', 'empty'] as const)(
		'and the service says so in another way (%s): it is replaced',
		async (errors) => {
			sim.service.settings.errors = errors;
			list().addContact(ADA, OLD);
			meanwhile();
			const { items, error } = await runNode(upsertOf(ADA_NEW));
			expect(error).toBeUndefined();
			expect(jsonOf(items)[0]).toMatchObject({ replaced: true });
			expect(held()).toEqual({ [ADA]: NEW });
		},
	);

	test.each([true, false])('(it was there before: %s): it is replaced', async (wasThere) => {
		if (wasThere) list().addContact(ADA, OLD);
		meanwhile();
		const { items, error } = await runNode(upsertOf(ADA_NEW));
		expect(error).toBeUndefined();
		expect(jsonOf(items)[0]).toMatchObject({ replaced: true });
		expect(held()).toEqual({ [ADA]: NEW });
	});

	test('and the new values are refused: theirs are put back', async () => {
		list().addContact(ADA, OLD);
		meanwhile();
		sim.faults.add({ ...adds('New'), skip: 1, times: Infinity, do: REFUSED });
		const { error } = await runNode(upsertOf(ADA_NEW));
		expect(error?.message).toBe('The phone number is not valid');
		expect(error?.description).toContain('The contact keeps its previous values.');
		expect(held()).toEqual({ [ADA]: { nom: 'Else' } });
	});

	test('two runs at once: both succeed, and the contact is there once', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({ method: 'POST', times: 2, do: { kind: 'delay', ms: 40 } });
		const results = await Promise.all([
			runNode(upsertOf(ADA_NEW)),
			runNode(upsertOf([{ to: ADA, name: 'Newer' }])),
		]);
		for (const { error } of results) expect(error).toBeUndefined();
		expect(list().contacts).toHaveLength(1);
	});
});

test('a contact in a form that no deletion by number finds is replaced', async () => {
	sim.service.settings.numbers = 'text';
	list().contacts.add({ id: sim.service.createId(), identifier: '33639980001', attributes: OLD });
	// The service knows that it is the same number when it is added.
	sim.faults.add({
		method: 'POST',
		match: () => list().contacts.length > 0,
		times: 1,
		do: { kind: 'json', status: 400, body: { code: 15, error: 'exists' } },
	});
	const { items, error } = await runNode(upsertOf(ADA_NEW));
	expect(error).toBeUndefined();
	expect(jsonOf(items)[0]).toMatchObject({ replaced: true });
	expect(held()).toEqual({ [ADA]: NEW });
});

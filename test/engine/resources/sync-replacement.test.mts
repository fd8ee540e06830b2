/**
 * SMS Contact: Sync replaces a contact by a deletion and an addition, since the service can't change one
 * (interface document 4.5). Whatever happens between the two, the contact is back in the list in the end, or the
 * error says who is out, and with which values.
 */
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import type { FaultAction, RecordedRequest } from '../../simulator/index.mts';
import { runNode } from '../harness.mts';
import {
	ADA,
	BOB,
	CAROL,
	DAVE,
	FAILED,
	FAILED_AFTER,
	LOST,
	REFUSED,
	SWALLOWED,
	TOO_MANY,
	adds,
	useContacts,
} from './contacts.mts';
import { jsonOf, linesOf } from './support.mts';

const {
	sim,
	list,
	held,
	runOf: syncOf,
	settled,
} = await useContacts('sync', { nom: '={{ $json.name }}', points: '', ville: '' });
const OLD = { nom: 'Old', points: '5', ville: 'Lyon' };
const NEW = { nom: 'New', points: '5', ville: 'Lyon' };

const UNAVAILABLE: FaultAction = {
	kind: 'status',
	status: 503,
	headers: { 'Retry-After': '0' },
};

const postsOf = (value: string) =>
	sim.requests.filter(({ method, bodyText }) => method === 'POST' && bodyText.includes(value));

describe('the new values are refused, and the contact is put back', () => {
	test.each([
		['429', TOO_MANY],
		['503 with a time to wait', UNAVAILABLE],
		['500, not carried out', FAILED],
		['a lost connection, not carried out', SWALLOWED],
		['a lost connection, carried out', LOST],
		['500, carried out', FAILED_AFTER],
	])('although the first tries end with %s', async (_, action) => {
		for (const duplicates of ['refuse', 'accept'] as const) {
			sim.service.settings.duplicates = duplicates;
			sim.faults.clear();
			sim.requests.length = 0;
			list().contacts.replace([]);
			list().addContact(ADA, OLD);
			sim.faults.add({ ...adds('New'), times: Infinity, do: REFUSED });
			sim.faults.add({ ...adds('Old'), times: 3, do: action });
			const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
			expect(error?.message).toBe(`${ADA}: The phone number is not valid`);
			expect(error?.description).toContain('The contact keeps its previous values.');
			expect(held()).toEqual({ [ADA]: OLD });
			expect(list().contacts).toHaveLength(1);
			// The refusal is certain: it is not tried again.
			expect(postsOf('New')).toHaveLength(1);
		}
	});

	test('no more often than any other request', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({ ...adds('New'), times: Infinity, do: REFUSED });
		sim.faults.add({ ...adds('Old'), times: Infinity, do: TOO_MANY });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(held()).toEqual({});
		expect(postsOf('Old')).toHaveLength(4);
		expect(error?.description).toContain('is not in the list now. The next run adds it.');
		expect(error?.description).toContain('It had Nom: Old; Points: 5; Ville: Lyon.');
		expect(error?.context.data).toMatchObject({
			number: ADA,
			listId: list().id,
			attributes: { Nom: 'New', Points: '5', Ville: 'Lyon' },
			previous: { Nom: 'Old' },
		});
	});

	test('each contact that is out is told, whatever the error of the run is about', async () => {
		for (const number of [ADA, BOB]) list().addContact(number, OLD);
		// Both are deleted before one of them fails.
		sim.faults.add({ method: 'POST', times: Infinity, do: REFUSED });
		sim.faults.add({ method: 'DELETE', times: 2, do: { kind: 'delay', ms: 40 } });
		const { error } = await runNode(
			syncOf([
				{ to: ADA, name: 'New' },
				{ to: BOB, name: 'New' },
			]),
		);
		expect(held()).toEqual({});
		const { failed, ...first } = error!.context.data as IDataObject;
		expect(first).toMatchObject({ number: ADA, previous: { Nom: 'Old' } });
		expect(failed).toEqual([
			expect.objectContaining({ item: 1, number: BOB, previous: { Nom: 'Old' } }),
		]);
		expect(error?.description).toContain(`Also failed: item 1 (${BOB}: `);
	});
});

describe('it is unknown whether the new values were added', () => {
	test.each([
		['500', FAILED],
		['a lost connection', SWALLOWED],
		['500, carried out', FAILED_AFTER],
		['a lost connection, carried out', LOST],
	])('for a while (%s): they are in the end, once', async (_, action) => {
		for (const duplicates of ['refuse', 'accept'] as const) {
			sim.service.settings.duplicates = duplicates;
			sim.faults.clear();
			list().contacts.replace([]);
			list().addContact(ADA, OLD);
			sim.faults.add({ ...adds('New'), times: 3, do: action });
			const { items, error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
			expect(error).toBeUndefined();
			expect(jsonOf(items)[0].action).toBe('updated');
			expect(held()).toEqual({ [ADA]: NEW });
			expect(list().contacts).toHaveLength(1);
		}
	});

	test('each time, and the list shows that they are not: the previous ones are put back', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({ ...adds('New'), times: Infinity, do: FAILED });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error?.message).toMatch(new RegExp(`^\\${ADA}: `));
		expect(error?.description).toContain('The contact keeps its previous values.');
		expect(held()).toEqual({ [ADA]: OLD });
	});

	test('also of the previous ones, and the list breaks off: it is read again', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({ ...adds('New'), times: Infinity, do: REFUSED });
		sim.faults.add({ ...adds('Old'), do: FAILED });
		sim.faults.add({ method: 'GET', skip: 2, do: { kind: 'truncatedJson' } });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error?.description).toContain('The contact keeps its previous values.');
		expect(held()).toEqual({ [ADA]: OLD });
	});

	test('and the list does not tell either: the error says so, with the values', async () => {
		list().addContact(ADA, OLD);
		sim.faults.add({ method: 'POST', times: Infinity, do: LOST });
		sim.faults.add({ skip: 2, method: 'GET', times: Infinity, do: FAILED });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error?.message).toMatch(/^It is unknown whether this was synced: /);
		expect(error?.description).toContain('may not be in the list now');
		expect(error?.context.data).toMatchObject({ number: ADA, previous: { Nom: 'Old' } });
		expect(postsOf('New')).toHaveLength(1);
	});
});

describe('a deletion is lost each time', () => {
	const lose = (action: FaultAction) =>
		sim.faults.add({ method: 'DELETE', times: 4, do: action });

	test.each([
		['carried out', LOST],
		['not carried out', SWALLOWED],
	])('(%s): the list tells what became of it', async (what, action) => {
		list().addContact(ADA, OLD);
		// What was deleted is answered as such by the service, too: no answer comes at all.
		lose(action);
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		if (what === 'carried out') {
			expect(error).toBeUndefined();
			expect(held()).toEqual({ [ADA]: NEW });
		} else {
			expect(error?.description).toContain('The contact keeps its previous values.');
			expect(held()).toEqual({ [ADA]: OLD });
		}
	});

	test('and the list does not tell: the error has the values', async () => {
		list().addContact(ADA, OLD);
		lose(LOST);
		sim.faults.add({ skip: 2, method: 'GET', times: Infinity, do: FAILED });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(held()).toEqual({});
		expect(error?.context.data).toMatchObject({
			number: ADA,
			listId: list().id,
			attributes: { Nom: 'New', Points: '5', Ville: 'Lyon' },
			previous: { Nom: 'Old' },
		});
		expect(error?.description).toContain('It had Nom: Old; Points: 5; Ville: Lyon.');
	});
});

describe('a replacement that has begun is finished', () => {
	test('although another item fails while it waits', async () => {
		list().addContact(ADA, OLD);
		list().addContact(CAROL, OLD);
		sim.faults.add({
			...adds(ADA),
			times: 2,
			do: { kind: 'tooManyRequests', retryAfter: 0.2 },
		});
		sim.faults.add({ ...adds(BOB), do: REFUSED });
		// Bob fails when Ada has been deleted, and waits.
		sim.faults.add({ ...adds(BOB), do: { kind: 'delay', ms: 60 } });
		const { error } = await runNode(
			syncOf(
				[
					{ to: ADA, name: 'New' },
					{ to: BOB, name: 'Bob' },
					{ to: CAROL, name: 'New' },
				],
				{ options: { concurrency: 2 } },
			),
		);
		expect(error?.message).toContain(BOB);
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
		list().addContact(ADA, OLD);
		list().addContact(BOB, OLD);
		let cancel = () => {};
		sim.faults.add({
			match: (request) => {
				if (isMoment(request)) setTimeout(() => cancel(), 0);
				return false;
			},
			do: REFUSED,
		});
		if (action !== undefined) sim.faults.add({ match: isMoment, do: action });
		const items = [ADA, BOB].map((to) => ({ to, name: 'New' }));
		await runNode({
			...syncOf(items, { options: { concurrency: 1 } }),
			onStart: (stopIt) => (cancel = stopIt),
		});
		await settled();
		expect(held()[ADA]).toEqual(NEW);
		// Nothing is begun after the stop.
		expect(held()[BOB]).toEqual(OLD);
		expect(linesOf(sim).filter((line) => line.startsWith('DELETE')).length).toBeLessThan(3);
	});

	test('one that has deleted nothing yet is not begun after a stop', async () => {
		list().addContact(ADA, OLD);
		let cancel = () => {};
		sim.faults.add({
			method: 'DELETE',
			match: () => (setTimeout(() => cancel(), 0), true),
			do: { kind: 'tooManyRequests', retryAfter: 0.1 },
		});
		await runNode({
			...syncOf([{ to: ADA, name: 'New' }]),
			onStart: (stopIt) => (cancel = stopIt),
		});
		await settled();
		expect(linesOf(sim).slice(2)).toHaveLength(1);
		expect(held()).toEqual({ [ADA]: OLD });
	});

	test('at the pace that the user has set', async () => {
		for (const number of [ADA, BOB]) list().addContact(number, OLD);
		let cancel = () => {};
		const starts: number[] = [];
		sim.faults.add({
			match: ({ method }) => {
				if (method === 'DELETE') setTimeout(() => cancel(), 60);
				if (method !== 'GET') starts.push(performance.now());
				return false;
			},
			do: REFUSED,
		});
		await runNode({
			...syncOf(
				[ADA, BOB].map((to) => ({ to, name: 'New' })),
				{ options: { concurrency: 2, requestsPerSecond: 20 } },
			),
			onStart: (stopIt) => (cancel = stopIt),
		});
		await settled();
		expect(held()).toEqual({ [ADA]: NEW, [BOB]: NEW });
		const gaps = starts.slice(1).map((at, before) => at - starts[before]);
		for (const gap of gaps) expect(gap).toBeGreaterThan(35);
	});
});

describe('somebody else adds the number while it is replaced', () => {
	/** Before the addition is answered. */
	function meanwhile(times = 1): void {
		sim.faults.add({
			...adds('New'),
			match: ({ bodyText }) => {
				if (bodyText.includes('New') && times-- > 0) {
					list().addContact(ADA, { nom: 'Else' });
				}
				return false;
			},
			do: REFUSED,
		});
	}
	const THEIRS =
		'Somebody else has added it meanwhile: it is in the list with their values. It had Nom: ';

	test.each(['codes', 'statuses', 'html', 'empty'] as const)(
		'and the service says so in another way (%s): it is replaced again',
		async (errors) => {
			sim.service.settings.errors = errors;
			list().addContact(ADA, OLD);
			meanwhile();
			const { items, error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
			expect(error).toBeUndefined();
			expect(jsonOf(items)[0]).toMatchObject({
				action: 'updated',
				previous: { Nom: 'Else' },
			});
			expect(held()).toEqual({ [ADA]: NEW });
		},
	);

	test('and the list can not be read: the error has the values that are lost', async () => {
		list().addContact(ADA, OLD);
		meanwhile();
		sim.faults.add({ method: 'GET', skip: 2, times: Infinity, do: FAILED });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(held()).toEqual({ [ADA]: { nom: 'Else' } });
		expect(error?.description).toContain(`${THEIRS}Old; Points: 5; Ville: Lyon.`);
		expect(error?.context.data).toMatchObject({
			number: ADA,
			attributes: { Ville: 'Lyon' },
			previous: { Nom: 'Old' },
		});
	});

	test('each time: the error says so', async () => {
		list().addContact(ADA, OLD);
		meanwhile(Infinity);
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(held()).toEqual({ [ADA]: { nom: 'Else' } });
		expect(error?.description).toContain(`${THEIRS}Else; Points: 5; Ville: Lyon.`);
		expect(postsOf('New')).toHaveLength(4);
	});

	test('and another item fails meanwhile: it is replaced all the same', async () => {
		list().addContact(ADA, OLD);
		meanwhile();
		sim.faults.add({ ...adds(BOB), do: REFUSED });
		sim.faults.add({ method: 'GET', skip: 2, do: { kind: 'delay', ms: 200 } });
		sim.faults.add({ ...adds(BOB), do: { kind: 'delay', ms: 60 } });
		const { error } = await runNode(
			syncOf(
				[
					{ to: ADA, name: 'New' },
					{ to: BOB, name: 'Bob' },
				],
				{ options: { concurrency: 2 } },
			),
		);
		expect(error?.message).toContain(BOB);
		expect(held()).toEqual({ [ADA]: NEW });
	});
});

describe('the service says of each number that it has it already', () => {
	const people = Array.from({ length: 30 }, (_, at) => `+3363998${String(1_000 + at)}`);
	const sync = async (concurrency: number) =>
		await runNode({
			...syncOf(
				people.map((to) => ({ to, name: 'New' })),
				{ options: { concurrency } },
			),
			settings: { onError: 'continueRegularOutput' },
		});
	beforeEach(() => {
		sim.faults.add({
			method: 'POST',
			times: Infinity,
			do: { kind: 'json', status: 400, body: { code: 15, error: 'exists' } },
		});
	});

	test.each([1, 4])('who was deleted as well: no more are lost than %i', async (concurrency) => {
		for (const number of people) list().addContact(number, OLD);
		const { items } = await sync(concurrency);
		expect(items).toHaveLength(30);
		expect(list().contacts.length).toBeGreaterThanOrEqual(30 - concurrency);
		expect(JSON.stringify(items[0].json)).toContain('The next run adds it then.');
	});

	test('and the list shows none of them: each is tried once, the list is not read for each', async () => {
		const { items } = await sync(10);
		expect(items[0].json).toMatchObject({
			error: `${people[0]}: The number already exists`,
			description: 'The service says that it has this number, but the list does not show it.',
		});
		const lines = linesOf(sim);
		expect(lines.filter((line) => line.startsWith('POST'))).toHaveLength(30);
		expect(lines.filter((line) => line.startsWith('GET')).length).toBeLessThan(16);
	});
});

describe('Max Removals (%) after a run that was killed', () => {
	const others = (count: number) =>
		Array.from({ length: count }, (_, at) => `+33639981${String(at).padStart(3, '0')}`);

	test('while it replaced as many as it may at once: the next run finishes', async () => {
		// 100 in the list, of whom 10 are gone; ten others were being replaced.
		const stay = others(90);
		for (const to of stay.slice(10)) list().addContact(to, OLD);
		for (let at = 0; at < 10; at++) list().addContact(`+3363998200${at}`, OLD);
		const { error } = await runNode(
			syncOf(
				stay.map((to) => ({ to, name: 'New' })),
				{ removeMissing: true },
			),
		);
		expect(error).toBeUndefined();
		expect(Object.keys(held()).sort()).toEqual([...stay].sort());
	});

	test.each([
		// One more than the list can have had: 11 of 100 + 9 at most.
		['by one too many', 11, 89, 10],
		// Nobody stays: the items are about another list.
		['by all', 1, 0, 30],
		['by nearly all', 10, 1, 100],
	])('a run that would remove %s is refused all the same', async (_, gone, stay, missing) => {
		const people = others(stay + missing);
		for (const to of people.slice(missing)) list().addContact(to, OLD);
		for (let at = 0; at < gone; at++) {
			list().addContact(`+336399820${String(at).padStart(2, '0')}`, OLD);
		}
		const before = held();
		const { error } = await runNode(
			syncOf(
				people.map((to) => ({ to, name: 'New' })),
				{ removeMissing: true, options: { concurrency: 9 } },
			),
		);
		expect(error?.message).toContain("more than 'Max Removals (%)' allows (10 %)");
		expect(held()).toEqual(before);
	});

	test('a number that the list had twice counts once, before and after', async () => {
		sim.service.settings.duplicates = 'accept';
		const stay = others(90);
		// The second entries of ten numbers were deleted by the run that was killed.
		for (const to of stay) list().addContact(to, { nom: 'New' });
		for (let at = 0; at < 10; at++) list().addContact(`+3363998200${at}`, OLD);
		list().addContact('+33639982000', OLD);
		const { error } = await runNode(
			syncOf(
				stay.map((to) => ({ to, name: 'New' })),
				{ removeMissing: true },
			),
		);
		expect(error).toBeUndefined();
		expect(list().contacts).toHaveLength(90);
	});
});

describe('what somebody else does to the columns meanwhile', () => {
	/** Before the contacts are read. */
	function betweenTheReadings(change: () => void): void {
		let isDone = false;
		sim.faults.add({
			path: /contacts$/,
			match: () => {
				if (!isDone) change();
				isDone = true;
				return false;
			},
			do: REFUSED,
		});
	}

	test('a column that they add, with a value, is not lost', async () => {
		const ada = list().addContact(ADA, OLD);
		betweenTheReadings(() => {
			list().addField('Statut', 'STRING');
			ada.attributes.statut = 'VIP';
			list().contacts.changed();
		});
		const { items, error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(held()).toEqual({ [ADA]: { ...NEW, statut: 'VIP' } });
		expect(jsonOf(items)[0].attributes).toMatchObject({ Statut: 'VIP' });
	});

	test('a value of a column that the list does not have is left out', async () => {
		const ada = list().addContact(ADA, OLD);
		ada.attributes.ancien = 'x';
		list().contacts.changed();
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(held()).toEqual({ [ADA]: NEW });
		expect(linesOf(sim).filter((line) => line.startsWith('GET'))).toHaveLength(3);
	});

	test('values of a contact that they add again while it is replaced are completed', async () => {
		list().addContact(ADA, OLD);
		let isDone = false;
		sim.faults.add({
			...adds('New'),
			match: () => {
				if (!isDone) list().addContact(ADA, { nom: 'Else' });
				isDone = true;
				return false;
			},
			do: REFUSED,
		});
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(held()).toEqual({ [ADA]: NEW });
	});
});

describe('values that a contact can not be added with', () => {
	const answer = (attributes: IDataObject) =>
		sim.faults.add({
			path: /contacts$/,
			method: 'GET',
			do: {
				kind: 'json',
				body: [{ id: list().contacts.items()[0].id, identifier: ADA, attributes }],
			},
		});
	beforeEach(() => void list().addContact(ADA, OLD));

	test.each([
		['ville', { ville: { code: 69 } }, "The value of column 'Ville' is"],
		['points', { points: 'douze' }, 'The value of column \'Points\' is "douze"'],
	])('in %s are found before anything is changed', async (_, attributes, message) => {
		list().addContact(DAVE, OLD);
		answer(attributes);
		const { error } = await runNode(
			syncOf([
				{ to: BOB, name: 'Bob' },
				{ to: ADA, name: 'New' },
			]),
		);
		expect(error?.message).toContain(`${ADA}: ${message}`);
		expect(error?.description).toContain("another value in 'Columns'");
		expect(linesOf(sim).every((line) => line.startsWith('GET'))).toBe(true);
		expect(held()).toEqual({ [ADA]: OLD, [DAVE]: OLD });
	});

	test('are replaced where the item has others', async () => {
		answer({ nom: { first: 'A' }, points: 5, ville: 'Lyon' });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(held()).toEqual({ [ADA]: NEW });
	});

	test('are written as the document has them', async () => {
		list().addField('Inscrit', 'BOOLEAN');
		answer({ nom: 'Old', points: 5.5, inscrit: true });
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(held()).toEqual({ [ADA]: { nom: 'New', points: '5.5', inscrit: '1' } });
	});
});

describe('two entries of one number', () => {
	beforeEach(() => void (sim.service.settings.duplicates = 'accept'));
	const addTwo = (...both: Array<Record<string, string>>) => {
		for (const attributes of both) list().addContact(ADA, attributes);
	};
	const sync = async () => {
		const { error } = await runNode(syncOf([{ to: ADA, name: 'New' }]));
		expect(error).toBeUndefined();
		expect(list().contacts).toHaveLength(1);
		return held()[ADA];
	};

	test('the one that is right gets the values that only the other has', async () => {
		addTwo({ nom: 'New' }, { nom: 'Old', ville: 'Lyon' });
		expect(await sync()).toEqual({ nom: 'New', ville: 'Lyon' });
	});

	test('and keeps its own', async () => {
		addTwo({ nom: 'Old', ville: 'Lyon', points: '5' }, { nom: 'New', ville: 'Paris' });
		expect(await sync()).toEqual({ nom: 'New', ville: 'Paris', points: '5' });
	});

	test('where none is right, one gets the values of both', async () => {
		addTwo({ nom: 'Old', ville: 'Lyon' }, { nom: 'Older', points: '5' });
		expect(await sync()).toEqual(NEW);
	});

	test('the one that has all values stays', async () => {
		addTwo({ nom: 'New' }, NEW);
		const [, whole] = list().contacts.items();
		expect(await sync()).toEqual(NEW);
		expect(list().contacts.items()[0].id).toBe(whole.id);
	});
});

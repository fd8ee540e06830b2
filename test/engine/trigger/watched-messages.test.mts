/** `statusChanged`: who is looked up when, and what makes an event. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { Host, now, phone } from './harness.mts';

const simulator = await useSimulator({ now });

/** Most look-ups of one poll: docs/trigger.md. */
const MOST = 200;

const watch = (parameters: INodeParameters, options: INodeParameters = {}) =>
	new Host({ simulator, parameters: { events: ['statusChanged'], ...parameters, options } });
/** A new message that stays in state sent until a test says otherwise. */
function send(number: string) {
	const message = simulator.service.accept({ kind: 'notification', number, text: 'Hello' });
	simulator.setState(message.snapshotId, 'sent');
	return message;
}
const states = (items: IDataObject[]) =>
	items.map(({ identifier, previousState, state }) => [identifier, previousState, state]);

/** The numbers or snapshots that a poll looks up. */
async function lookedUp(one: Host): Promise<string[]> {
	simulator.requests.length = 0;
	await one.poll();
	return simulator
		.requestsTo('GET', '/v2/messages/status')
		.map(({ query }) => query.get('identifier') ?? query.get('snapshotId') ?? '');
}

function manySnapshots(count: number): string[] {
	return Array.from({ length: count }, (_, index) => send(phone(index)).snapshotId);
}

describe('an event', () => {
	test('is made by each change of state that a poll sees, back and forth', async () => {
		const { snapshotId } = send(phone(1));
		const one = watch({ watchNumbers: phone(1) });
		await one.activate();
		for (const [state, previous] of [
			['submitted', 'sent'],
			['delivered', 'submitted'],
			['submitted', 'delivered'],
			['delivered', 'submitted'],
		]) {
			simulator.clock.advance(1_000);
			simulator.setState(snapshotId, state);
			expect(states(await one.poll())).toEqual([[phone(1), previous, state]]);
			expect(await one.poll()).toEqual([]);
		}
		expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(4);
	});

	test('is made by the first message to a number, and by another message in the same state', async () => {
		const one = watch({ watchNumbers: phone(1) });
		await one.activate();
		expect(await one.poll()).toEqual([]);
		const first = send(phone(1));
		simulator.setState(first.snapshotId, 'delivered');
		expect(states(await one.drain(2))).toEqual([[phone(1), null, 'delivered']]);
		const second = send(phone(1));
		simulator.setState(second.snapshotId, 'delivered');
		expect(await one.drain(8)).toMatchObject([
			{ id: Number(second.snapshotId), previousState: 'delivered', state: 'delivered' },
		]);
	});

	test('is not made when the service loses a message for a while', async () => {
		send(phone(1));
		const one = watch({ watchNumbers: phone(1) });
		await one.activate();
		simulator.faults.add({
			times: 2,
			do: { kind: 'json', status: 404, body: { code: 16, error: 'No message found' } },
		});
		expect(await one.drain(12)).toEqual([]);
		expect(one.errors).toEqual([]);
	});

	test('is made for the chosen states only; the others are taken note of', async () => {
		const { snapshotId } = send(phone(1));
		const one = watch({ watchNumbers: phone(1) }, { statesToEmit: ['delivered', 'error'] });
		await one.activate();
		simulator.setState(snapshotId, 'submitted');
		expect(await one.poll()).toEqual([]);
		simulator.setState(snapshotId, 'delivered');
		expect(states(await one.poll())).toEqual([[phone(1), 'submitted', 'delivered']]);
	});

	test('is made for a state that the interface document does not have', async () => {
		const { snapshotId } = send(phone(1));
		const one = watch({ watchNumbers: phone(1) });
		await one.activate();
		for (const state of ['on its way', 'parked', 'on its way']) {
			simulator.setState(snapshotId, state);
			expect(await one.poll()).toMatchObject([{ state }]);
		}
		expect(one.items.at(-1)).toMatchObject({ previousState: 'parked' });
	});

	test('of two contacts with the same number is one', async () => {
		simulator.service.settings.duplicates = 'accept';
		const list = simulator.service.createList('Customers');
		for (const number of [phone(1), phone(1), phone(2)]) list.addContact(number);
		const { snapshotId } = send(phone(1));
		const one = watch({ watch: 'list', list: { __rl: true, mode: 'id', value: list.id } });
		await one.activate();
		simulator.setState(snapshotId, 'delivered');
		expect(states(await one.poll())).toEqual([[phone(1), 'sent', 'delivered']]);
	});

	test('waits where a poll has handed out enough, and is not lost', async () => {
		const snapshots = manySnapshots(5);
		const one = watch(
			{ watch: 'snapshotIds', watchSnapshotIds: snapshots.join(',') },
			{ maxItemsPerPoll: 2 },
		);
		await one.activate();
		for (const snapshotId of snapshots) simulator.setState(snapshotId, 'bounced');
		const sizes: number[] = [];
		for (let count = 0; count < 3; count++) sizes.push((await one.poll()).length);
		expect(sizes).toEqual([2, 2, 1]);
		const seen = one.items.map(({ snapshotId }) => snapshotId as string);
		expect(seen.sort()).toEqual(snapshots);
	});
});

describe('what is watched', () => {
	test('changes: what is new has its own baseline, the others keep theirs', async () => {
		const [first, second] = [send(phone(1)), send(phone(2))];
		const one = await watch({ watchNumbers: phone(1) }).begin();
		simulator.setState(first.snapshotId, 'delivered');
		simulator.setState(second.snapshotId, 'delivered');
		const items = await one.edit({
			events: ['statusChanged'],
			watchNumbers: `${phone(2)}, ${phone(1)}`,
		});
		expect(states(items)).toEqual([[phone(1), 'sent', 'delivered']]);
		simulator.setState(second.snapshotId, 'opened');
		expect(states(await one.drain(2))).toEqual([[phone(2), 'delivered', 'opened']]);
	});

	test('a list that is empty for a moment loses nothing', async () => {
		const list = simulator.service.createList('Customers');
		list.addContact(phone(1));
		const { snapshotId } = send(phone(1));
		const one = watch({ watch: 'list', list: { __rl: true, mode: 'id', value: list.id } });
		await one.activate();
		const empty = simulator.faults.add({
			path: `/v2/lists/${list.id}/contacts`,
			times: 4,
			do: { kind: 'json', body: [] },
		});
		simulator.setState(snapshotId, 'delivered');
		for (let count = 0; count < 4; count++) expect(await one.poll()).toEqual([]);
		expect(empty.hits).toBe(4);
		expect(states(await one.poll())).toEqual([[phone(1), 'sent', 'delivered']]);
	});

	test('a list that does not exist is an error that says so', async () => {
		const one = watch({ watch: 'list', list: { __rl: true, mode: 'id', value: 'nowhere' } });
		await expect(one.activate()).rejects.toMatchObject({
			message: expect.stringContaining('The list was not found'),
		});
	});
});

describe('the look-ups', () => {
	test(`are ${MOST} in a poll at most, 10 at once, in turn`, async () => {
		const snapshots = manySnapshots(450);
		const one = watch({ watch: 'snapshotIds', watchSnapshotIds: snapshots.join(',') });
		await one.activate();
		expect(simulator.requests).toHaveLength(MOST);
		expect(simulator.maxInFlight).toBeLessThanOrEqual(10);
		const seen = simulator.requests.map(({ query }) => query.get('snapshotId')!);
		seen.push(...(await lookedUp(one)), ...(await lookedUp(one)));
		// After 600 looks, each of the 450 had its turn before any had a second one.
		expect(new Set(seen.slice(0, 450)).size).toBe(450);
		expect(seen).toHaveLength(600);
	});

	test('spend places that are left on those due soonest: few messages are all looked at, always', async () => {
		const snapshots = manySnapshots(3);
		simulator.setState(snapshots[1], 'delivered');
		simulator.setState(snapshots[2], 'bounced');
		const one = watch({ watchNumbers: [0, 1, 2, 3].map(phone).join(',') });
		await one.activate();
		for (let count = 0; count < 150; count++) {
			expect((await lookedUp(one)).sort()).toEqual([0, 1, 2, 3].map(phone));
		}
		// The next message to a number is seen by the next poll.
		for (const index of [2, 3]) {
			const { snapshotId } = send(phone(index));
			expect(await one.poll()).toMatchObject([{ id: Number(snapshotId) }]);
		}
	});

	/** After how many polls a message is looked at again, where moving ones take all places of each poll. */
	async function pausesOf(state: string, hoursAgo: number, count: number): Promise<number[]> {
		const looked: string[] = [];
		const one = new Host({
			parameters: {
				events: ['statusChanged'],
				watchNumbers: Array.from({ length: MOST + 1 }, (_, index) => phone(index)).join(),
			},
			answer(_, { identifier }) {
				looked.push(identifier as string);
				const isIt = identifier === phone(0);
				const age = isIt ? hoursAgo * 3_600_000 : 0;
				const body = {
					id: 1,
					state: isIt ? state : 'sent',
					stateDate: Date.now() - age,
				};
				return { statusCode: 200, body };
			},
		});
		await one.activate();
		const pauses: number[] = [];
		for (let pause = 1; pauses.length < count; pause++) {
			looked.length = 0;
			await one.poll();
			expect(looked).toHaveLength(MOST);
			if (!looked.includes(phone(0))) continue;
			pauses.push(pause);
			pause = 0;
		}
		return pauses;
	}

	// What each state comes to is in unit/trigger/watch.test.mts; here, that state and date get there.
	test.each([
		['delivered', 0, [3, 5, 5]],
		['delivered', 5 * 24, [3, 5, 9]],
	])(
		'where places are short, look at %s for %i hours after %j polls',
		async (state, hours, expected) => {
			expect(await pausesOf(state, hours, expected.length)).toEqual(expected);
		},
	);

	test('of final messages get a share even when moving ones would fill the poll', async () => {
		const snapshots = manySnapshots(400);
		const final = snapshots.slice(300);
		for (const snapshotId of final) simulator.setState(snapshotId, 'delivered');
		const one = watch({ watch: 'snapshotIds', watchSnapshotIds: snapshots.join(',') });
		await one.activate();
		for (let count = 0; count < 4; count++) await one.poll();
		for (const snapshotId of final) simulator.setState(snapshotId, 'opened');
		const items: IDataObject[] = [];
		for (let count = 0; count < 8; count++) items.push(...(await one.poll()));
		expect(items).toHaveLength(final.length);
	});

	test('go on where a failure stopped them', async () => {
		const snapshots = manySnapshots(300);
		const one = watch({ watch: 'snapshotIds', watchSnapshotIds: snapshots.join(',') });
		await one.activate();
		// A service that takes 50 requests, then refuses more for a while.
		const looked = new Set<string>();
		for (let count = 0; count < 8; count++) {
			simulator.faults.add({ skip: 50, times: Infinity, do: { kind: 'tooManyRequests' } });
			const now = await lookedUp(one);
			expect(now.length).toBeLessThanOrEqual(60);
			for (const snapshotId of now.slice(0, 50)) looked.add(snapshotId);
			simulator.faults.clear();
		}
		expect(one.errors).toHaveLength(8);
		expect(one.errors[0]).toMatchObject({
			httpCode: '429',
			failure: { cause: 'rate-limited' },
		});
		expect(looked.size).toBe(300);
	});

	test('are not stopped by a number that the service refuses; it is in the log', async () => {
		const { snapshotId } = send(phone(1));
		simulator.faults.add({
			match: ({ query }) => query.get('identifier') === phone(2),
			times: Infinity,
			do: { kind: 'json', status: 400, body: { code: 19, error: 'fixed line' } },
		});
		const one = watch({ watchNumbers: `${phone(2)}, ${phone(1)}` });
		await one.activate();
		simulator.setState(snapshotId, 'delivered');
		expect(states(await one.poll())).toEqual([[phone(1), 'sent', 'delivered']]);
		expect(one.errors).toEqual([]);
		expect(one.log.map(({ message }) => message).join()).toContain(phone(2));
	});

	test('that are all refused are an error', async () => {
		simulator.faults.add({
			times: Infinity,
			do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid' } },
		});
		await expect(watch({ watchNumbers: phone(2) }).activate()).rejects.toMatchObject({
			message: expect.stringContaining(phone(2)),
		});
	});
});

test('the state takes at most 12 bytes for each number', async () => {
	const list = simulator.service.createList('Customers');
	simulator.service.addContacts(list.id, 5_000);
	const one = await watch({
		watch: 'list',
		list: { __rl: true, mode: 'id', value: list.id },
	}).begin();
	expect(one.stateBytes).toBeLessThanOrEqual(12 * 5_000 + 500);
});

test('numbers are read by the Default Country of the credential', async () => {
	const one = watch({ watchNumbers: '0470 12 34 56, +33 6 39 98 00 01' });
	one.credential = { ...one.credential, defaultCountry: 'BE' };
	await one.activate();
	expect(await lookedUp(one)).toEqual(['+32470123456', phone(1)]);
});

/** `statusChanged`: which messages are looked up when, and what makes an event. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { World } from './fake-service.mts';
import { Host, now, passHours, phone } from './harness.mts';

const simulator = await useSimulator({ now });

/** Most look-ups of one poll: docs/trigger.md. */
const MOST = 200;

const watch = (parameters: INodeParameters, options: INodeParameters = {}) =>
	new Host({ simulator, parameters: { events: ['statusChanged'], ...parameters, options } });
const snapshots = (ids: string[], options: INodeParameters = {}) =>
	watch({ watch: 'snapshotIds', watchSnapshotIds: ids.join() }, options);
/** A new message that stays in state sent until a test says otherwise. */
function send(number: string): string {
	const message = simulator.service.accept({ kind: 'notification', number, text: 'Hello' });
	simulator.setState(message.snapshotId, 'sent');
	return message.snapshotId;
}
const sendMany = (count: number) => Array.from({ length: count }, (_, at) => send(phone(at)));
const states = (items: IDataObject[]) =>
	items.map(({ identifier, previousState, state }) => [identifier, previousState, state]);

/** The numbers or snapshots that a poll looks up; not that it asks for the national form of a number, too. */
async function lookedUp(one: Host): Promise<string[]> {
	simulator.requests.length = 0;
	await one.poll();
	return simulator
		.requestsTo('GET', '/v2/messages/status')
		.map(({ query }) => query.get('identifier') ?? query.get('snapshotId') ?? '')
		.filter((looked) => !looked.startsWith('0'));
}

describe('an event', () => {
	test('is made by each change of state that a poll sees, back and forth', async () => {
		const id = send(phone(1));
		const one = await watch({ watchNumbers: phone(1) }).begin();
		for (const [previous, state] of [
			['sent', 'submitted'],
			['submitted', 'delivered'],
			['delivered', 'submitted'],
			['submitted', 'parked at the operator'],
			['parked at the operator', 'opened'],
		]) {
			simulator.clock.advance(1_000);
			simulator.setState(id, state);
			expect(states(await one.poll())).toEqual([[phone(1), previous, state]]);
			expect(await one.poll()).toEqual([]);
		}
		expect(new Set(one.items.map(({ eventId }) => eventId)).size).toBe(5);
	});

	// The service may hold a number in the form in which a message to it was sent (interface document 2.6).
	test('is made by a message to the other form of the number', async () => {
		const world = new World();
		const parameters = { events: ['statusChanged'], watchNumbers: phone(1) };
		const one = await new Host({ answer: world.answer, parameters }).begin();
		const national = phone(1).replace('+33', '0');
		world.statuses.set(national, { id: 1, state: 'delivered' });
		expect(states(await one.poll())).toEqual([[phone(1), null, 'delivered']]);
		world.statuses.set(phone(1), { id: 2, state: 'sent' });
		expect(states(await one.poll())).toEqual([[phone(1), 'delivered', 'sent']]);
	});

	test('is made by a newer message that is in the same state', async () => {
		send(phone(1));
		const one = await watch({ watchNumbers: phone(1) }).begin();
		simulator.clock.advance(1_000);
		const snapshotId = send(phone(1));
		const [event, ...others] = await one.poll();
		expect(event).toMatchObject({ number: phone(1), state: 'sent' });
		expect(event.eventId).toContain(snapshotId);
		expect(others).toEqual([]);
		expect(await one.poll()).toEqual([]);
	});

	test('is made for the chosen states only; the others are taken note of', async () => {
		const id = send(phone(1));
		const options = { statesToEmit: ['delivered', 'error'] };
		const one = await watch({ watchNumbers: phone(1) }, options).begin();
		simulator.setState(id, 'submitted');
		expect(await one.poll()).toEqual([]);
		simulator.setState(id, 'delivered');
		expect(states(await one.poll())).toEqual([[phone(1), 'submitted', 'delivered']]);
	});

	test('waits where a poll has handed out enough; a message that is lost for a while is none', async () => {
		const ids = sendMany(5);
		const one = await snapshots(ids, { maxItemsPerPoll: 2 }).begin();
		for (const id of ids) simulator.setState(id, 'bounced');
		simulator.faults.add({
			times: 5,
			do: { kind: 'json', status: 404, body: { code: 16, error: 'No message found' } },
		});
		const sizes: number[] = [];
		for (let count = 0; count < 5; count++) sizes.push((await one.poll()).length);
		expect(sizes).toEqual([0, 2, 2, 1, 0]);
		expect(one.items.map(({ snapshotId }) => snapshotId as string).sort()).toEqual(ids);
	});

	test('keeps its own fields where a status has fields of these names', async () => {
		const world = new World();
		const parameters = { events: ['statusChanged'], watchNumbers: phone(1) };
		const one = await new Host({ answer: world.answer, parameters }).begin();
		const theirs = { event: 'theirs', eventId: 'theirs', category: 'theirs' };
		world.statuses.set(phone(1), { id: 1, state: 'sent', ...theirs } as never);
		const eventId: unknown = expect.stringMatching(/^statusChanged:/);
		expect(await one.poll()).toMatchObject([
			{ event: 'statusChanged', eventId, category: null },
		]);
	});
});

describe('the look-ups', () => {
	test(`are ${MOST} in a poll at most, 10 at once, in turn`, async () => {
		const ids = sendMany(450);
		const one = snapshots(ids);
		await one.activate();
		expect(simulator.requests).toHaveLength(MOST);
		// Each reading of the credential costs n8n 50 ms.
		expect(one.reads).toBe(1);
		expect(simulator.maxInFlight).toBeLessThanOrEqual(10);
		const seen = simulator.requests.map(({ query }) => query.get('snapshotId')!);
		seen.push(...(await lookedUp(one)), ...(await lookedUp(one)));
		// After 600 looks, each of the 450 had its turn before any had a second one.
		expect(new Set(seen.slice(0, 450)).size).toBe(450);
		expect(seen).toHaveLength(600);
	});

	test('are made in each poll for numbers, whatever their state', async () => {
		const ids = sendMany(3);
		simulator.setState(ids[1], 'delivered');
		simulator.setState(ids[2], 'bounced');
		const one = await watch({ watchNumbers: [0, 1, 2, 3].map(phone).join() }).begin();
		passHours(24 * 30);
		for (const number of [2, 3]) {
			expect((await lookedUp(one)).sort()).toEqual([0, 1, 2, 3].map(phone));
			send(phone(number));
			expect(await one.poll()).toMatchObject([{ identifier: phone(number) }]);
		}
	});

	test.each([
		['bounced', 0, 0],
		['error', 0, 0],
		['unsubscribed', 0, 0],
		['delivered', 70, 1],
		['delivered', 75, 0],
		['opened', 75, 0],
		['reply', 70, 1],
		['reply', 75, 0],
		['submitted', 24 * 30, 1],
		['parked', 24 * 30, 1],
	])('of a snapshot that is %s for %i hours: %i', async (state, hours, looks) => {
		const id = send(phone(1));
		const one = await snapshots([id]).begin();
		simulator.setState(id, state);
		await one.poll();
		passHours(hours);
		expect(await lookedUp(one)).toHaveLength(looks);
		expect(one.errors).toEqual([]);
	});

	test('of messages that moved already are made even when others would fill the poll', async () => {
		const ids = sendMany(400);
		for (const id of ids.slice(300)) simulator.setState(id, 'delivered');
		const one = await snapshots(ids).begin();
		await one.poll();
		for (const id of ids.slice(300)) simulator.setState(id, 'opened');
		for (let count = 0; count < 8; count++) await one.poll();
		expect(one.items).toHaveLength(100);
	});

	test('go on where a failure of the service stopped them', async () => {
		const ids = sendMany(300);
		const one = snapshots(ids);
		await one.activate();
		// A service that takes 50 requests, then refuses more for a while.
		const looked = new Set<string>();
		for (let count = 0; count < 8; count++) {
			simulator.faults.add({ skip: 50, times: Infinity, do: { kind: 'tooManyRequests' } });
			const asked = await lookedUp(one);
			expect(asked.length).toBeLessThanOrEqual(60);
			for (const id of asked.slice(0, 50)) looked.add(id);
			simulator.faults.clear();
		}
		expect(looked.size).toBe(300);
		expect(one.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
	});

	const broken = { statusCode: 500, body: '<html>' };
	const fixedLine = { statusCode: 400, body: { code: 19, error: 'fixed line' } };
	test.each<[string, number, object, number[]]>([
		['fail, six at the front', 40, broken, [0, 1, 2, 3, 4, 5]],
		['fail, every other one', 100, broken, Array.from({ length: 50 }, (_, at) => at * 2)],
		['fail in the middle', 500, broken, Array.from({ length: 100 }, (_, at) => 150 + at)],
		['are refused, most', 40, fixedLine, Array.from({ length: 39 }, (_, at) => at)],
	])('of numbers that %s of %i do not starve the others', async (_, count, answer, failing) => {
		const world = new World();
		const numbers = Array.from({ length: count }, (__, at) => phone(at));
		for (const number of numbers) world.statuses.set(number, { id: 1, state: 'sent' });
		for (const at of failing) world.instead.set(phone(at), answer as typeof broken);
		const parameters = { events: ['statusChanged'], watchNumbers: numbers.join() };
		const one = new Host({ answer: world.answer, parameters });
		await one.activate();
		const polls = async () => {
			for (let poll = 0; poll < 12; poll++) await one.poll();
		};
		await polls();
		for (const number of numbers) world.statuses.set(number, { id: 1, state: 'delivered' });
		await polls();
		const changed = () => new Set(one.items.map(({ identifier }) => identifier)).size;
		expect(changed()).toBe(count - failing.length);
		const lines = one.log.filter(({ level }) => level === 'warn').length;
		// A poll that asks others has nothing to complain about.
		expect(lines).toBeLessThan(count > MOST ? 12 : 2);
		expect(lines).toBeGreaterThan(0);
		world.instead.clear();
		await polls();
		for (const at of failing) world.statuses.set(phone(at), { id: 1, state: 'opened' });
		await polls();
		expect(changed()).toBe(count);
	});

	test('end for this poll when so many fail that it must be the service, and the poll fails', async () => {
		const world = new World();
		const numbers = Array.from({ length: 200 }, (_, at) => phone(at));
		for (const number of numbers) world.statuses.set(number, { id: 1, state: 'sent' });
		const parameters = { events: ['statusChanged'], watchNumbers: numbers.join() };
		const one = await new Host({ answer: world.answer, parameters }).begin();
		for (const answer of [broken, { statusCode: 403, body: { error: 'forbidden' } }]) {
			world.instead.set('messages/status', answer);
			world.asked.length = 0;
			await one.poll();
			expect(world.asked.length).toBeLessThanOrEqual(30);
			expect(one.errors.pop()).toMatchObject({ httpCode: String(answer.statusCode) });
		}
	});

	test('of numbers that are all refused stop the activation, with the number masked', async () => {
		const refuse = { kind: 'json', status: 400, body: { code: 11, error: 'invalid' } } as const;
		simulator.faults.add({ times: Infinity, do: refuse });
		const message: unknown = expect.stringContaining('(+33 6 ** ** ** 02)');
		await expect(watch({ watchNumbers: phone(2) }).activate()).rejects.toMatchObject({
			message,
		});
	});
});

test('numbers are read by the Default Country of the credential', async () => {
	const one = watch({ watchNumbers: '0470 12 34 56; +33 6 39 98 00 01' });
	one.credential = { ...one.credential, defaultCountry: 'BE' };
	await one.activate();
	expect(await lookedUp(one)).toEqual(['+32470123456', phone(1)]);
});

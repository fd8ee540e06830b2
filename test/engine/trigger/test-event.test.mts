/** "Fetch Test Event": a real sample of each chosen event, and nothing is remembered. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { Host, now, phone } from './harness.mts';

const simulator = await useSimulator({ now });

const host = (parameters: INodeParameters) => new Host({ simulator, parameters });
const ALL = {
	events: 'reply unsubscribed bounced statisticsChanged creditsLow statusChanged'.split(' '),
	categories: 'a',
	creditsThreshold: 10,
	watchNumbers: `${phone(9)}, ${phone(1)}`,
};

test('gives a sample of each chosen event, with the fields of a real one', async () => {
	const message = simulator.service.accept({
		kind: 'notification',
		number: phone(1),
		text: 'Hello',
		category: 'a',
	});
	simulator.reply(phone(1), 'Thank you');
	simulator.stop(phone(2), { category: 'a' });
	simulator.bounce(phone(3), { category: 'a' });
	const items = await host(ALL).fetchTestEvent();
	expect(items).toMatchObject([
		{ event: 'reply', category: 'a', identifier: phone(1), message: 'Thank you' },
		{ event: 'unsubscribed', category: 'a', identifier: '0639980002' },
		{ event: 'bounced', category: 'a', identifier: '0639980003' },
		{
			event: 'statisticsChanged',
			eventId: 'statisticsChanged:a:sample',
			current: { sent: 2, delivered: 1 },
			previous: { sent: 1, delivered: 1 },
			change: { sent: 1, delivered: 0 },
		},
		{ event: 'creditsLow', threshold: 10, credits: expect.any(Number) },
		{
			event: 'statusChanged',
			identifier: phone(1),
			id: Number(message.snapshotId),
			state: 'reply',
			previousState: null,
		},
	]);
	for (const { eventId } of items) expect(eventId).toBeTypeOf('string');
});

describe('of several entries, the newest one is shown', () => {
	const sampleOf = async (body: unknown, event = 'reply') => {
		simulator.faults.add({ do: { kind: 'json', body } });
		return await host({ events: [event] }).fetchTestEvent();
	};
	// 24 hex digits begin with the time; the service names no order.
	const ids = [
		'65f000000000000000000002',
		'65f000000000000000000003',
		'65e000000000000000000009',
	];

	test.each([
		['by its ID', ids, ids[1]],
		['by its ID, whatever the order', [...ids].reverse(), ids[1]],
		['else the last one', ['r2', 'r3', 'r1'], 'r1'],
		['else the last one, where one has another ID', [...ids, '7'], '7'],
	])('%s', async (_, order, newest) => {
		const replies = order.map((id) => ({ id, identifier: phone(1), message: `text ${id}` }));
		expect(await sampleOf(replies)).toMatchObject([{ id: newest, message: `text ${newest}` }]);
	});

	test('and a number that was taken off the list is none', async () => {
		const entries = ids.map((id, at) => ({ id, identifier: phone(at), deleted: at === 1 }));
		const items = await sampleOf(entries, 'unsubscribed');
		expect(items).toMatchObject([{ number: phone(0) }]);
	});
});

test('leaves the state alone', async () => {
	const one = host({ events: ['reply'], categories: 'a' });
	simulator.reply(phone(1), 'old', { category: 'a' });
	await one.activate();
	const { database, state } = one;
	simulator.reply(phone(1), 'new', { category: 'a' });
	await one.fetchTestEvent();
	expect(one.database).toEqual(database);
	expect(one.state).toEqual(state);
	expect(await one.poll()).toMatchObject([{ message: 'new' }]);
});

describe('when there is nothing', () => {
	const PUBLISH = 'You can publish the workflow anyway.';
	const watched = { watch: 'numbers', watchNumbers: phone(9) };

	const SPELLING = " Check the spelling of 'Categories'.";
	test.each([
		[['reply'], '', 'No reply has arrived yet.'],
		[['unsubscribed'], '', 'No number has unsubscribed yet.'],
		[['bounced'], 'a', `No number has bounced yet.${SPELLING}`],
		[['statusChanged'], '', 'None of the messages that you watch was found.'],
		[['reply', 'bounced'], '', 'The service has no entry for the chosen events.'],
		[['reply', 'bounced'], 'a', `The service has no entry for the chosen events.${SPELLING}`],
	])('says so of %j in the category %j', async (events, categories, nothing) => {
		simulator.service.settings.unknownCategory = 'empty';
		const one = host({ events, categories, ...watched });
		await expect(one.fetchTestEvent()).rejects.toMatchObject({
			message: 'There is nothing to show yet',
			description: `${nothing} ${PUBLISH}`,
		});
	});
});

test('a sample of statistics has a change, also of a category without messages', async () => {
	simulator.service.settings.unknownCategory = 'zeros';
	const one = host({ events: ['statisticsChanged'], categories: 'a' });
	expect(await one.fetchTestEvent()).toMatchObject([
		{ current: { sent: 1 }, previous: { sent: 0 }, change: { sent: 1, delivered: 0 } },
	]);
});

test.each([
	[1_000, 9],
	[4, 4],
])(
	'a sample of low credits is below the threshold, with a balance of %d',
	async (balance, shown) => {
		simulator.service.setCredits(balance);
		const one = host({ events: ['creditsLow'], creditsThreshold: 10 });
		expect(await one.fetchTestEvent()).toMatchObject([{ credits: shown, threshold: 10 }]);
	},
);

test('gives what there is when a part fails, and the failure when there is nothing else', async () => {
	simulator.reply(phone(1), 'hello', { category: 'a' });
	simulator.faults.add({
		path: '/v2/messages/blacklists',
		times: Infinity,
		do: { kind: 'tooManyRequests' },
	});
	const one = host({ events: ['reply', 'bounced'], categories: 'a' });
	expect(await one.fetchTestEvent()).toMatchObject([{ event: 'reply' }]);
	expect(one.log).toHaveLength(1);
	await expect(
		host({ events: ['bounced'], categories: 'a' }).fetchTestEvent(),
	).rejects.toMatchObject({ httpCode: '429' });
});

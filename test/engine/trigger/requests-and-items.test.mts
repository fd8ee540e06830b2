/** The fields of each event, and its request: interface document 4.1, 4.4, 4.5 and 4.6. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { Host, now, phone } from './harness.mts';

const simulator = await useSimulator({ now });

const host = (parameters: INodeParameters) => new Host({ simulator, parameters });

/** The requests of one poll, as the interface document writes them. */
async function requestsOf(parameters: INodeParameters): Promise<string[]> {
	const one = host(parameters);
	simulator.requests.length = 0;
	await one.activate();
	for (const request of simulator.requests) {
		expect(request.header(simulator.headerName)).toBe(simulator.apiKey);
		expect(request.body.length).toBe(0);
	}
	return simulator.requests.map(({ method, target }) => `${method} ${target}`);
}

const invoices = { categories: 'invoices' };
const numbers = { watchNumbers: '06 39 98 00 01, +33 6 39 98 00 02\n0033639980001' };
const ids = { watch: 'snapshotIds', watchSnapshotIds: '362891, 362892' };

test.each<[string[], INodeParameters, string[]]>([
	[['reply'], invoices, ['messages/replies?category=invoices']],
	[['reply'], {}, ['messages/replies']],
	[['unsubscribed', 'bounced'], invoices, ['messages/blacklists?category=invoices']],
	[['unsubscribed'], {}, ['unsubscribers/default/contacts']],
	[['bounced'], {}, ['bounces/default/contacts']],
	[['statisticsChanged'], invoices, ['messages/stats?category=invoices']],
	[['statisticsChanged', 'creditsLow'], {}, ['account/stats']],
	// Nothing was sent to them in either form (interface document 2.6).
	[
		['statusChanged'],
		numbers,
		['%2B33639980001', '0639980001', '%2B33639980002', '0639980002'].map(
			statusOf('identifier'),
		),
	],
	[['statusChanged'], ids, ['362891', '362892'].map(statusOf('snapshotId'))],
	[
		['reply'],
		{ categories: ' a & b , été ,,a & b' },
		['messages/replies?category=a%20%26%20b', 'messages/replies?category=%C3%A9t%C3%A9'],
	],
])('the requests of a poll for %j, %j', async (events, parameters, requests) => {
	expect((await requestsOf({ events, ...parameters })).sort()).toEqual(
		requests.map((request) => `GET /v2/${request}`).sort(),
	);
});

function statusOf(field: string) {
	return (value: string) => `messages/status?${field}=${value}`;
}

/** When the poll was: an ISO date in UTC. */
const POLLED: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const isoOf = (time?: number) => new Date(time!).toISOString();

describe('an item', () => {
	test('reply', async () => {
		const one = host({ events: ['reply'], categories: 'orders' });
		await one.activate();
		const { id } = simulator.reply('+33639981234', 'Oui, merci', { category: 'orders' });
		const eventId = `reply:orders:${id}`;
		const [item] = await one.poll();
		const reply = {
			...{ event: 'reply', number: '+33639981234', message: 'Oui, merci', intent: 'yes' },
			...{ category: 'orders', receivedAt: POLLED, eventId, id, identifier: '+33639981234' },
		};
		expect(item).toEqual(reply);
		// Fields that a user looks for come first.
		expect(Object.keys(item)).toEqual(Object.keys(reply));
	});

	test('reply: what it means, as the actions say it', async () => {
		const one = host({ events: ['reply'], categories: 'invoices' });
		await one.activate();
		for (const text of ['Arrêtez svp', 'aide', 'ok d’accord', 'non merci', 'non-stop']) {
			simulator.reply(phone(1), text, { category: 'invoices' });
		}
		const items = await one.poll();
		expect(items?.map(({ intent }) => intent)).toEqual(['stop', 'help', 'yes', 'no', 'other']);
	});

	test('reply, of the whole account', async () => {
		const one = host({ events: ['reply'] });
		await one.activate();
		const { id } = simulator.reply(phone(1), 'Hello', { category: 'invoices' });
		simulator.reply(phone(2), 'Hello');
		expect(await one.poll()).toMatchObject([
			{ eventId: `reply::${id}`, category: null },
			{ category: null, identifier: phone(2) },
		]);
	});

	// The service writes those of a category in national format (interface document 2.11).
	test.each([
		['invoices', '0639980001', '0639980002'],
		['', phone(1), phone(2)],
	])('unsubscribed and bounced, of the category %j', async (category, stopped, bounced) => {
		const one = host({ events: ['unsubscribed', 'bounced'], categories: category });
		await one.activate();
		const of = category === '' ? {} : { category };
		simulator.stop(phone(1), of);
		simulator.bounce(phone(2), of);
		if (category !== '') simulator.stop(phone(3), { category: 'other' });
		const idOf = (list: 'unsubscribers' | 'bounces', number: string) =>
			category === '' ? simulator.service.blacklist(list).entries.items()[0].id : number;
		const item = (event: string, id: string, identifier: string, number: string) => ({
			event,
			eventId: `${event}:${category}:${id}`,
			category: category || null,
			identifier,
			number,
			receivedAt: POLLED,
		});
		expect(await one.poll()).toEqual([
			item('unsubscribed', idOf('unsubscribers', phone(1)), stopped, phone(1)),
			item('bounced', idOf('bounces', phone(2)), bounced, phone(2)),
		]);
	});

	test('statusChanged', async () => {
		const message = send(phone(1));
		const one = host({ events: ['statusChanged'], watchNumbers: phone(1) });
		await one.activate();
		simulator.clock.advance(10_000);
		expect(await one.poll()).toEqual([
			{
				event: 'statusChanged',
				eventId: `statusChanged::${message.snapshotId}:delivered:${message.stateDate}`,
				category: null,
				identifier: phone(1),
				number: phone(1),
				receivedAt: POLLED,
				previousState: 'sent',
				id: Number(message.snapshotId),
				snapshotId: message.snapshotId,
				state: 'delivered',
				stateDate: message.stateDate,
				sent: message.sent,
				submitted: message.submitted,
				delivered: message.delivered,
				stateDateIso: isoOf(message.stateDate),
				sentIso: isoOf(message.sent),
				submittedIso: isoOf(message.submitted),
				deliveredIso: isoOf(message.delivered),
				test: false,
			},
		]);
	});

	test('statisticsChanged', async () => {
		const counters = { sent: 925, submitted: 925, delivered: 872, replies: 62 };
		simulator.service.setStatistics('invoices', counters);
		const one = host({ events: ['statisticsChanged'], categories: 'invoices' });
		await one.activate();
		simulator.service.setStatistics('invoices', { ...counters, delivered: 880, replies: 60 });
		const [item] = await one.poll();
		expect(item).toMatchObject({
			event: 'statisticsChanged',
			category: 'invoices',
			current: { sent: 925, delivered: 880, replies: 60 },
			previous: { sent: 925, delivered: 872, replies: 62 },
			change: { sent: 0, delivered: 8, replies: -2 },
		});
		expect(item.eventId).toMatch(/^statisticsChanged:invoices:\w+$/);
		expect(await one.poll()).toEqual([]);
	});

	test('creditsLow: at the threshold is not below it', async () => {
		simulator.service.setCredits(100);
		const one = await host({ events: ['creditsLow'], creditsThreshold: 100 }).begin();
		simulator.service.setCredits(99);
		const own = { event: 'creditsLow', category: null, credits: 99, threshold: 100 };
		expect(await one.poll()).toMatchObject([own]);
	});
});

describe('answers that differ from the document within reason', () => {
	/** Replaces the answer to the next requests. */
	function answer(body: unknown): void {
		simulator.faults.clear();
		simulator.faults.add({ times: Infinity, do: { kind: 'json', body } });
	}

	const bounced = { events: ['bounced'], categories: 'a' };
	const replies = { events: ['reply'] };
	const from = (message: string, id?: unknown) => ({ id, identifier: '0639980001', message });
	const bounces = (number: number, identifiers: unknown) => ({
		bounces: { number, identifiers },
	});
	test.each<[string, INodeParameters, unknown, unknown, object[]]>([
		['numeric IDs', replies, [from('a', 1)], [from('b', 2), from('a', 1)], [{ id: '2' }]],
		['replies without an ID', replies, [from('a')], [from('b'), from('a')], [{ id: null }]],
		[
			'replies without an ID, with one text from two people',
			replies,
			[from('a')],
			[{ ...from('a'), identifier: '0639980002' }, from('a')],
			[{ number: '+33639980002' }],
		],
		[
			'the same number in the other format',
			bounced,
			bounces(1, ['0639980001']),
			bounces(2, ['+33639980001', '+33639980002']),
			[{ identifier: '+33639980002' }],
		],
		[
			'counters as strings',
			{ events: ['statisticsChanged'], categories: 'a' },
			{ sent: '1', delivered: '0' },
			{ sent: '2', delivered: '0' },
			[{ current: { sent: 2, delivered: 0 }, change: { sent: 1, delivered: 0 } }],
		],
	])('%s', async (_, parameters, before, after, items) => {
		const one = host(parameters);
		answer(before);
		await one.activate();
		answer(after);
		expect(await one.poll()).toMatchObject(items);
		expect(await one.poll()).toEqual([]);
		expect(one.errors).toEqual([]);
	});

	const some = { bounces: { number: 1, identifiers: 'some' } };
	test.each<[string, INodeParameters, unknown]>([
		['a text for replies', { events: ['reply'] }, 'none'],
		['an object that is no reply', { events: ['reply'] }, { unexpected: true }],
		['replies of which none makes sense', { events: ['reply'] }, [null, {}, 5]],
		['entries without a number', { events: ['unsubscribed'] }, [{ id: '1' }]],
		['identifiers as a word', { events: ['bounced'], categories: 'a' }, some],
		['statistics without counters', { events: ['statisticsChanged'] }, {}],
		['an account without credits', { events: ['creditsLow'] }, { sent: 1 }],
	])('%s makes no sense, and is an error that says so', async (_, parameters, body) => {
		const one = host(parameters);
		await one.activate();
		const state = structuredClone(JSON.parse(JSON.stringify(one.state)));
		answer(body);
		expect(await one.poll()).toEqual([]);
		expect(one.errors).toHaveLength(1);
		expect(one.errors[0].message).toMatch(/an unexpected answer/);
		expect(JSON.parse(JSON.stringify(one.state))).toEqual(state);
	});
});

/** Accepts a message, as a send would. */
function send(number: string, category?: string) {
	return simulator.service.accept({
		kind: 'notification',
		number,
		text: 'Your parcel has arrived',
		category,
	});
}

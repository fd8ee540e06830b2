/** Interface document 4.4 and 4.6 over the wire: the one request of each operation, and its result. */
import { describe, expect, test } from 'vitest';
import type { INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import { CATEGORY, hurry, jsonOf, NUMBER, sent, smsStats, wire } from './support.mts';

hurry();
const sim = await useSimulator();

/** What an HTTP client adds; everything else is named in the document. */
const OF_HTTP = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];

const REQUESTS: Array<[operation: string, parameters: INodeParameters, target: string]> = [
	[
		'messageStatus',
		{ number: '+33 6 39 98 12 34' },
		'/v2/messages/status?identifier=%2B33639981234',
	],
	['messageStatus', { number: '06.39.98.12.34' }, '/v2/messages/status?identifier=0639981234'],
	[
		'messageStatus',
		{ lookupBy: 'snapshotId', snapshotId: ' 362891 ' },
		'/v2/messages/status?snapshotId=362891',
	],
	['category', { category: ' orders ' }, '/v2/messages/stats?category=orders'],
	['replies', { category: 'orders' }, '/v2/messages/replies?category=orders'],
	['categoryBlacklists', { category: 'orders' }, '/v2/messages/blacklists?category=orders'],
	['account', {}, '/v2/account/stats'],
];

test.each(REQUESTS)('%s of %j is GET %s', async (operation, parameters, target) => {
	sent(sim);
	const { error } = await smsStats(sim, operation, parameters);

	expect(error).toBeUndefined();
	expect(sim.requests).toHaveLength(1);
	const { line, headers, body } = wire(sim.requests[0]);
	const documented = Object.entries(headers).filter(([name]) => !OF_HTTP.includes(name));
	expect(line).toBe(`GET ${target} HTTP/1.1`);
	expect(Object.fromEntries(documented)).toEqual({ 'x-service-apikey': sim.apiKey });
	expect(body).toBe('');
});

test.each(['category', 'replies', 'categoryBlacklists'])(
	'%s: special characters of a category are encoded, so that it arrives as it is',
	async (operation) => {
		const category = 'a+b & c=d/é?#%20';
		await smsStats(sim, operation, { category });
		const [request] = sim.requests;
		expect(request.target).not.toMatch(/[&#+ ]|c=d/);
		expect(new URL(request.target, sim.baseUrl).searchParams.get('category')).toBe(category);
	},
);

describe('the results have the fields of the service', () => {
	test('status of the latest message to a number, in either format', async () => {
		sent(sim);
		const snapshotId = sent(sim);
		sim.clock.advance(10_000);
		const [message] = sim.messages.slice(-1);
		const expected = {
			id: Number(snapshotId),
			state: 'delivered',
			stateDate: message.delivered,
			sent: message.sent,
			submitted: message.submitted,
			delivered: message.delivered,
			test: false,
			number: NUMBER,
		};
		for (const number of [NUMBER, '06 39 98 12 34']) {
			const { items } = await smsStats(sim, 'messageStatus', {
				number,
				simplify: false,
			});
			expect(items).toEqual([{ json: expected, pairedItem: { item: 0 } }]);
		}
	});

	test('ISO dates in place of milliseconds, and only where there are any', async () => {
		const snapshotId = sent(sim);
		const { sent: at } = sim.messages[0];
		const { items } = await smsStats(sim, 'messageStatus', {
			lookupBy: 'snapshotId',
			snapshotId,
		});
		const iso = new Date(at!).toISOString();
		expect(jsonOf(items)).toEqual([
			{
				snapshotId,
				state: 'sent',
				isFinal: false,
				test: false,
				stateDateIso: iso,
				sentIso: iso,
			},
		]);
	});

	test('statistics of a category', async () => {
		const counters = {
			sent: 925,
			submitted: 925,
			delivered: 872,
			openers: 114,
			clickers: 178,
			clicks: 145,
			opens: 241,
			replies: 62,
			unsubscribers: 3,
			errors: 31,
			bounced: 28,
			complaint: 3,
			timespent: 18,
		};
		sim.service.setStatistics(CATEGORY, counters);
		const { items } = await smsStats(sim, 'category', {
			category: CATEGORY,
			simplify: false,
		});
		expect(items).toEqual([{ json: counters, pairedItem: { item: 0 } }]);
	});

	test('blacklists of a category, numbers in international format', async () => {
		sim.stop('+33639980001', { category: CATEGORY });
		sim.stop('+33639980002', { category: CATEGORY });
		const { items } = await smsStats(sim, 'categoryBlacklists', { category: CATEGORY });
		expect(jsonOf(items)).toEqual([
			{
				category: CATEGORY,
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 2, numbers: ['+33639980001', '+33639980002'] },
			},
		]);
	});

	test('account statistics', async () => {
		sent(sim);
		sim.service.setCredits(279);
		const { items } = await smsStats(sim, 'account');
		expect(jsonOf(items)).toEqual([
			expect.objectContaining({ credits: 279, sent: 1, unsubscribers: 0 }),
		]);
		expect(Object.keys(items[0].json).slice(0, 3)).toEqual(['credits', 'sent', 'delivered']);
	});

	test('one item for each reply, up to the limit', async () => {
		for (const text of ['Oui', 'Non', 'À 8 h']) sim.reply(NUMBER, text, { category: CATEGORY });
		const intents = ['yes', 'no', 'other'];
		const all = sim.service.replies(CATEGORY).map(({ id, message }, at) => ({
			id,
			message,
			number: NUMBER,
			intent: intents[at],
			category: CATEGORY,
		}));
		expect(all).toHaveLength(3);

		const parameters = { category: CATEGORY, returnAll: true };
		const { items } = await smsStats(sim, 'replies', parameters);
		expect(items).toEqual(all.map((json) => ({ json, pairedItem: { item: 0 } })));

		const limited = await smsStats(sim, 'replies', { category: CATEGORY, limit: 2 });
		expect(jsonOf(limited.items)).toEqual(all.slice(0, 2));
	});

	describe('replies that are wanted', () => {
		const from = (text: string, number = NUMBER, category = CATEGORY) =>
			sim.reply(number, text, { category }).id;
		const messages = async (options: INodeParameters, others: INodeParameters = {}) => {
			const parameters = { category: CATEGORY, returnAll: true, options, ...others };
			const { items, error } = await smsStats(sim, 'replies', parameters);
			expect(error).toBeUndefined();
			return items.map(({ json }) => json.message);
		};

		test.each(['+33639981234', '06 39 98 12 34', '0033 6 39 98 12 34'])(
			'From Number %s, in whatever format the service has it',
			async (fromNumber) => {
				sim.service.setReplies(CATEGORY, [
					{ id: 'a', identifier: NUMBER, message: 'a' },
					{ id: 'b', identifier: '0639981234', message: 'b' },
					{ id: 'c', identifier: '+33639981235', message: 'c' },
				]);
				expect(await messages({ fromNumber })).toEqual(['a', 'b']);
				expect(sim.requests.map(({ target }) => target)).toEqual([
					`/v2/messages/replies?category=${CATEGORY}`,
				]);
			},
		);

		test('the limit counts those that are wanted', async () => {
			for (const text of ['1', '2', '3']) from(text, '+33639980001');
			const ids = ['4', '5', '6'].map((text) => from(text));
			const limited = { returnAll: false, limit: 1 };
			expect(await messages({ fromNumber: NUMBER }, limited)).toEqual(['4']);
			const options = { fromNumber: NUMBER, receivedAfter: ids[0] };
			expect(await messages(options, limited)).toEqual(['5']);
		});

		test('Replies Already Seen leaves out what was there, whatever the order', async () => {
			const seen = [from('1'), from('2'), from('3')];
			const text = ` ${seen.join(' , ')},`;
			for (const receivedAfter of [text, seen.join('\n'), `={{ ${JSON.stringify(seen)} }}`]) {
				expect(await messages({ receivedAfter })).toEqual([]);
			}
			from('4');
			sim.service.reorderReplies(CATEGORY);
			expect(await messages({ receivedAfter: text })).toEqual(['4']);
			sim.service.removeReplies(CATEGORY, [seen[1]]);
			expect(await messages({ receivedAfter: text })).toEqual(['4']);
		});

		test.each([
			['an empty text', ''],
			['an empty list', '={{ [] }}'],
			['the ID of no item, by Always Output Data', '={{ [undefined] }}'],
			['gaps', '={{ [null, "", undefined] }}'],
			['commas', ' , ,'],
		])('Replies Already Seen with %s leaves out nothing', async (_, receivedAfter) => {
			sim.service.setReplies(CATEGORY, [
				{ id: 'a', identifier: NUMBER, message: 'a' },
				{ identifier: NUMBER, message: 'without ID' } as never,
			]);
			expect(await messages({ receivedAfter })).toEqual(['a', 'without ID']);
		});

		test('IDs that come as numbers', async () => {
			sim.service.setReplies(CATEGORY, [
				{ id: 7 as never, identifier: NUMBER, message: 'seven' },
				{ id: '77', identifier: NUMBER, message: 'seventy-seven' },
			]);
			expect(await messages({ receivedAfter: '={{ 7 }}' })).toEqual(['seventy-seven']);
			expect(await messages({ receivedAfter: '={{ [7, "77"] }}' })).toEqual([]);
		});

		test('items that want other replies of the same category make one request', async () => {
			const first = from('1');
			from('2', '+33639980001');
			from('3');
			const { items } = await smsStats(
				sim,
				'replies',
				{
					category: CATEGORY,
					options: {
						fromNumber: '={{ $json.number }}',
						receivedAfter: '={{ $json.seen }}',
					},
				},
				{
					items: [
						{ number: NUMBER, seen: [first] },
						{ number: '+33639980001', seen: '' },
						{ number: '+33639980002', seen: [] },
					],
				},
			);
			expect(items.map(({ json, pairedItem }) => [json.message, pairedItem])).toEqual([
				['3', { item: 0 }],
				['2', { item: 1 }],
			]);
			expect(sim.requests).toHaveLength(1);
		});

		test('the numbers of another default country', async () => {
			from('Sure', '+447700900123');
			from('Oui');
			const { items } = await smsStats(
				sim,
				'replies',
				{ category: CATEGORY, options: { fromNumber: '07700 900123' } },
				{
					credential: {
						baseUrl: sim.baseUrl,
						apiKey: sim.apiKey,
						defaultCountry: 'GB',
					},
				},
			);
			expect(jsonOf(items).map(({ message }) => message)).toEqual(['Sure']);
		});
	});

	test('replies of several categories, each paired with the item that asked for it', async () => {
		sim.reply('+33639980001', 'a', { category: 'first' });
		sim.reply('+33639980002', 'b', { category: 'third' });
		sim.reply('+33639980003', 'c', { category: 'third' });
		const { items } = await smsStats(
			sim,
			'replies',
			{ category: '={{ $json.tag }}', returnAll: true },
			{ items: [{ tag: 'first' }, { tag: 'second' }, { tag: 'third' }] },
		);
		expect(items.map(({ json, pairedItem }) => [json.message, pairedItem])).toEqual([
			['a', { item: 0 }],
			['b', { item: 2 }],
			['c', { item: 2 }],
		]);
	});
});

describe('what the user has to correct is said before any request', () => {
	const BAD: Array<[operation: string, parameters: INodeParameters, message: RegExp]> = [
		['messageStatus', { number: '={{ "" }}' }, /'Phone Number' is empty/],
		['messageStatus', { number: '12' }, /'Phone Number' "12" is too short/],
		['messageStatus', { number: '={{ {} }}' }, /'Phone Number' is an object/],
		[
			'messageStatus',
			{ lookupBy: 'snapshotId', snapshotId: '={{ "" }}' },
			/'Snapshot ID' is empty/,
		],
		[
			'messageStatus',
			{ number: NUMBER, options: { waitForFinalState: true, waitInterval: 0 } },
			/'Wait Interval \(Seconds\)' is "0"/,
		],
		[
			'messageStatus',
			{ number: NUMBER, options: { waitForFinalState: true, waitTimeLimit: '={{ "x" }}' } },
			/'Wait Time Limit \(Seconds\)' is "x"/,
		],
		['category', { category: '={{ " " }}' }, /'Category' is empty/],
		['category', { category: '={{ $json.missing }}' }, /'Category' is empty/],
		['replies', { category: '={{ " " }}' }, /'Category' is empty/],
		['replies', { category: 'orders', limit: '={{ 0 }}' }, /'Limit' is "0"/],
		...(
			[
				[{ fromNumber: '' }, /'From Number' is empty/],
				[{ fromNumber: '={{ $json.missing }}' }, /'From Number' is undefined/],
				[{ fromNumber: '12' }, /'From Number' "12" is too short/],
				[{ receivedAfter: '={{ $json.missing }}' }, /'Replies Already Seen' is undefined/],
				[{ receivedAfter: '={{ null }}' }, /'Replies Already Seen' is null/],
				[{ receivedAfter: '={{ {} }}' }, /'Replies Already Seen' contains an object/],
				[
					{ receivedAfter: '={{ [{ id: "a" }] }}' },
					/'Replies Already Seen' contains an object/,
				],
				[{ receivedAfter: '={{ true }}' }, /'Replies Already Seen' contains "true"/],
			] as Array<[INodeParameters, RegExp]>
		).map(([options, message]): [string, INodeParameters, RegExp] => [
			'replies',
			{ category: 'orders', options },
			message,
		]),
		['categoryBlacklists', { category: '={{ [] }}' }, /'Category' is a list/],
	];

	test.each(BAD)('%s %j', async (operation, parameters, message) => {
		const { error } = await smsStats(sim, operation, parameters);
		expect(error?.message).toMatch(message);
		expect(error?.description).toBeTruthy();
		expect(sim.requests).toHaveLength(0);
	});

	test('a category that is bad for one item stops all', async () => {
		const { error } = await smsStats(
			sim,
			'category',
			{ category: '={{ $json.tag }}' },
			{ items: [{ tag: 'orders' }, { tag: '' }] },
		);
		expect(error?.message).toMatch(/'Category' is empty/);
		expect(error?.context.itemIndex).toBe(1);
		expect(sim.requests).toHaveLength(0);
	});
});

describe('failures', () => {
	test('no message to a number (code 16) says so', async () => {
		const { error } = await smsStats(sim, 'messageStatus', { number: NUMBER });
		expect(error?.message).toBe('No message was found to +33639981234');
		expect(error?.description).toMatch(
			/^Check the number or the snapshot ID\. If it is right, nothing was sent to it/,
		);
	});

	test('an operation that there is not is named as what to choose', async () => {
		const { error } = await smsStats(sim, 'categoryStatistics', { category: CATEGORY });
		expect(error?.message).toBe('The request has no address');
		expect(error?.description).toContain("that 'Operation' offers");
		expect(sim.requests).toHaveLength(0);
	});

	test('"Continue on fail" keeps the statuses that were found', async () => {
		const snapshotId = sent(sim);
		const { items } = await smsStats(
			sim,
			'messageStatus',
			{ lookupBy: 'snapshotId', snapshotId: '={{ $json.id }}' },
			{
				items: [{ id: '1' }, { id: snapshotId }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(items).toEqual([
			{
				json: expect.objectContaining({
					error: 'No message was found under the snapshot ID 1',
					code: 16,
				}),
				pairedItem: { item: 0 },
			},
			{
				json: expect.objectContaining({ snapshotId, state: 'sent' }),
				pairedItem: { item: 1 },
			},
		]);
	});

	test.each(['messageStatus', 'category', 'replies', 'categoryBlacklists', 'account'])(
		'%s gets over a service that is busy for a moment',
		async (operation) => {
			sent(sim);
			sim.faults.add({ do: { kind: 'tooManyRequests' } });
			sim.faults.add({ do: { kind: 'status', status: 500 } });
			const { error } = await smsStats(sim, operation, {
				number: NUMBER,
				category: CATEGORY,
			});
			expect(error).toBeUndefined();
			expect(sim.requests).toHaveLength(3);
		},
	);

	test.each(['messageStatus', 'category', 'replies', 'categoryBlacklists', 'account'])(
		'%s never has more requests under way than Concurrency says',
		async (operation) => {
			sent(sim);
			sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 250 } });
			const options = { concurrency: 2 };
			const { error } = await smsStats(
				sim,
				operation,
				{ number: NUMBER, category: '={{ $json.category }}', options },
				{ items: Array.from({ length: 12 }, (_, at) => ({ category: `c${at}` })) },
			);
			expect(error).toBeUndefined();
			expect(sim.requests).toHaveLength(12);
			expect(sim.maxInFlight).toBe(operation === 'messageStatus' ? 2 : 10);
		},
	);
});

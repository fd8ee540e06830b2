/** Interface document 4.4 and 4.6: what comes out of the answers. The requests are in the table of operations. */
import { describe, expect, test } from 'vitest';
import type { INodeParameters } from 'n8n-workflow';
import { useSimulator } from '../../harness/fixtures.mts';
import { CATEGORY, hurry, jsonOf, NUMBER, sent, smsStats, succeeded } from './support.mts';

hurry();
const sim = await useSimulator();

describe('the results have the fields of the service', () => {
	test('ISO dates in place of milliseconds, and only where there are any', async () => {
		const snapshotId = sent(sim);
		// It stays on its way, however long the call takes.
		sim.setState(snapshotId, 'sent');
		const { sent: at, stateDate } = sim.messages[0];
		const { items } = await smsStats(sim, 'messageStatus', {
			lookupBy: 'snapshotId',
			snapshotId,
		});
		expect(jsonOf(items)).toEqual([
			{
				snapshotId,
				state: 'sent',
				isFinal: false,
				test: false,
				stateDateIso: new Date(stateDate).toISOString(),
				sentIso: new Date(at!).toISOString(),
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
	});

	test('account statistics, once for all items', async () => {
		sim.service.setCredits(279);
		const given = [{ to: 1 }, { to: 2 }, { to: 3 }];
		const { items } = succeeded(await smsStats(sim, 'account', {}, { items: given }));
		expect(jsonOf(items)).toEqual([expect.objectContaining({ credits: 279 })]);
		expect(items[0].pairedItem).toEqual(given.map((_, item) => ({ item })));
		expect(sim.requests).toHaveLength(1);
	});

	test('account statistics that fail are one error for all items', async () => {
		const given = { items: [{ to: 1 }, { to: 2 }, { to: 3 }] };
		const body = { code: 70, error: 'API access disabled' };
		sim.faults.add({ times: Infinity, do: { kind: 'json', status: 403, body } });
		const { error } = await smsStats(sim, 'account', {}, given);
		expect(error?.message).toMatch(/disabled/);
		expect(error?.description).not.toContain('On Error');
		const settings = { onError: 'continueRegularOutput' } as const;
		const { items } = await smsStats(sim, 'account', {}, { ...given, settings });
		expect(jsonOf(items)).toMatchObject([{ status: 'failed', error: error?.message }]);
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
			const { items } = succeeded(await smsStats(sim, 'replies', parameters));
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
		['messageStatus', { number: '12' }, /'Phone Number' "12" has 2 digits; a mobile/],
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
				[{ fromNumber: '={{ $json.missing }}' }, /'From Number' is empty/],
				[{ fromNumber: '12' }, /'From Number' "12" has 2 digits; a mobile/],
				[{ receivedAfter: '={{ $json.missing }}' }, /'Replies Already Seen' is empty/],
				[{ receivedAfter: '={{ null }}' }, /'Replies Already Seen' is empty/],
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
});

describe('failures', () => {
	test('an operation that there is not is named as what to choose', async () => {
		const { error } = await smsStats(sim, 'categoryStatistics', { category: CATEGORY });
		expect(error?.message).toBe('The request has no address');
		expect(error?.description).toContain("that 'Operation' offers");
		expect(sim.requests).toHaveLength(0);
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
});

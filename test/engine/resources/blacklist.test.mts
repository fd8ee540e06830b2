/** SMS Blacklist (interface document 2.1, 4.1). */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { hurry, jsonOf, linesOf, runnerOf, succeeded } from './support.mts';

const [FIRST, SECOND, THIRD] = ['+33639980001', '+33639980002', '+33639980003'];
const PATH = '/v2/unsubscribers/default/contacts';

hurry();
const sim = await useSimulator();
const run = runnerOf('SmsBlacklist', sim);

const list = (...numbers: string[]) => {
	for (const number of numbers) sim.service.addToBlacklist('unsubscribers', number);
};
const toEach = (...numbers: string[]) => ({ items: numbers.map((to) => ({ to })) });

describe('add', () => {
	test('succeeds for a number that is there already, and says so', async () => {
		list(FIRST);
		const { items, error } = await run(
			'add',
			{ number: '={{ $json.to }}' },
			toEach(FIRST, SECOND),
		);
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toEqual([
			{ alreadyListed: true, number: FIRST, blacklist: 'unsubscribers' },
			{
				id: expect.any(String),
				alreadyListed: false,
				number: SECOND,
				blacklist: 'unsubscribers',
			},
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	test.each<[operation: string, note: string]>([
		['add', `1 number was on the blacklist already: ${FIRST}.`],
		['remove', `1 number was not on the blacklist: ${FIRST}.`],
	])('%s: beside an item with a mistake, counts nothing twice', async (operation, note) => {
		if (operation === 'add') list(FIRST);
		const { items, hints } = await run(
			operation,
			{ number: '={{ $json.to }}' },
			{ ...toEach(FIRST, '12'), settings: { onError: 'continueRegularOutput' } },
		);
		const reason = `Row 2 (item 1): 'Phone Number' "12" `;
		expect(hints).toMatchObject([{ message: expect.stringMatching(/^1 done, 1 invalid\. /) }]);
		expect(hints?.[0].message).toContain(note);
		expect(hints?.[0].message).toContain(reason);
		expect(jsonOf(items)[1]).toMatchObject({ status: 'invalid', number: '12' });
	});
});

describe('remove', () => {
	test('does not call a number deleted that was not listed', async () => {
		const { items, hints } = succeeded(await run('remove', { number: FIRST }));
		expect(hints).toMatchObject([{ message: `1 number was not on the blacklist: ${FIRST}.` }]);
		expect(jsonOf(items)).toEqual([
			{ deleted: false, number: FIRST, blacklist: 'unsubscribers' },
		]);
	});
});

describe('getMany', () => {
	test('leaves out deleted entries, unless they are asked for', async () => {
		list(FIRST, SECOND);
		sim.service.removeFromBlacklist('unsubscribers', FIRST);
		const without = await run('getMany', { returnAll: true });
		expect(jsonOf(without.items).map(({ number }) => number)).toEqual([SECOND]);
		const all = await run('getMany', { returnAll: true, options: { includeDeleted: true } });
		expect(jsonOf(all.items).map(({ number, deleted }) => [number, deleted])).toEqual([
			[FIRST, true],
			[SECOND, false],
		]);
	});

	test('limits to 50 by default', async () => {
		sim.service.addBlacklisted('unsubscribers', 60);
		expect((await run('getMany')).items).toHaveLength(50);
	});

	test('pairs each entry with the item that asked for it, in order', async () => {
		list(FIRST, SECOND);
		sim.service.addToBlacklist('bounces', THIRD);
		const { items } = await run(
			'getMany',
			{ blacklist: '={{ $json.kind }}', returnAll: true },
			{ items: [{ kind: 'unsubscribers' }, { kind: 'bounces' }] },
		);
		expect(items.map(({ json, pairedItem }) => [json.number, pairedItem])).toEqual([
			[FIRST, { item: 0 }],
			[SECOND, { item: 0 }],
			[THIRD, { item: 1 }],
		]);
	});

	test('gives an error item for what failed, and the rest', async () => {
		list(FIRST);
		sim.faults.add({ path: /bounces/, do: { kind: 'status', status: 400 } });
		const { items, errorItems } = await run(
			'getMany',
			{ blacklist: '={{ $json.kind }}', limit: '={{ $json.limit }}' },
			{
				items: [
					{ kind: 'unsubscribers', limit: 5 },
					{ kind: 'bounces', limit: 5 },
					{ kind: 'unsubscribers', limit: 'many' },
				],
				settings: { onError: 'continueErrorOutput' },
			},
		);
		expect(jsonOf(items).map(({ number }) => number)).toEqual([FIRST]);
		expect(errorItems.map(({ json, pairedItem }) => [json.error, pairedItem])).toEqual([
			['The service refused the request (HTTP 400)', { item: 1 }],
			['\'Limit\' is "many"', { item: 2 }],
		]);
	});

	test('names what stopped the run, and makes no more requests', async () => {
		sim.faults.add({ skip: 1, do: { kind: 'status', status: 400 } });
		const items = Array.from({ length: 40 }, (_, at) => ({
			kind: at < 2 ? 'unsubscribers' : 'bounces',
		}));
		const { error } = await run('getMany', { blacklist: '={{ $json.kind }}' }, { items });
		expect(error?.message).toBe('bounces: The service refused the request (HTTP 400)');
		// It is about 38 items.
		expect(error?.context.itemIndex).toBeUndefined();
		expect(sim.requests).toHaveLength(2);
	});

	test('asks once for each blacklist, whatever the number of items', async () => {
		sim.stop('+33639980001');
		sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 20 } });
		const items = Array.from({ length: 40 }, (_, at) => ({
			kind: at % 2 === 0 ? 'unsubscribers' : 'bounces',
		}));
		const result = await run('getMany', { blacklist: '={{ $json.kind }}' }, { items });
		expect(result.error).toBeUndefined();
		expect(sim.requests).toHaveLength(2);
		// Each of the 20 items that asked for it has the number that replied STOP.
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			Array.from({ length: 20 }, (_, at) => ({ item: at * 2 })),
		);
	});
});

describe('check', () => {
	test.each(['06 39 98 00 01', '+33639980001', '00 33 6 39 98 00 01'])(
		'finds %s, whatever the format in which the service has it',
		async (number) => {
			for (const identifier of ['+33639980001', '0639980001', '06 39 98 00 01']) {
				sim.faults.add({ do: { kind: 'json', body: [{ id: '1', identifier }] } });
				const { items } = await run('check', { number });
				expect(jsonOf(items)).toEqual([
					{ number: FIRST, listed: true, blacklists: ['unsubscribers'] },
				]);
			}
		},
	);

	test('asks each blacklist once for all items', async () => {
		list(FIRST);
		sim.service.addToBlacklist('bounces', SECOND);
		const { items } = await run(
			'check',
			{ blacklist: 'any', number: '={{ $json.to }}' },
			toEach(FIRST, SECOND, THIRD, ...Array<string>(50).fill(THIRD)),
		);
		expect(jsonOf(items).map(({ listed, blacklists }) => [listed, blacklists])).toEqual([
			[true, ['unsubscribers']],
			[true, ['bounces']],
			...Array(51).fill([false, []]),
		]);
		expect(linesOf(sim)).toEqual([`GET ${PATH}`, 'GET /v2/bounces/default/contacts']);
	});

	test('does not count an entry that is marked as deleted', async () => {
		list(FIRST);
		sim.service.removeFromBlacklist('unsubscribers', FIRST);
		const { items } = await run('check', { number: FIRST });
		expect(jsonOf(items)).toEqual([{ number: FIRST, listed: false, blacklists: [] }]);
	});

	test('fails for all items when the blacklist cannot be fetched', async () => {
		sim.faults.add({ times: Infinity, do: { kind: 'status', status: 401 } });
		const { items } = await run(
			'check',
			{ number: '={{ $json.to }}' },
			{ ...toEach(FIRST, SECOND), settings: { onError: 'continueRegularOutput' } },
		);
		expect(jsonOf(items).map(({ error }) => error)).toEqual(
			Array(2).fill('The service refused the API key'),
		);
		expect(sim.requests).toHaveLength(1);
	});
});

/** A retry with the currently saved workflow, whose settings were changed: nobody gets two, and nothing is called done that isn't. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { listOf } from '../../operations.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { retryExecution, runNode, type RunOptions, type RunResult } from '../harness.mts';
import { of, once, people, sms } from './sending.mts';
import { answer, reached, sim, twice } from './service.mts';
import { statuses } from './support.mts';

const BUSY: FaultAction = { kind: 'json', status: 400, body: { code: 4711, error: 'Busy' } };
/** n8n gives each item another moment. */
const IN_AN_HOUR = '={{ $now.plus({ hours: 1 }) }}';
const [one, two, three] = people(3);

/** The first execution of the one, retried as the other. */
async function change(from: RunOptions, to: RunOptions): Promise<RunResult> {
	return await retryExecution(await runNode(from), from, to);
}

describe("'Skip Duplicates' that a retry brings along counts what was sent before", () => {
	test.each([
		['send', 'send', { skipDuplicates: true }],
		['send', 'sendBatch', {}],
		['sendByUrl', 'sendByUrl', { skipDuplicates: true }],
	])('%s, retried as %s', async (before, after, settings) => {
		const items = [one, two, one];
		answer('401 code 72', { skip: 1, times: 1 });
		const retried = await change(sms(before, items), sms(after, items, settings));
		expect(retried.error).toBeUndefined();
		expect(statuses(retried)).toEqual(['sent', 'sent', 'skipped']);
		expect(reached()).toEqual([one.to, two.to]);
	});

	test('in an earlier round of a loop', async () => {
		const rounds = { furtherRuns: [[two], [three, one]] };
		answer('401 code 72', { skip: 2, times: 1 });
		const retried = await change(
			sms('send', [one], {}, rounds),
			sms('send', [one], { skipDuplicates: true }, rounds),
		);
		expect(retried.error).toBeUndefined();
		expect(reached()).toEqual([one.to, two.to, three.to]);
	});

	test.each([
		['before', 0],
		['after', 200],
	])(
		'where the first of two equal ones was refused %s the second was accepted',
		async (_, ms) => {
			sim.faults.add({ times: 1, do: { kind: 'delay', ms } });
			answer('400 code 19', { times: 1 });
			const items = [one, one];
			const retried = await change(
				sms('send', items, { concurrency: 2 }),
				sms('send', items, { skipDuplicates: true }),
			);
			expect(reached()).toEqual([one.to]);
			expect(retried.error).toBeUndefined();
		},
	);
});

describe('another operation is another change', () => {
	test('numbers that were removed by mistake are added', async () => {
		const blacklist = sim.service.blacklist('unsubscribers');
		const rows = [one, two, three];
		for (const { to } of rows) sim.service.addToBlacklist('unsubscribers', String(to));
		sim.faults.add({ method: 'DELETE', skip: 2, times: 1, do: BUSY });
		const as = (operation: string) =>
			of('SmsBlacklist', { operation, number: '={{ $json.to }}' }, rows);
		const retried = await change(as('remove'), as('add'));
		expect(retried.error).toBeUndefined();
		expect(rows.map(({ to }) => blacklist.has(String(to)))).toEqual([true, true, true]);
	});

	test.each(['upsert', 'sync'])(
		'contacts that were added, or perhaps, are made as they are to be (%s)',
		async (operation) => {
			sim.service.settings.duplicates = 'accept';
			const list = sim.service.createList('Clients', [{ name: 'City' }]);
			const [{ id: city }] = list.fields;
			const as = (operation: string, value: IDataObject) =>
				of(
					'SmsContact',
					{
						operation,
						list: listOf(list.id),
						number: '={{ $json.to }}',
						attributes: { mappingMode: 'defineBelow', value, schema: [] },
					},
					[one, two, three],
				);
			const lost: FaultAction = { kind: 'resetAfterAccept' };
			sim.faults.add({ method: 'POST', skip: 1, times: 1, do: lost });
			const retried = await change(as('add', {}), as(operation, { City: 'Lyon' }));
			expect(retried.error).toBeUndefined();
			const cities = list.contacts.items().map(({ attributes }) => attributes[city]);
			expect(cities).toEqual(['Lyon', 'Lyon', 'Lyon']);
		},
	);

	test('a list that was emptied is deleted', async () => {
		const lists = ['A', 'B'].map((name) => sim.service.createList(name));
		sim.faults.add({ method: 'POST', skip: 1, times: 1, do: BUSY });
		const as = (operation: string) =>
			of(
				'SmsList',
				{ operation, list: listOf('={{ $json.id }}', 'id') },
				lists.map(({ id }) => ({ id })),
			);
		const retried = await change(as('empty'), as('delete'));
		expect(retried.error).toBeUndefined();
		expect(sim.service.lists.size).toBe(0);
	});
});

test.each(['send', 'sendByUrl'])(
	"'Max Credits' that a retry of %s brings along counts what was sent before",
	async (operation) => {
		const items = people(6);
		answer('401 code 72', { skip: 3, times: 1 });
		const retried = await change(sms(operation, items), sms('send', items, { maxCredits: 4 }));
		expect(retried.error?.message).toBe('4 of 6 sent, 2 not sent');
		expect(retried.error?.description).toContain(
			"'Max Credits' is reached: this node has used 4 of 4",
		);
		expect(sim.messages).toHaveLength(4);
	},
);

describe("a date with $now is the same for all items, for 'Skip Duplicates'", () => {
	test('messages', async () => {
		const result = await runNode(sms('sendBatch', [one, one, one], { date: IN_AN_HOUR }));
		expect(statuses(result)).toEqual(['scheduled', 'skipped', 'skipped']);
		expect(twice()).toEqual([]);
	});

	test('a campaign that is sent by itself', async () => {
		const list = sim.service.createList('Clients');
		const result = await runNode(
			of(
				'SmsCampaign',
				{
					operation: 'create',
					name: 'Sale',
					message: 'Bonjour',
					list: listOf(list.id, 'id'),
					options: { date: IN_AN_HOUR },
				},
				people(5),
			),
		);
		expect(result.error).toBeUndefined();
		expect(sim.service.campaigns.size).toBe(1);
	});

	test('a reminder at another time is none', async () => {
		const times = [10, 11].map((hour) => ({ ...one, at: `2031-05-05T${hour}:00:00` }));
		const result = await runNode(sms('sendBatch', times, { date: '={{ $json.at }}' }));
		expect(statuses(result)).toEqual(['scheduled', 'scheduled']);
	});
});

test.each(['send', 'sendBatch'])(
	'%s: whoever has got it by a once key is skipped when its date has passed',
	async (operation) => {
		const times = [1_000, 7_200_000].map((ahead) => new Date(Date.now() + ahead).toISOString());
		const items = [one, two].map((row, at) => ({ ...row, at: times[at] }));
		const options = sms(operation, items, { ...once, date: '={{ $json.at }}' });
		answer('401 code 72', { skip: 1, times: 1 });
		await runNode(options);
		setClock(new Date(Date.now() + 3_600_000).toISOString());
		const again = await runNode(options);
		expect(again.error).toBeUndefined();
		expect(statuses(again)).toEqual(['skipped', 'scheduled']);
		expect(reached()).toEqual([one.to, two.to]);
		// Nobody has got this one.
		const late = { ...three, at: times[0] };
		const third = await runNode({ ...options, items: [items[0], late, items[1]] });
		const told = `${third.error?.description} ${String(third.items[1]?.json.reason)}`;
		expect(told).toContain('is in the past');
		expect(sim.messages).toHaveLength(2);
	},
);

test('a duplicate whose date has passed stays one: no text leads to a second message', async () => {
	const date = new Date(Date.now() + 1_000).toISOString();
	answer('401 code 72', { skip: 1, times: 1 });
	const options = sms('send', [one, two, one], { skipDuplicates: true, date });
	const failed = await runNode(options);
	setClock(new Date(Date.now() + 3_600_000).toISOString());
	const { error } = await retryExecution(failed, options);
	expect(error?.message).toMatch(
		new RegExp(`^1 of 3 scheduled .*, 1 skipped, 1 invalid \\(\\${String(two.to)}\\)$`),
	);
	const { failed: listed } = error?.context.data as { failed: IDataObject[] };
	expect(listed.map(({ item }) => item)).toEqual([1]);
});

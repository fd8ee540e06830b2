/** Nothing to be found, in each way in which the service may say so (not shown, interface document 4.4). */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { invokes, invokeTool, type Call } from '../delivery/agent.mts';
import { answerWith, CATEGORY, hurry, jsonOf, NUMBER, sent, smsStats } from './support.mts';

hurry();
const sim = await useSimulator();

const NOTHING: Array<[what: string, FaultAction]> = [
	['code 16 with 404', { kind: 'json', status: 404, body: { code: 16, error: 'No message' } }],
	['code 16 with 400', { kind: 'json', status: 400, body: { code: 16, error: 'No message' } }],
	['code 16 with 200', { kind: 'json', body: { code: 16, error: 'No message' } }],
	['404 in words', { kind: 'json', status: 404, body: { status: 404, error: 'No message' } }],
	['{}', { kind: 'json', body: {} }],
	['[]', { kind: 'json', body: [] }],
	['null', { kind: 'json', body: null }],
	['an empty body', { kind: 'status', status: 200, body: '' }],
	['204', { kind: 'status', status: 204, body: '' }],
];
const answer = (action: FaultAction) => sim.faults.add({ times: Infinity, do: action });

const EMPTY = { count: 0, numbers: [] };
const CATEGORY_RESULTS: Array<[operation: string, result: unknown[], hint: RegExp]> = [
	[
		'category',
		[
			{
				...{ category: CATEGORY, sent: 0, delivered: 0, openers: 0, clickers: 0 },
				...{ replies: 0, unsubscribers: 0, bounced: 0, errors: 0 },
			},
		],
		/no messages in the category "orders"/,
	],
	['replies', [], /no replies in the category "orders"/],
	[
		'categoryBlacklists',
		[{ category: 'orders', bounces: EMPTY, unsubscribers: EMPTY }],
		/Nobody is on the blacklists of the category "orders"/,
	],
];

describe.each(CATEGORY_RESULTS)('%s of an unknown category', (operation, result, hint) => {
	test.each(NOTHING)('%s', async (_, action) => {
		answer(action);
		const { items, error, hints } = await smsStats(sim, operation, { category: CATEGORY });
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toEqual(result);
		expect(hints).toEqual([
			expect.objectContaining({ message: expect.stringMatching(hint), type: 'info' }),
		]);
	});

	test('a path that is missing is not taken for a category that is', async () => {
		answer({ kind: 'json', status: 404, body: { status: 404, error: 'Not found' } });
		const { error } = await smsStats(sim, operation, { category: CATEGORY });
		expect(error?.message).toContain('does not know this address');
	});
});

test('a category that has messages gets no hint', async () => {
	sent(sim);
	const { hints } = await smsStats(sim, 'category', { category: CATEGORY });
	expect(hints ?? []).toEqual([]);
});

test('records that make no sense are left out, and counted in a hint', async () => {
	answerWith(sim, [{ id: 'a', message: 'Oui' }, { message: 'x' }, null]);
	const { items, hints } = await smsStats(sim, 'replies', { category: CATEGORY });
	expect(jsonOf(items)).toEqual([{ id: 'a', message: 'Oui', intent: 'yes', category: CATEGORY }]);
	expect(hints).toEqual([
		expect.objectContaining({
			message: '2 records in the answer of the service could not be read and were left out.',
		}),
	]);
});

test.each([
	['a reply that was seen', { receivedAfter: 'a' }, ['b']],
	['replies of somebody else', { fromNumber: '+33639980009' }, []],
	['all replies seen', { receivedAfter: 'a, b' }, []],
])('%s is left out: a hint says so where nothing is left', async (_, options, ids) => {
	const identifier = '+33639980001';
	answerWith(sim, [
		{ id: 'a', message: 'Oui', identifier },
		{ id: 'b', message: 'Non', identifier },
	]);
	const { items, hints } = await smsStats(sim, 'replies', { category: CATEGORY, options });
	expect(jsonOf(items).map(({ id }) => id)).toEqual(ids);
	const message = '2 records found, all left out by the options.';
	expect(hints ?? []).toEqual(ids.length > 0 ? [] : [expect.objectContaining({ message })]);
});

describe('the status of a message', () => {
	test.each(NOTHING)('by number, %s: no message was found', async (_, action) => {
		answer(action);
		const { error } = await smsStats(sim, 'messageStatus', { number: NUMBER });
		expect(error?.message).toBe(`No message was found to ${NUMBER}`);
		expect(error?.description).toMatch(/^Check the number\. If it is right/);
		expect(error?.httpCode).toBe('404');
		expect(sim.requests).toHaveLength(2);
	});

	test.each([
		[NUMBER, '0639981234'],
		['06 39 98 12 34', NUMBER],
	])('to %s is found under the form %s', async (number, written) => {
		sim.service.settings.numbers = 'text';
		const message = { kind: 'notification' as const, number: NUMBER, written, text: 'Bonjour' };
		const { snapshotId } = sim.service.accept(message);
		const { items, error } = await smsStats(sim, 'messageStatus', { number });
		expect(error).toBeUndefined();
		expect(items[0].json).toMatchObject({ snapshotId, state: 'sent' });
	});

	test('of several, one without a message and one whose look-up failed are told apart', async () => {
		const [found, other] = [sent(sim), sent(sim)];
		sim.faults.add({ skip: 2, do: { kind: 'status', status: 403 } });
		const result = await smsStats(
			sim,
			'messageStatus',
			{ snapshotId: '={{ $json.id }}', options: { concurrency: 1 } },
			{
				items: [{ id: found }, { id: 'gone' }, { id: other }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(result.items.map(({ json }) => json.status)).toEqual([
			undefined,
			'notFound',
			'failed',
		]);
		expect(result.hints?.[0].message).toContain('1 looked up, 1 not found, 1 failed.');
	});

	test('is waited for, in whatever way the service says that there is none yet', async () => {
		const items = NOTHING.map(([, action], at) => {
			const number = `+3363998000${at}`;
			sent(sim, number);
			// Both spellings of the number are looked up.
			const match = ({ target }: { target: string }) => target.includes(number.slice(3));
			sim.faults.add({ match, times: 2, do: action });
			return { number };
		});
		const options = { waitForFinalState: true, waitInterval: 1, waitTimeLimit: 3 };
		const parameters = { number: '={{ $json.number }}', options };
		const result = await smsStats(sim, 'messageStatus', parameters, { items });
		expect(result.error).toBeUndefined();
		expect(jsonOf(result.items)).toMatchObject(
			items.map((item) => ({ ...item, state: expect.any(String) })),
		);
	});
});

describe('Simplify', () => {
	test('is under ten fields of the service, of which those that are there', async () => {
		answerWith(sim, { id: 1, state: 'delivered', delivered: 5, operator: 'X', test: false });
		const simple = await smsStats(sim, 'messageStatus', { number: NUMBER });
		expect(jsonOf(simple.items)).toEqual([
			{
				...{
					snapshotId: '1',
					number: NUMBER,
					state: 'delivered',
					isFinal: true,
					test: false,
				},
				deliveredIso: '1970-01-01T00:00:00.005Z',
			},
		]);
		const raw = await smsStats(sim, 'messageStatus', { number: NUMBER, simplify: false });
		const answer = { id: 1, state: 'delivered', delivered: 5, operator: 'X', test: false };
		expect(jsonOf(raw.items)).toEqual([{ ...answer, number: NUMBER }]);
	});
});

test('an agent hears that there is nothing', async () => {
	const calls: Call[] = [{ input: {} }];
	await invokeTool({
		node: 'SmsStats',
		parameters: { operation: 'replies', category: CATEGORY },
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		agent: invokes,
		calls,
	});
	expect(calls[0].answer).toMatch(/no replies in the category/);
});

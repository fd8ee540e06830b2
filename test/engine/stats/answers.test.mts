/** Answers that differ from the interface document within reason, and those that make no sense. */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import {
	answerWith,
	CATEGORY,
	everythingOf,
	hurry,
	jsonOf,
	NUMBER,
	sent,
	smsStats,
} from './support.mts';

hurry();
const sim = await useSimulator();

const PARAMETERS = { number: NUMBER, category: CATEGORY, returnAll: true, simplify: false };
/** Every counter of interface document 2.8. */
const ZEROS = {
	...{ sent: 0, submitted: 0, delivered: 0, openers: 0, clickers: 0, clicks: 0, opens: 0 },
	...{ replies: 0, unsubscribers: 0, errors: 0, bounced: 0, complaint: 0, timespent: 0 },
};

const STATUS = { id: 362891, state: 'delivered' };

const LENIENT: Array<[operation: string, body: unknown, items: unknown[]]> = [
	[
		'messageStatus',
		{ id: '362891', state: 'delivered', stateDate: '1387808142057', test: 'false' },
		[
			{
				...STATUS,
				number: NUMBER,
				stateDate: 1387808142057,
				test: false,
			},
		],
	],
	['messageStatus', [STATUS], [{ ...STATUS, number: NUMBER }]],
	[
		'messageStatus',
		{ ...STATUS, delivered: null, reply: 1 },
		[{ ...STATUS, number: NUMBER, reply: 1 }],
	],
	['messageStatus', { ...STATUS, state: 'DELIVERED' }, [{ ...STATUS, number: NUMBER }]],
	[
		'messageStatus',
		{ ...STATUS, state: 'Parked' },
		[{ ...STATUS, number: NUMBER, state: 'Parked' }],
	],
	['messageStatus', { ...STATUS, operator: 'X' }, [{ ...STATUS, number: NUMBER, operator: 'X' }]],
	['messageStatus', { ...STATUS, id: '5e00a1' }, [{ ...STATUS, number: NUMBER, id: '5e00a1' }]],
	['category', { sent: '925', delivered: 872 }, [{ sent: 925, delivered: 872 }]],
	['category', [{ sent: 0, opens: null }], [ZEROS]],
	['category', { sent: 1, period: 'day' }, [{ sent: 1, period: 'day' }]],
	// What the service answers for a category without messages is not shown: empty is empty.
	['category', {}, [ZEROS]],
	['category', [], [ZEROS]],
	['replies', [], []],
	['replies', {}, []],
	[
		'replies',
		[{ id: 'a' }, { message: 'x' }, null],
		[{ id: 'a', intent: 'other', category: 'orders' }],
	],
	[
		'categoryBlacklists',
		{},
		[
			{
				category: 'orders',
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 0, numbers: [] },
			},
		],
	],
	[
		'categoryBlacklists',
		{ unsubscribers: { number: 2, identifiers: '0639980001,0639980002' } },
		[
			{
				category: 'orders',
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 2, numbers: ['+33639980001', '+33639980002'] },
			},
		],
	],
	[
		'replies',
		{ id: 1, identifier: NUMBER, message: 'Oui' },
		[{ id: '1', number: NUMBER, message: 'Oui', intent: 'yes', category: 'orders' }],
	],
	[
		'replies',
		[{ id: 'a', message: '' }],
		[{ id: 'a', message: '', intent: 'other', category: 'orders' }],
	],
	[
		'replies',
		[{ identifier: 33639981234 }],
		[{ identifier: '33639981234', number: NUMBER, intent: 'other', category: 'orders' }],
	],
	[
		'replies',
		[{ id: 'a', date: 5, category: 'first' }],
		[{ id: 'a', date: 5, intent: 'other', category: 'orders' }],
	],
	[
		'replies',
		[{ id: 'a', message: 'Oui', intent: 'stop', number: '1' }],
		[{ id: 'a', message: 'Oui', intent: 'yes', number: '1', category: 'orders' }],
	],
	[
		'categoryBlacklists',
		{
			bounces: { number: '1', identifiers: { 0: '0639980001' } },
			unsubscribers: { number: 0, identifiers: null },
		},
		[
			{
				category: 'orders',
				bounces: { count: 1, numbers: ['+33639980001'] },
				unsubscribers: { count: 0, numbers: [] },
			},
		],
	],
	[
		'categoryBlacklists',
		[{ bounces: [{ identifiers: [639980001, { identifier: '0639980002' }] }] }],
		[
			{
				category: 'orders',
				bounces: { count: 2, numbers: ['+33639980001', '+33639980002'] },
				unsubscribers: { count: 0, numbers: [] },
			},
		],
	],
	['account', { credits: '279' }, [{ credits: 279 }]],
	[
		'account',
		[{ credits: 279.5, sent: 1, plan: 'pro' }],
		[{ credits: 279.5, sent: 1, plan: 'pro' }],
	],
];

test.each(LENIENT)('%s understands %j', async (operation, body, expected) => {
	answerWith(sim, body);
	const { items, error } = await smsStats(sim, operation, PARAMETERS);
	expect(error).toBeUndefined();
	expect(jsonOf(items)).toEqual(expected);
});

const NONSENSE: Array<[operation: string, bodies: unknown[]]> = [
	[
		'messageStatus',
		[
			'delivered',
			{ id: 1 },
			{ state: 'sent' },
			{ id: {}, state: 'sent' },
			{ id: 1, state: 3 },
			{ ...STATUS, delivered: 'yesterday' },
			[STATUS, STATUS],
		],
	],
	['category', ['none', { sent: 'many' }, { sent: {} }, { visitors: 3 }, { sent: null }]],
	['replies', ['none', [{}], [null], [['x']], [{ message: 'x' }]]],
	[
		'categoryBlacklists',
		[
			{ status: 'ok' },
			{ bounces: 3 },
			{ bounces: { number: 2 } },
			{ bounces: { number: 1, identifiers: [null] } },
			{ bounces: { number: 'x', identifiers: [] } },
			{ bounces: { number: 1, identifiers: 'x' } },
		],
	],
	['account', [{}, [], 'OK', { plan: 'pro' }, { credits: {} }, { credits: 1, sent: 'many' }]],
];

describe.each(NONSENSE)('%s', (operation, bodies) => {
	test.each(bodies.map((body) => ({ body })))('makes no sense of $body', async ({ body }) => {
		answerWith(sim, body);
		const { error, items } = await smsStats(sim, operation, PARAMETERS);
		expect(error?.message).toBe('The service gave an unexpected answer');
		expect(error?.description).toMatch(/Check that 'Base URL' of the credential/);
		expect(items).toEqual([]);
	});

	const SPOILT: FaultAction[] = [
		{ kind: 'html200' },
		{ kind: 'truncatedJson' },
		{ kind: 'wrongTypes', accept: true },
		// Elsewhere, no body says that there is nothing: see nothing.test.mts. An account is always there.
		...(operation === 'account' ? [{ kind: 'status', status: 204, body: '' } as const] : []),
	];
	test.each(SPOILT)('is not taken in by $kind', async (fault) => {
		sent(sim);
		sim.reply(NUMBER, 'Oui', { category: CATEGORY });
		sim.faults.add({ times: Infinity, do: fault });
		const { error } = await smsStats(sim, operation, PARAMETERS);
		expect(error?.message).toBe('The service gave an unexpected answer');
	});

	test('a refusal inside of a 200 is a refusal', async () => {
		answerWith(sim, { code: 71, error: 'no credits' });
		const { error } = await smsStats(sim, operation, PARAMETERS);
		expect(error?.message).toBe('The account does not have enough credits');
	});

	test('the key is in nothing that is left of a failure', async () => {
		sim.faults.add({
			times: Infinity,
			do: { kind: 'json', status: 400, body: { error: `Bad key ${sim.apiKey}` } },
		});
		const result = await smsStats(sim, operation, PARAMETERS);
		expect(result.error).toBeDefined();
		expect(everythingOf(result)).not.toContain(sim.apiKey);
	});
});

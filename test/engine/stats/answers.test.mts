/** Answers that differ from the interface document within reason, and those that make no sense. */
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { answerWith, CATEGORY, hurry, jsonOf, NUMBER, sent, smsStats } from './support.mts';

hurry();
const sim = await useSimulator();

const PARAMETERS = { number: NUMBER, category: CATEGORY, returnAll: true, simplify: false };
/** Every counter of interface document 2.8. */
const ZEROS = {
	...{ sent: 0, submitted: 0, delivered: 0, openers: 0, clickers: 0, clicks: 0, opens: 0 },
	...{ replies: 0, unsubscribers: 0, errors: 0, bounced: 0, complaint: 0, timespent: 0 },
};

const STATUS = { id: 362891, state: 'delivered' };
const NOBODY = { count: 0, numbers: [] };

/** Results from answers that differ; what is read from an answer at all is in the unit tests. */
const LENIENT: Array<[operation: string, body: unknown, items: unknown[]]> = [
	['messageStatus', { ...STATUS, operator: 'X' }, [{ ...STATUS, number: NUMBER, operator: 'X' }]],
	['messageStatus', { ...STATUS, id: '5e00a1' }, [{ ...STATUS, number: NUMBER, id: '5e00a1' }]],
	['category', { sent: 0, opens: null }, [ZEROS]],
	[
		'replies',
		[{ id: 1, identifier: NUMBER, message: 'Oui' }],
		[{ id: '1', number: NUMBER, message: 'Oui', intent: 'yes', category: 'orders' }],
	],
	[
		'replies',
		[{ identifier: 33639981234 }],
		[{ identifier: '33639981234', number: NUMBER, intent: 'other', category: 'orders' }],
	],
	[
		'replies',
		[{ id: 'a', message: 'Oui', intent: 'stop', number: '1', category: 'first' }],
		[{ id: 'a', message: 'Oui', intent: 'yes', number: '1', category: 'orders' }],
	],
	[
		'categoryBlacklists',
		{ unsubscribers: { identifiers: [639980001, '0639980002'] } },
		[
			{
				...{ category: 'orders', bounces: NOBODY },
				unsubscribers: { count: 2, numbers: ['+33639980001', '+33639980002'] },
			},
		],
	],
];

test.each(LENIENT)('%s understands %j', async (operation, body, expected) => {
	answerWith(sim, body);
	const { items, error } = await smsStats(sim, operation, PARAMETERS);
	expect(error).toBeUndefined();
	expect(jsonOf(items)).toEqual(expected);
});

test('the credits of an account come first', async () => {
	answerWith(sim, { plan: 'pro', delivered: 1, credits: 2 });
	const { items } = await smsStats(sim, 'account');
	expect(Object.keys(items[0].json)).toEqual(['credits', 'delivered', 'plan']);
});

const NONSENSE: Array<[operation: string, body: unknown]> = [
	['messageStatus', { state: 'sent' }],
	['category', { visitors: 3 }],
	['replies', [{ message: 'x' }]],
	['replies', { id: 'a', message: 'x' }],
	['categoryBlacklists', { bounces: { number: 2 } }],
	['account', { plan: 'pro' }],
];

describe.each(NONSENSE)('%s', (operation, body) => {
	test('makes no sense of an answer of another kind', async () => {
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
});

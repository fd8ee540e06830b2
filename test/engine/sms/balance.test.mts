/** Check Balance: a batch of more messages than the account has credits is refused as a whole. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../simulator/index.mts';
import { KEY } from '../delivery/answers.mts';
import { ERROR_OUTPUT, people, sms, tries } from '../delivery/sending.mts';
import { answer, reached, sim } from '../delivery/service.mts';
import { hintOf, statuses, textOf } from '../delivery/support.mts';
import { runNode, type RunOptions } from '../harness.mts';

const ROWS = people(3).map((one, at): IDataObject => ({ ...one, key: `k${at}` }));
const keyed = { onceKey: '={{ $json.key }}' };
const batch = async (settings: IDataObject = {}, items = ROWS, more: Partial<RunOptions> = {}) =>
	await runNode(sms('sendBatch', items, settings, more));
const asked = () => sim.requestsTo('GET', /account\/stats$/).length;
const ALL_SENT = ['sent', 'sent', 'sent'];

describe('a batch that the credits are not enough for', () => {
	test('is refused as a whole, before the first message: no key is claimed', async () => {
		sim.service.setCredits(2);
		const result = await batch(keyed);
		expect(result.error?.message).toContain('has 2 credits');
		expect(result.error?.message).toContain('3 messages need at least 3');
		expect(textOf(result)).toContain('Check Balance');
		expect(sim.messages).toEqual([]);
		sim.service.setCredits(3);
		expect(statuses(await batch(keyed))).toEqual(ALL_SENT);
	});

	test('gives its items as not sent where the user continues', async () => {
		sim.service.setCredits(2);
		const { items, errorItems } = await batch({}, ROWS, { settings: ERROR_OUTPUT });
		expect(items).toEqual([]);
		expect(errorItems.map(({ json }) => json.status)).toEqual(Array(3).fill('notSent'));
		expect(sim.messages).toEqual([]);
	});

	// The service refuses one message by itself; a dry run sends nothing that it could refuse.
	test.each<[settings: IDataObject, asks: number, says: string]>([
		[{}, 0, 'The account does not have enough credits'],
		[{ checkBalance: true }, 1, 'has 0 credits; 1 message needs at least 1'],
		[{ dryRun: true }, 1, 'has 0 credits; 1 message needs at least 1'],
	])('of one message, with %j: asked %i times', async (settings, asks, says) => {
		sim.service.setCredits(0);
		expect((await batch(settings, people(1))).error?.message).toContain(says);
		expect(asked()).toBe(asks);
		expect(sim.messages).toEqual([]);
	});

	test('goes as far as it can where the check is turned off', async () => {
		sim.service.setCredits(2);
		expect(statuses(await batch({ checkBalance: false }))).toEqual(['sent', 'sent', 'refused']);
		expect(asked()).toBe(0);
	});
});

describe('only what would be sent is counted', () => {
	test.each<[what: string, settings: IDataObject, items: IDataObject[]]>([
		['duplicates', { skipDuplicates: true }, [...ROWS, ...ROWS]],
		['repeated keys', keyed, [...ROWS, ...ROWS]],
		['invalid items', {}, [...ROWS, { to: 'nobody' }]],
	])('not %s', async (_, settings, items) => {
		sim.service.setCredits(3);
		expect((await batch(settings, items)).error).toBeUndefined();
		expect(sim.messages).toHaveLength(3);
	});

	test('not numbers on the blacklists, which are fetched once', async () => {
		sim.stop(String(ROWS[2].to));
		sim.service.setCredits(2);
		expect((await batch({ skipBlacklisted: true })).error).toBeUndefined();
		expect(sim.messages).toHaveLength(2);
		expect(sim.requestsTo('GET', /contacts$/)).toHaveLength(2);
	});

	test.each(['ok', 'reset, accepted'] as const)(
		'no duplicate of a used key (%s)',
		async (before) => {
			const alike = ['k1', 'k2'].map((key) => ({ ...ROWS[0], key }));
			const settings = { ...keyed, skipDuplicates: true };
			if (before !== 'ok') answer(before, { times: 1 });
			await batch(settings, alike.slice(0, 1));
			sim.service.setCredits(0);
			expect(statuses(await batch(settings, alike))[1]).toBe('skipped');
			expect(sim.messages).toHaveLength(1);
		},
	);

	test('not what an earlier try has sent', async () => {
		answer('401 code 72', { skip: 2, times: 1 });
		const options = sms('sendBatch', ROWS, { failIfIncomplete: true });
		const [failed, retried] = await tries(options, () => sim.service.setCredits(1));
		expect([failed.error !== undefined, retried.error]).toEqual([true, undefined]);
		expect(sim.messages).toHaveLength(3);
	});
});

test('50,000 messages are counted without stopping n8n', async () => {
	const rows = Array.from({ length: 50_000 }, (_, index) => ({
		...{ to: `+336${String(index).padStart(8, '0')}`, text: 'Bonjour', key: `k${index}` },
	}));
	sim.service.setCredits(1);
	/** The most processor time of this thread in one turn of the event loop, from the answer of the service on. */
	let longest = 0;
	let isOver = false;
	let last: NodeJS.CpuUsage | undefined;
	const turn = () => {
		if (last !== undefined) longest = Math.max(longest, processorTime(last));
		last = process.threadCpuUsage();
		if (!isOver) setImmediate(turn);
	};
	sim.faults.add({
		path: /account\/stats$/,
		match: () => {
			setImmediate(turn);
			return true;
		},
		do: { kind: 'delay', ms: 0 },
	});
	const begun = process.threadCpuUsage();
	const { error } = await batch({ ...keyed, skipDuplicates: true }, rows);
	isOver = true;
	// The turn that ends here is one, too: without slices, it is the only one.
	turn();
	expect(error?.message).toContain('50,000 messages need at least 50,000');
	expect(sim.messages).toEqual([]);
	expect(longest).toBeLessThan(processorTime(begun) / 10);
});

/** Of this thread, since a look at it: what a busy machine makes hardly longer. */
function processorTime(since: NodeJS.CpuUsage): number {
	const { user, system } = process.threadCpuUsage(since);
	return user + system;
}

describe('a balance', () => {
	test.each<[what: string, action: FaultAction]>([
		['is refused', { kind: 'json', status: 400, body: { code: 1000, error: 'Unknown' } }],
		['is a web page', { kind: 'html200' }],
		['is of other types', { kind: 'wrongTypes' }],
		['has no credits', { kind: 'json', status: 200, body: { sent: 12 } }],
		['breaks off', { kind: 'resetBeforeRead' }],
	])('that %s keeps nothing back', async (_, action) => {
		sim.faults.add({ path: /account\/stats$/, times: Infinity, do: action });
		const result = await batch();
		expect(statuses(result)).toEqual(ALL_SENT);
		expect(hintOf(result)).toContain('did not say how many credits are left');
	});

	test('is asked for once, before the first message', async () => {
		await batch();
		expect(asked()).toBe(1);
		expect(sim.requests[0].path).toMatch(/account\/stats$/);
	});

	test('may be written as a text', async () => {
		sim.service.settings.counters = 'text';
		sim.service.setCredits(2);
		expect((await batch()).error?.message).toContain('has 2 credits');
	});

	test.each<[manualRuns: string, sent: string[]]>([
		['testNumber', ['+33639980099']],
		['preview', []],
	])('is not asked for in a test run: %s', async (manualRuns, sent) => {
		const own = { manualRuns, testNumber: '+33639980099' };
		const credential = { baseUrl: sim.baseUrl, apiKey: KEY, ...own };
		sim.service.setCredits(sent.length);
		const shown = sent.length > 0 ? ['sent'] : ['wouldSend'];
		const rest = ['wouldSend', 'wouldSend'];
		expect(statuses(await batch({}, ROWS, { credential }))).toEqual([...shown, ...rest]);
		expect(reached()).toEqual(sent);
		expect(asked()).toBe(0);
	});
});

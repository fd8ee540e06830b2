/** A batch of more messages than the account has credits is refused as a whole. */
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import type { FaultAction } from '../../simulator/index.mts';
import { deduplicationStore, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { hurry, jsonOf, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
});

const numberOf = (index: number) => `+3363998${String(index).padStart(4, '0')}`;
const ROWS = [1, 2, 3].map((index) => ({ to: numberOf(index), key: `k${index}` }));

const given = (
	options: IDataObject = {},
	items: IDataObject[] = ROWS,
	more: Partial<RunOptions> = {},
) => smsRun(sim, items, { operation: 'sendBatch', options }, more);
const asked = () => sim.requestsTo('GET', /account\/stats$/).length;

describe('a batch that the credits are not enough for', () => {
	test('is refused as a whole, before the first message', async () => {
		sim.service.setCredits(2);
		const { error } = await runNode(given({ onceKey: '={{ $json.key }}' }));
		expect(error?.message).toContain('has 2 credits');
		expect(error?.message).toContain('3 messages need at least 3');
		expect(error?.description).toContain('Check Balance');
		expect(sim.messages).toHaveLength(0);
		// No key was claimed: with credits, all of them go.
		sim.service.setCredits(3);
		const { items } = await runNode(given({ onceKey: '={{ $json.key }}' }));
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
	});

	test('is refused in a dry run, in the same words', async () => {
		sim.service.setCredits(2);
		const dry = await runNode(given({ dryRun: true }));
		const real = await runNode(given());
		expect(dry.error?.message).toContain('has 2 credits');
		expect(dry.error?.message).toBe(real.error?.message);
		expect(sim.messages).toHaveLength(0);
	});

	test('gives its items as not sent where the user continues', async () => {
		sim.service.setCredits(2);
		const settings = { onError: 'continueErrorOutput' } as const;
		const { items, errorItems } = await runNode(given({}, ROWS, { settings }));
		expect(items).toHaveLength(0);
		expect(jsonOf(errorItems).map(({ status }) => status)).toEqual(Array(3).fill('notSent'));
		expect(sim.messages).toHaveLength(0);
	});

	test('is not asked for one message: the service refuses it by itself', async () => {
		sim.service.setCredits(0);
		const one = await runNode(given({}, [ROWS[0]]));
		expect(asked()).toBe(0);
		expect(one.error?.message).toBe('The account does not have enough credits');
		const checked = await runNode(given({ checkBalance: true }, [ROWS[0]]));
		expect(asked()).toBe(1);
		expect(checked.error?.message).toContain('has 0 credits; 1 message needs at least 1');
		// A dry run sends nothing that the service could refuse.
		const dry = await runNode(given({ dryRun: true }, [ROWS[0]]));
		expect(asked()).toBe(2);
		expect(dry.error?.message).toBe(checked.error?.message);
		expect(sim.messages).toHaveLength(0);
	});

	test('goes as far as it can where the check is turned off', async () => {
		sim.service.setCredits(2);
		const { items } = await runNode(given({ checkBalance: false, concurrency: 1 }));
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['sent', 'sent', 'refused']);
		expect(asked()).toBe(0);
	});
});

describe('only what would be sent is counted', () => {
	test.each<[string, IDataObject, IDataObject[]]>([
		['without duplicates', { skipDuplicates: true }, [...ROWS, ...ROWS]],
		['without repeated keys', { onceKey: '={{ $json.key }}' }, [...ROWS, ...ROWS]],
		['without invalid items', {}, [...ROWS, { to: 'nobody' }]],
	])('%s', async (_, options, rows) => {
		sim.service.setCredits(3);
		const { error } = await runNode(given(options, rows));
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(3);
	});

	test('without numbers on the blacklists, which are fetched once', async () => {
		sim.stop(numberOf(3));
		sim.service.setCredits(2);
		const { error } = await runNode(given({ skipBlacklisted: true }));
		expect(error).toBeUndefined();
		expect(sim.messages).toHaveLength(2);
		expect(sim.requestsTo('GET', /contacts$/)).toHaveLength(2);
	});

	test.each([
		['sent before', {}, 'accepted'],
		['unknown', {}, 'lost'],
	] as const)(
		'none, where the key of the first of two that are alike is %s',
		async (_, options, before) => {
			const once = { onceKey: '={{ $json.key }}', skipDuplicates: true, ...options };
			const alike = [
				{ to: numberOf(1), key: 'k1' },
				{ to: numberOf(1), key: 'k2' },
			];
			if (before === 'lost')
				sim.faults.add({ path: /send$/, do: { kind: 'resetAfterAccept' } });
			await runNode(given(once, alike.slice(0, 1)));
			sim.service.setCredits(0);
			const { items } = await runNode(given(once, alike));
			expect(jsonOf(items)[1]).toMatchObject({ status: 'skipped' });
			expect(sim.messages).toHaveLength(1);
		},
	);

	test('without what an earlier try has sent', async () => {
		sim.faults.add({
			path: /send$/,
			skip: 2,
			do: { kind: 'json', status: 401, body: { code: 72, error: 'Key' } },
		});
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const options = given({ concurrency: 1, invalidItems: 'stop' }, ROWS, { settings });
		const first = await runNode(options);
		sim.service.setCredits(1);
		sim.faults.clear();
		const last = first.error === undefined ? first : await retryExecution(first, options);
		expect(last.error).toBeUndefined();
	});
});

test('50,000 messages are counted without stopping n8n', async () => {
	const rows = Array.from({ length: 50_000 }, (_, index) => ({
		to: `+336${String(index).padStart(8, '0')}`,
		key: `k${index}`,
	}));
	sim.service.setCredits(1);
	/** The most CPU time of this thread in one turn, in ms, from the answer of the service on. */
	let longest = 0;
	let isOver = false;
	let last: NodeJS.CpuUsage | undefined;
	const turn = () => {
		const { user, system } = process.threadCpuUsage(last);
		if (last !== undefined) longest = Math.max(longest, (user + system) / 1000);
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
	const { error } = await runNode(
		given({ onceKey: '={{ $json.key }}', skipDuplicates: true }, rows),
	);
	isOver = true;
	// The turn that ends here is one, too: without slices, it is the only one.
	turn();
	expect(error?.message).toContain('50,000 messages need at least 50,000');
	expect(sim.messages).toHaveLength(0);
	console.log(`longest turn: ${longest.toFixed()} ms`);
	expect(longest).toBeLessThan(150);
});

describe('a balance that the service does not tell', () => {
	test.each<[string, FaultAction]>([
		['is refused', { kind: 'json', status: 400, body: { code: 1000, error: 'Unknown' } }],
		['is a web page', { kind: 'html200' }],
		['is of other types', { kind: 'wrongTypes' }],
		['has no credits', { kind: 'json', status: 200, body: { sent: 12 } }],
		['breaks off', { kind: 'resetBeforeRead' }],
	])('keeps nothing back where it %s', async (_, action) => {
		sim.faults.add({ path: /account\/stats$/, times: Infinity, do: action });
		const { items, hints } = await runNode(given());
		expect(jsonOf(items).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent']);
		expect(JSON.stringify(hints)).toContain('did not say how many credits are left');
	});

	test('is asked for once, before the first message', async () => {
		await runNode(given());
		expect(asked()).toBe(1);
		expect(sim.requests[0].path).toMatch(/account\/stats$/);
	});

	test('may be written as a text', async () => {
		sim.service.settings.counters = 'text';
		sim.service.setCredits(2);
		const { error } = await runNode(given());
		expect(error?.message).toContain('has 2 credits');
	});

	test('is not compared with messages that a test run does not send', async () => {
		const credential = {
			baseUrl: sim.baseUrl,
			apiKey: sim.apiKey,
			manualRuns: 'testNumber',
			testNumber: numberOf(99),
		};
		sim.service.setCredits(1);
		const { items } = await runNode(given({}, ROWS, { credential }));
		expect(jsonOf(items).map(({ status }) => status)).toEqual([
			'sent',
			'wouldSend',
			'wouldSend',
		]);
		expect(sim.messages.map(({ number }) => number)).toEqual([numberOf(99)]);
	});

	test('is not asked for in a test run that sends nothing', async () => {
		const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey, manualRuns: 'preview' };
		sim.service.setCredits(0);
		const { items } = await runNode(given({}, ROWS, { credential }));
		expect(jsonOf(items).map(({ status }) => status)).toEqual(Array(3).fill('wouldSend'));
		expect(sim.requests).toHaveLength(0);
	});
});

/** The one record of an execution: what a retry, another run of a loop, or another call of a tool finds written down. */
import type { IContextObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { Budget } from '../../../nodes/shared/run/budget.ts';
import { Client } from '../../../nodes/shared/run/client.ts';
import { Limiter } from '../../../nodes/shared/run/limiter.ts';
import { Receipts } from '../../../nodes/shared/run/receipts.ts';
import { neverStop } from '../../../nodes/shared/run/stopRule.ts';
import { readSendReceipt, SEND } from '../../../nodes/shared/service/sentMessages.ts';

const identity = { target: 'recipient', content: 'text' };
const receiptsOf = (
	memory: IContextObject,
	{ runIndex = 0, executionId = '1', isTool = false } = {},
) => new Receipts(memory, { runIndex, executionId, isTool });

// n8n stores the memory. A process that is killed while a request is under way leaves this.
test('a request is unknown from before it leaves until its answer', async () => {
	const memory: IContextObject = {};
	const receipts = receiptsOf(memory);
	const stored: IContextObject[] = [];
	const client = new Client(
		{
			connection: {
				async request(_, read) {
					stored.push(structuredClone(memory));
					const body = { snapshotId: 362891, creditsUsed: 1 };
					return { value: read(body, { status: 200 } as never)! };
				},
			},
			limiter: new Limiter({ concurrency: 1, requestsPerSecond: 0 }),
			receipts,
			budget: new Budget(memory, {}, '1'),
			stopRule: neverStop(),
			cache: new Map(),
			notes: new Set(),
			warnings: new Set(),
		},
		{ index: 0, identity, mayRepeat: false },
	);
	await client.change({ endpoint: SEND, path: { messageType: 'notification' } }, readSendReceipt);
	expect(stored).toHaveLength(1);
	expect(receiptsOf(stored[0]).find(0, identity)).toMatchObject({ state: 'unknown' });
	expect(receipts.find(0, identity)).toMatchObject({ state: 'accepted' });
});

test('in a loop, the receipts of all runs are kept, each for its own item', () => {
	const memory: IContextObject = {};
	for (let runIndex = 0; runIndex < 3; runIndex++) {
		const receipts = receiptsOf(memory, { runIndex });
		expect(receipts.find(0, identity)).toBeUndefined();
		receipts.begin(0, identity).accepted({ snapshotId: runIndex });
		receipts.handOver();
	}
	for (let runIndex = 0; runIndex < 3; runIndex++) {
		const receipt = receiptsOf(memory, { runIndex }).find(0, identity);
		expect(receipt).toMatchObject({ answer: { snapshotId: runIndex } });
	}
});

describe('in a retry, an item is the same while', () => {
	const memory: IContextObject = {};
	receiptsOf(memory).begin(0, identity).accepted({ snapshotId: 1 });
	test.each([
		['its text is another one', 0, { target: 'recipient', content: 'other' }, true],
		['its recipient is another one', 0, { target: 'other', content: 'text' }, false],
		['its index is another one', 1, identity, false],
	])('%s', (_, key, other, isSame) => {
		const receipt = receiptsOf(memory, { executionId: '2' }).find(key, other);
		expect(receipt?.state === 'accepted').toBe(isSame);
	});
});

test('what was lost is of this execution until a person retries it', () => {
	const memory: IContextObject = {};
	receiptsOf(memory).begin(0, identity);
	const own = receiptsOf(memory);
	expect(own.find(0, identity)).toMatchObject({ state: 'unknown', isOwn: true });
	expect(own.isRetry).toBe(false);
	const retry = receiptsOf(memory, { executionId: '2' });
	expect(retry.find(0, identity)).toMatchObject({ state: 'unknown', isOwn: false });
	expect(retry.isRetry).toBe(true);
});

test('a second try keeps when the first one began, and one that fails leaves the first one unknown', () => {
	const memory: IContextObject = {};
	receiptsOf(memory).begin(0, identity);
	const first = receiptsOf(memory).find(0, identity) as { since: number };
	const retry = receiptsOf(memory, { executionId: '2' });
	const again = retry.begin(0, identity);
	expect(retry.find(0, identity)).toMatchObject({ since: first.since, isOwn: true });
	again.notSent();
	expect(retry.find(0, identity)).toEqual({ ...first, isOwn: false });
});

describe('dedupe keys', () => {
	const keyed = { target: 'a', dedupeKeys: ['same'] };

	test('hold for the whole execution, and are free again where nothing was sent', () => {
		const memory: IContextObject = {};
		const refused = receiptsOf(memory).begin(0, keyed);
		expect(receiptsOf(memory).usedBy('same', { index: 1 })).toEqual({
			index: 0,
			isThisRun: true,
		});
		refused.notSent();
		expect(receiptsOf(memory).usedBy('same', { index: 1 })).toBeUndefined();
		receiptsOf(memory).begin(0, keyed).accepted({});
		const later = receiptsOf(memory, { runIndex: 1 });
		expect(later.usedBy('same', { index: 0 })).toEqual({ index: 0, isThisRun: false });
	});

	test('stay used where a second try was refused of what may have been sent', () => {
		const memory: IContextObject = {};
		receiptsOf(memory).begin(0, keyed);
		const retry = receiptsOf(memory, { executionId: '2' });
		retry.begin(0, keyed).notSent();
		expect(retry.usedBy('same', { index: 1 })).toMatchObject({ index: 0 });
	});
});

test('a tool hands out what an earlier execution has sent once; in the same one, another call is another message', () => {
	const memory: IContextObject = {};
	const first = receiptsOf(memory, { isTool: true });
	first.begin(0, identity).accepted({ snapshotId: 1 });
	// Retry On Fail, before the agent has its result.
	expect(first.take(0, identity)).toMatchObject({ answer: { snapshotId: 1 } });
	first.handOver();
	expect(receiptsOf(memory, { isTool: true }).take(0, identity)).toBeUndefined();
	const retry = receiptsOf(memory, { isTool: true, executionId: '2' });
	expect(retry.take(0, identity)).toMatchObject({ answer: { snapshotId: 1 } });
	retry.handOver();
	expect(retry.take(0, identity)).toBeUndefined();
	expect(retry.take(0, { ...identity, content: 'other' })).toBeUndefined();
});

test('receipts of another version are not read: nothing is sent', () => {
	expect(() => receiptsOf({ smsReceipts: { v: 1 } })).toThrow('another version');
});

test('a run of a long loop costs no more than the first one', () => {
	const memory: IContextObject = {};
	const runs = (from: number, count: number) => {
		const began = performance.now();
		for (let runIndex = from; runIndex < from + count; runIndex++) {
			const receipts = receiptsOf(memory, { runIndex });
			receipts.take(0, identity);
			receipts.usedBy('key', { index: 0 });
			receipts.begin(0, identity).accepted({ snapshotId: String(runIndex) });
			receipts.handOver();
		}
		return performance.now() - began;
	};
	runs(0, 2_000);
	const first = runs(2_000, 5_000);
	const last = runs(7_000, 5_000);
	expect(last).toBeLessThan(5 * first + 20);
	expect(JSON.stringify(memory).length / 12_000).toBeLessThan(120);
});

test('a run that changes nothing leaves no page', () => {
	const memory: IContextObject = {};
	for (let runIndex = 0; runIndex < 100; runIndex++)
		receiptsOf(memory, { runIndex }).take(0, identity);
	expect(JSON.stringify(memory).length).toBeLessThan(100);
});

/**
 * n8n killed in the middle of many sends and started again: what becomes of the execution, what a retry
 * of it sends again, and what `sendBatch` with a once key makes of it. And n8n that is asked to end.
 */
import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Execution } from '../harness/n8n.mts';
import {
	countByStatus,
	createWebhookWorkflow,
	editorOffersRetry,
	report,
} from '../e2e/delivery-support.mts';
import { phones, Received, snapshots } from '../harness/phones.mts';
import { type Environment, startEnvironment, workflowOf } from '../e2e/support.mts';
import { nothingBeside, placed } from '../harness/settings.mts';

const IN_FLIGHT = 10;
/** Keys of a batch that may be claimed and not known as sent: 50 for each of its ten requests, and an eighth. */
const MOST_UNKNOWN = 562;

/** A run of many sends that stalls: after `answered` answers, the next ten requests wait for theirs. */
class Run {
	readonly numbers: string[];
	readonly orders: IDataObject[];
	readonly answered: number;
	executionId = '';
	start: (orders: IDataObject[]) => Promise<string> = async () => '';

	constructor(
		place: number,
		readonly count: number,
		answered: number,
	) {
		this.numbers = phones(count, place * 1_500);
		this.orders = this.numbers.map((to, order) => ({ to, order: order + 1 }));
		this.answered = answered;
	}

	/** How many the service has accepted by the time of the kill. */
	get accepted(): number {
		return this.answered + IN_FLIGHT;
	}

	stall({ simulator }: Environment): void {
		const own = new Set(this.numbers);
		simulator.faults.add({
			match: (request) => own.has(request.json().number),
			skip: this.answered,
			times: Infinity,
			do: { kind: 'delay', ms: 600_000 },
		});
	}
}

const byHand = new Run(0, 500, 100);
const byWebhook = new Run(1, 500, 100);
const withProgress = new Run(2, 500, 100);
const batch = new Run(3, 1_500, 100);
const runs = { byHand, byWebhook, withProgress, batch };

let environment: Environment;

/** Starts all runs, kills n8n when each has stalled, and starts it again. */
beforeAll(async () => {
	environment = await startEnvironment({ n8n: {} });
	const { n8n, simulator } = environment;

	const send = { operation: 'send', ...placed('Sms', 'send', { concurrency: IN_FLIGHT }) };
	const sendBatch = {
		operation: 'sendBatch',
		...placed('Sms', 'sendBatch', {
			concurrency: IN_FLIGHT,
			onceKey: '={{ $json.order }}',
			...nothingBeside('sendBatch'),
		}),
	};
	const { id } = await n8n.createWorkflow(
		workflowOf(byHand.orders, 'sms', {
			...send,
			number: '={{ $json.to }}',
			message: '=Order {{ $json.order }} has been shipped',
		}),
	);
	Object.assign(byHand, { start: async () => await n8n.startRun(id) });
	for (const [run, parameters, workflow] of [
		[byWebhook, send, {}],
		[withProgress, send, { saveExecutionProgress: true }],
		[batch, sendBatch, {}],
	] as const) {
		const stored = await createWebhookWorkflow(n8n, parameters, { workflow });
		Object.assign(run, { start: stored.start });
	}

	for (const run of Object.values(runs)) {
		run.stall(environment);
		run.executionId = await run.start(run.orders);
	}
	const expected = Object.values(runs).reduce((sum, { accepted }) => sum + accepted, 0);
	while (simulator.messages.length < expected) await sleep(20);
	// By then, the keys of what was answered are confirmed in n8n's database.
	await sleep(2_000);
	expect(simulator.inFlight).toBe(Object.keys(runs).length * IN_FLIGHT);

	await n8n.kill('SIGKILL');
	simulator.faults.clear();
	await n8n.restart();
	// n8n notices while it starts that the executions of its last session did not end.
	for (const run of Object.values(runs)) await n8n.waitFor(run.executionId);
	for (const run of [byWebhook, withProgress, batch]) await published(run);
});

afterAll(async () => await environment?.close());

/** Waits until n8n has made a run's webhook again, which it does after it has begun to answer. */
async function published(run: Run): Promise<void> {
	for (let tries = 1; ; tries++) {
		try {
			await run.start([]);
			return;
		} catch (error) {
			if (tries === 100) throw error;
			await sleep(200);
		}
	}
}

async function crashed(run: Run): Promise<Execution> {
	return await environment.n8n.getExecution(run.executionId);
}

function nodeRun(execution: Execution, node: string) {
	return execution.data.resultData.runData[node]?.[0];
}

function received(): Received {
	return new Received(environment.simulator);
}

/** Each item's status, held against its phone. */
function expectHonest(items: IDataObject[]): void {
	const counts = received();
	const known = snapshots(environment.simulator);
	for (const { status, number, snapshotId } of items) {
		const messages = counts.by(number as string);
		if (status === 'sent') expect(snapshotId).toBe(known.get(number as string));
		if (status === 'sent' || status === 'skipped') expect(messages).toBe(1);
		else expect(messages).toBeLessThanOrEqual(1);
	}
}

describe('the execution that was running when n8n was killed', () => {
	test.each(Object.entries(runs))('%s is shown as crashed, at SMS', async (_, run) => {
		const execution = await crashed(run);
		expect(execution.status).toBe('crashed');
		expect(execution.error?.message).toMatch(/did not finish/);
		expect(nodeRun(execution, 'Node')).toMatchObject({ executionStatus: 'crashed' });
		expect(execution.data.executionData?.contextData ?? {}).toEqual({});
		expect(editorOffersRetry(execution.summary)).toBe(true);
		expect(received().count(run.numbers, 1)).toBe(run.accepted);
	});
});

describe('send', () => {
	test('started by hand: n8n refuses the retry, for it has kept no data', async () => {
		const { n8n } = environment;
		await expect(n8n.retryExecution(byHand.executionId)).rejects.toThrow(
			/aborted before starting/,
		);
		expect(received().count(byHand.numbers, 1)).toBe(byHand.accepted);
	});

	test.each([
		['default settings', byWebhook, false],
		['"Save execution progress" on', withProgress, true],
	])('started by a webhook, %s: the receipts died with n8n', async (settings, run, kept) => {
		const { n8n } = environment;
		const before = await crashed(run);
		// n8n keeps the items that reached SMS only where it saves the progress.
		expect(nodeRun(before, 'Each')?.data?.main[0]?.length).toBe(kept ? run.count : 1);

		const retried = await n8n.retryExecution(run.executionId);
		const counts = received();
		expect(retried.status).toBe('success');
		expect(counts.count(run.numbers, 0)).toBe(0);
		// No more than what had been accepted: the retry itself sends each once.
		expect(counts.count(run.numbers, 2)).toBe(run.accepted);
		expect(counts.count(run.numbers, 1)).toBe(run.count - run.accepted);
		report(`Killed in the middle of ${run.count} sends, send, ${settings}`, {
			'accepted before the kill': run.accepted,
			'of those in flight': IN_FLIGHT,
			'sent twice by "Retry execution"': counts.count(run.numbers, 2),
		});
	});
});

describe('sendBatch with a once key', () => {
	test('killed in the middle, then retried: nothing twice', async () => {
		const { n8n } = environment;
		const retried = await n8n.retryExecution(batch.executionId);
		const results = retried.json('Node');
		expect(results.map(({ number }) => number)).toEqual(batch.numbers);
		expectHonest(results);
		const statuses = countByStatus(results);
		const counts = received();
		const { skipped = 0 } = statuses;
		expect(statuses.sent + statuses.unknown + skipped).toBe(batch.count);
		expect(statuses.unknown).toBeLessThanOrEqual(MOST_UNKNOWN);
		expect(counts.count(batch.numbers, 1)).toBe(batch.accepted + statuses.sent);
		// Messages that the store had not heard of yet are among the unknown.
		const unknown = results.filter(({ status }) => status === 'unknown');
		const unknownNumbers = unknown.map(({ number }) => number as string);
		expect(counts.count(unknownNumbers, 1)).toBe(batch.accepted - skipped);
		report(`Killed in the middle of ${batch.count} sends, sendBatch with a once key`, {
			'accepted before the kill': batch.accepted,
			'second run': JSON.stringify(statuses),
			'unknown that had arrived': counts.count(unknownNumbers, 1),
			'sent twice': counts.count(batch.numbers, 2),
		});
	});

	test('run again by the webhook: nothing twice, and the unknown stay unknown', async () => {
		const { n8n } = environment;
		const again = await n8n.waitFor(await batch.start(batch.orders));
		const results = again.json('Node');
		expectHonest(results);
		expect(Object.keys(countByStatus(results)).sort()).toEqual(['skipped', 'unknown']);
		expect(received().count(batch.numbers, 2)).toBe(0);
	});
});

test('n8n that is asked to end in the middle of 200 sends finishes them first', async () => {
	const { n8n, simulator } = environment;
	const numbers = phones(200, 9_000);
	const workflow = await createWebhookWorkflow(n8n, { operation: 'send' });
	simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: 100 } });
	await workflow.start(numbers.map((to, order) => ({ to, order })));
	while (received().count(numbers, 1) < 50) await sleep(5);
	await n8n.kill('SIGTERM');
	expect(received().count(numbers, 1)).toBe(200);
});

/**
 * Guarantees 1 to 5 of the design in a real n8n, which stores executions: one fault of each fate, edits,
 * repeated retries and the stop button, judged by what the phones received.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import type { FaultAction } from '../simulator/index.mts';
import {
	createWebhookWorkflow,
	editorOffersRetry,
	phones,
	Received,
	report,
	snapshots,
} from './delivery-support.mts';
import { useEnvironment, workflowOf } from './support.mts';
import { nothingBeside, placed } from '../harness/settings.mts';

const environment = await useEnvironment();

const [FIRST, HIT, LAST] = phones(3);
const TEXT = 'Your order has been shipped';

function parametersOf(operation: string, options: IDataObject = {}): INodeParameters {
	return {
		operation,
		number: '={{ $json.to }}',
		message: TEXT,
		...placed('Sms', operation, {
			concurrency: 1,
			...nothingBeside(operation),
			...options,
		}),
	};
}

function definition(operation: string, settings: Partial<INode> = {}): WorkflowDefinition {
	const items = [FIRST, HIT, LAST].map((to) => ({ to }));
	return workflowOf(items, 'sms', parametersOf(operation), settings);
}

/** Runs SMS over three items, one after another; a fault hits the second one. */
async function run(operation: string, settings: Partial<INode> = {}): Promise<Execution> {
	const { n8n } = environment;
	const { id } = await n8n.createWorkflow(definition(operation, settings));
	return await n8n.run(id);
}

/** Saves the workflow of an execution with other parameters of SMS. */
async function edit(execution: Execution, changes: INodeParameters): Promise<void> {
	const { n8n } = environment;
	const { nodes } = await n8n.getWorkflow(execution.summary.workflowId);
	const edited = nodes.map((node) =>
		node.name === 'Node' ? { ...node, parameters: { ...node.parameters, ...changes } } : node,
	);
	await n8n.updateWorkflow(execution.summary.workflowId, { nodes: edited });
}

/** The next request to the send of a message to this number goes wrong. */
function hit(number: string, action: FaultAction): void {
	environment.simulator.faults.add({
		path: /\/messages\/send$/,
		match: (request) => request.bodyText.includes(number),
		do: action,
	});
}

/** The second request goes wrong, seen by its place, so that a reset comes before its body is read. */
function hitSecond(action: FaultAction): void {
	environment.simulator.faults.add({ skip: 1, do: action });
}

/** How many messages each of the three phones received. */
function received(): number[] {
	const counts = new Received(environment.simulator);
	return [FIRST, HIT, LAST].map((number) => counts.by(number));
}

function snapshotIds(items: IDataObject[]): unknown[] {
	return items.map(({ snapshotId }) => snapshotId);
}

function snapshotsOnPhones(...numbers: string[]): unknown[] {
	const known = snapshots(environment.simulator);
	return numbers.map((number) => known.get(number));
}

interface Row {
	fault: string;
	do: FaultAction;
	/** What has to become of the message. */
	fate: 'sent' | 'refused' | 'unknown';
	/** Whether the phone gets it although the answer is lost. */
	accepted: boolean;
}

/** One for each fate: engine/delivery/matrix.test.mts has all others, and the other ways of running a node. */
const ROWS: Row[] = [
	{
		fault: '429 with Retry-After',
		do: { kind: 'tooManyRequests', retryAfter: 0 },
		fate: 'sent',
		accepted: true,
	},
	{
		fault: 'a reset after the message was accepted',
		do: { kind: 'resetAfterAccept' },
		fate: 'unknown',
		accepted: true,
	},
	{
		fault: "a refusal with the service's code",
		do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } },
		fate: 'refused',
		accepted: false,
	},
];

describe('send', () => {
	describe.each(ROWS)('$fault', (row) => {
		const onPhone = row.accepted ? 1 : 0;

		function expectStopped(execution: Execution): void {
			expect(received()).toEqual([1, onPhone, 0]);
			expect(execution.status).toBe('error');
			expect(JSON.stringify(execution.data.resultData.error)).toContain(
				snapshotsOnPhones(FIRST)[0],
			);
			expect(execution.error?.message).toBe(
				`1 of 3 sent, 1 ${row.fate} (${HIT}), 1 not sent`,
			);
		}

		function expectAllSent(execution: Execution): void {
			expect(received()).toEqual([1, 1, 1]);
			expect(execution.status).toBe('success');
			expect(snapshotIds(execution.json('Node'))).toEqual(
				snapshotsOnPhones(FIRST, HIT, LAST),
			);
		}

		test('Retry execution, with the original workflow', async () => {
			const { n8n } = environment;
			hitSecond(row.do);
			const failed = await run('send');
			if (row.fate === 'sent') {
				await expect(n8n.retryExecution(failed.id)).rejects.toThrow(/succeeded/);
				expect(received()).toEqual([1, 1, 1]);
				return;
			}
			expectStopped(failed);
			// What is unknown is looked up, and found.
			expectAllSent(await n8n.retryExecution(failed.id));
		});

		test('Retry execution, with the currently saved workflow', async () => {
			const { n8n } = environment;
			hitSecond(row.do);
			const failed = await run('send');
			// What is edited is not what is sent.
			await edit(failed, placed('Sms', 'send', { concurrency: 2 }));
			if (row.fate === 'sent') {
				await expect(n8n.retryExecution(failed.id, true)).rejects.toThrow(/succeeded/);
				expect(received()).toEqual([1, 1, 1]);
				return;
			}
			expectAllSent(await n8n.retryExecution(failed.id, true));
		});
	});
});

describe('after an edit, Retry execution with the currently saved workflow', () => {
	const refusal: FaultAction = {
		kind: 'json',
		status: 400,
		body: { code: 11, error: 'invalid number' },
	};

	function texts(number: string): string[] {
		return environment.simulator.messagesTo(number).map(({ text }) => text);
	}

	test('sends another text to those who have no message', async () => {
		const { n8n } = environment;
		hit(HIT, refusal);
		const failed = await run('send');
		await edit(failed, { message: 'Your order arrives tomorrow' });
		const retried = await n8n.retryExecution(failed.id, true);
		expect(retried.status).toBe('success');
		expect(texts(FIRST)).toEqual([TEXT]);
		expect(texts(HIT)).toEqual(['Your order arrives tomorrow']);
		expect(texts(LAST)).toEqual(['Your order arrives tomorrow']);
	});

	test('sends the original text to the rest with the original workflow', async () => {
		const { n8n } = environment;
		hit(HIT, refusal);
		const failed = await run('send');
		await edit(failed, { message: 'Your order arrives tomorrow' });
		await n8n.retryExecution(failed.id);
		expect([FIRST, HIT, LAST].map(texts)).toEqual([[TEXT], [TEXT], [TEXT]]);
	});

	test('an unknown message that a look-up does not find goes only with "Send Again if Unknown"', async () => {
		const { n8n } = environment;
		hitSecond({ kind: 'resetBeforeRead' });
		const failed = await run('send');
		const again = await n8n.retryExecution(failed.id, true);
		expect(again.error?.message).toBe(`2 of 3 sent, 1 unknown (${HIT})`);
		expect(received()).toEqual([1, 0, 1]);

		await edit(failed, placed('Sms', 'send', { concurrency: 1, resendUnknown: true }));
		const resent = await n8n.retryExecution(again.id, true);
		expect(resent.status).toBe('success');
		expect(received()).toEqual([1, 1, 1]);
	});
});

describe('an older execution that is retried again, after a retry that failed as well', () => {
	/** The second item fails at the first try, the third one at the second. */
	async function retryTwice(operation: string, options: IDataObject) {
		const { n8n, simulator } = environment;
		hit(HIT, { kind: 'json', status: 401, body: { code: 72, error: 'authentication failed' } });
		hit(LAST, {
			kind: 'json',
			status: 401,
			body: { code: 72, error: 'authentication failed' },
		});
		const items = [FIRST, HIT, LAST].map((to) => ({ to }));
		const { id } = await n8n.createWorkflow(
			workflowOf(items, 'sms', parametersOf(operation, options)),
		);
		return { id, first: await n8n.run(id), n8n, simulator };
	}

	test('send: the older execution does not know what the later one sent', async () => {
		const { first, n8n } = await retryTwice('send', {});
		expect(received()).toEqual([1, 0, 0]);
		const second = await n8n.retryExecution(first.id);
		expect(second.status).toBe('error');
		expect(received()).toEqual([1, 1, 0]);

		const latest = await n8n.retryExecution(second.id);
		expect(latest.status).toBe('success');
		expect(received()).toEqual([1, 1, 1]);

		await n8n.retryExecution(first.id);
		expect(received()).toEqual([1, 2, 2]);
	});

	test('sendBatch with a once key: nothing twice, whatever is run again', async () => {
		const { id, first, n8n } = await retryTwice('sendBatch', { onceKey: '={{ $json.to }}' });
		const statuses = (execution: Execution) =>
			execution.json('Node').map(({ status }) => status);
		expect(statuses(first)).toEqual(['sent', 'refused', 'notSent']);
		expect(received()).toEqual([1, 0, 0]);
		expect(statuses(await n8n.run(id))).toEqual(['skipped', 'sent', 'refused']);
		expect(statuses(await n8n.run(id))).toEqual(['skipped', 'skipped', 'sent']);
		expect(statuses(await n8n.run(id))).toEqual(['skipped', 'skipped', 'skipped']);
		expect(received()).toEqual([1, 1, 1]);
	});
});

describe('the stop button in the middle of 200 sends', () => {
	const COUNT = 200;
	const numbers = phones(COUNT, 1_000);
	const orders = numbers.map((to, order) => ({ to, order: order + 1 }));

	/** Stops an execution when a quarter has been accepted. */
	async function stop(executionId: string) {
		const { n8n, simulator } = environment;
		while (simulator.messages.length < COUNT / 4) await sleep(5);
		await n8n.stopExecution(executionId);
		const atStop = simulator.messages.length;
		const stopped = await n8n.waitFor(executionId);
		await sleep(1_000);
		const accepted = simulator.messages.length;
		expect(stopped.status).toBe('canceled');
		// What was under way when the button was pressed can still arrive; nothing else starts.
		expect(accepted - atStop).toBeLessThanOrEqual(10);
		expect(accepted).toBeLessThan(COUNT);
		expect(new Received(simulator).twice).toEqual([]);
		simulator.faults.clear();
		return { stopped, figures: { 'accepted when stop returned': atStop, accepted } };
	}

	function slowDown(): void {
		environment.simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: 100 } });
	}

	test('send, started by hand: the rest is not sent, and n8n has nothing to retry', async () => {
		const { n8n, simulator } = environment;
		slowDown();
		const { id } = await n8n.createWorkflow(
			workflowOf(orders, 'sms', {
				operation: 'send',
				number: '={{ $json.to }}',
				message: TEXT,
			}),
		);
		const { stopped, figures } = await stop(await n8n.startRun(id));
		expect(editorOffersRetry(stopped.summary)).toBe(false);
		await expect(n8n.retryExecution(stopped.id)).rejects.toThrow(/aborted before starting/);
		expect(new Received(simulator).twice).toEqual([]);
		report('Stop, send by hand', figures);
	});

	test('send, started by a webhook: the rest is not sent; the editor offers no retry', async () => {
		const { n8n, simulator } = environment;
		slowDown();
		const workflow = await createWebhookWorkflow(n8n, { operation: 'send' });
		const { stopped, figures } = await stop(await workflow.start(orders));
		expect(editorOffersRetry(stopped.summary)).toBe(false);
		expect(new Received(simulator).twice).toEqual([]);

		// n8n drops what a stopped execution knows, receipts included. Its REST interface retries it
		// nevertheless, from the start.
		await n8n.retryExecution(stopped.id);
		const counts = new Received(simulator);
		expect(counts.count(numbers, 0)).toBe(0);
		report('Stop, send by webhook', {
			...figures,
			'sent twice by a retry over the REST interface': counts.twice.length,
		});
	});

	test('sendBatch with a once key: run again, each number gets it once', async () => {
		const { n8n, simulator } = environment;
		slowDown();
		const workflow = await createWebhookWorkflow(n8n, {
			operation: 'sendBatch',
			...placed('Sms', 'sendBatch', { onceKey: '={{ $json.order }}' }),
		});
		const { stopped, figures } = await stop(await workflow.start(orders));
		await n8n.retryExecution(stopped.id);
		const again = await n8n.waitFor(await workflow.start(orders));

		const counts = new Received(simulator);
		expect(counts.twice).toEqual([]);
		const results = again.json('Node');
		expect(results).toHaveLength(COUNT);
		for (const { status, number } of results) {
			expect(status).toBeOneOf(['skipped', 'unknown']);
			if (status === 'skipped') expect(counts.by(number as string)).toBe(1);
		}
		report('Stop, sendBatch with a once key, by webhook', {
			...figures,
			'received once in the end': counts.count(numbers, 1),
			'unknown in the end': results.filter(({ status }) => status === 'unknown').length,
			'sent twice': counts.twice.length,
		});
	});
});

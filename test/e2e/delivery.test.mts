/**
 * Guarantees 1 to 5 of the design in a real n8n, which stores executions: retries after a lost answer and after
 * edits, repeated retries and the stop button, judged by what the phones received. engine/delivery has all faults.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import type { FaultAction } from '../simulator/index.mts';
import { createWebhookWorkflow, editorOffersRetry, report } from './delivery-support.mts';
import { phones, Received, snapshots } from '../harness/phones.mts';
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

/** How many messages each of the three phones received. */
function received(): number[] {
	const counts = new Received(environment.simulator);
	return [FIRST, HIT, LAST].map((number) => counts.by(number));
}

test('Retry execution finishes what a lost answer stopped, and looks it up first', async () => {
	const { n8n, simulator } = environment;
	simulator.faults.add({ skip: 1, do: { kind: 'resetAfterAccept' } });
	const failed = await run('send');
	expect(received()).toEqual([1, 1, 0]);
	expect(failed.status).toBe('error');
	expect(failed.error?.message).toBe(`1 of 3 sent, 1 unknown (${HIT}), 1 not sent`);
	const retried = await n8n.retryExecution(failed.id);
	expect(received()).toEqual([1, 1, 1]);
	expect(retried.status).toBe('success');
	const snapshotOf = snapshots(simulator);
	expect(retried.json('Node').map(({ snapshotId }) => snapshotId)).toEqual(
		[FIRST, HIT, LAST].map((number) => snapshotOf.get(number)),
	);
	// n8n retries no execution that went well.
	await expect(n8n.retryExecution(retried.id)).rejects.toThrow(/succeeded/);
	expect(received()).toEqual([1, 1, 1]);
});

describe('after an edit, Retry execution sends to who has no message', () => {
	const LATER = 'Your order arrives tomorrow';

	test.each([
		['the original text, with the original workflow', false, TEXT],
		['the new one, with the currently saved workflow', true, LATER],
	])('%s', async (_, isCurrent, text) => {
		const { n8n, simulator } = environment;
		hit(HIT, { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } });
		const failed = await run('send');
		await edit(failed, { message: LATER, ...placed('Sms', 'send', { concurrency: 2 }) });
		const retried = await n8n.retryExecution(failed.id, isCurrent);
		expect(retried.status).toBe('success');
		const texts = [FIRST, HIT, LAST].map((number) =>
			simulator.messagesTo(number).map((message) => message.text),
		);
		expect(texts).toEqual([[TEXT], [text], [text]]);
	});
});

test('an older execution that is retried again does not know what a later retry sent', async () => {
	const { n8n } = environment;
	// The second item fails at the first try, the third one at the second.
	for (const number of [HIT, LAST])
		hit(number, { kind: 'json', status: 401, body: { code: 72, error: 'authentication' } });
	const first = await run('send');
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
		// Requests that were in flight when the button was pressed can still arrive; nothing else starts.
		expect(accepted - atStop).toBeLessThanOrEqual(10);
		expect(accepted).toBeLessThan(COUNT);
		expect(new Received(simulator).twice).toEqual([]);
		simulator.faults.clear();
		return { stopped, figures: { 'accepted when stop returned': atStop, accepted } };
	}

	function slowDown(): void {
		environment.simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: 100 } });
	}

	test('send, started by a webhook: the rest is not sent; the editor offers no retry', async () => {
		const { n8n, simulator } = environment;
		slowDown();
		const workflow = await createWebhookWorkflow(n8n, {
			operation: 'send',
			...placed('Sms', 'send', { concurrency: 10 }),
		});
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
			...placed('Sms', 'sendBatch', { concurrency: 10, onceKey: '={{ $json.order }}' }),
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

/**
 * Queue mode: a main, two workers, Debian's PostgreSQL and Redis. What is promised holds over workers
 * as it does in one process; where n8n's store allows less, the figure is printed.
 */
import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
	createWebhookWorkflow,
	ended,
	phones,
	Received,
	report,
	snapshots,
} from '../../e2e/delivery-support.mts';
import { credentialName, credentialOf, packageName } from '../../e2e/support.mts';
import { Queue, type Worker } from '../../harness/queue.mts';
import { type Simulator, startSimulator } from '../../simulator/index.mts';
import { nothingBeside, placed } from '../../harness/settings.mts';

let queue: Queue;
let simulator: Simulator;

beforeAll(async () => {
	simulator = await startSimulator();
	queue = await Queue.start();
	await queue.main.createCredential('smsServiceApi', credentialName, credentialOf(simulator));
});
afterAll(async () => {
	await queue?.stop();
	await simulator?.close();
});
beforeEach(() => simulator.reset());

const ordersFor = (numbers: string[]): IDataObject[] => numbers.map((to, order) => ({ to, order }));

/** The worker that ran an execution. */
function workerOf(executionId: string): Worker {
	const worker = queue.workers.find(({ executions }) => executions.includes(executionId));
	if (!worker) throw new Error(`No worker ran execution ${executionId}`);
	return worker;
}

test('2,000 sends over both workers: each number gets one', async () => {
	const numbers = phones(2_000);
	const workflow = await createWebhookWorkflow(queue.main, { operation: 'send' });
	simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: 20 } });
	const started: string[] = [];
	for (let from = 0; from < numbers.length; from += 100) {
		started.push(await workflow.start(ordersFor(numbers.slice(from, from + 100))));
	}
	for (const id of started) {
		const execution = await ended(queue.main, workflow.id, id);
		expect(execution.error).toBeUndefined();
		expect(execution.json('Node')).toHaveLength(100);
	}

	const received = new Received(simulator);
	expect(received.count(numbers, 1)).toBe(numbers.length);
	expect(simulator.messages).toHaveLength(numbers.length);
	const shares = queue.workers.map(
		({ executions }) => started.filter((id) => executions.includes(id)).length,
	);
	expect(shares.reduce((sum, share) => sum + share)).toBe(started.length);
	for (const share of shares) expect(share).toBeGreaterThan(0);
	report('2,000 sends', { 'executions on each worker': shares.join(' and ') });
});

test('Retry execution of a run that failed on a worker sends what is missing', async () => {
	const numbers = phones(100);
	const workflow = await createWebhookWorkflow(queue.main, { operation: 'send' });
	simulator.faults.add({
		match: ({ bodyText }) => bodyText.includes(numbers[60]),
		do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } },
	});
	const stopped = await ended(queue.main, workflow.id, await workflow.start(ordersFor(numbers)));
	expect(stopped.status).toBe('error');
	const before = snapshots(simulator);
	expect(before.size).toBeGreaterThan(0);
	expect(before.size).toBeLessThan(numbers.length);

	const retried = await queue.main.retryExecution(stopped.id);
	expect(retried.error).toBeUndefined();
	expect(new Received(simulator).count(numbers, 1)).toBe(numbers.length);
	for (const { number, snapshotId } of retried.json('Node')) {
		expect(snapshotId).toBe(snapshots(simulator).get(number as string));
	}
	report('Retry execution', {
		'sent by the first run': before.size,
		'on the same worker': workerOf(stopped.id) === workerOf(retried.id),
	});
});

// A credential that sends nothing from the editor: a worker knows that a webhook is no editor.
test.each(['preview', 'testNumber'])(
	'a production execution on a worker sends for real with %s in the credential',
	async (manualRuns) => {
		const name = `${credentialName}: ${manualRuns}`;
		const testNumber = '+33639980000';
		await queue.main.createCredential('smsServiceApi', name, {
			...credentialOf(simulator),
			manualRuns,
			testNumber,
		});
		const credentials = { smsServiceApi: { id: null, name } };
		for (const operation of ['send', 'sendBatch', 'sendByUrl']) {
			simulator.reset();
			const numbers = phones(3, 1);
			const workflow = await createWebhookWorkflow(
				queue.main,
				{ operation },
				{ node: { credentials } },
			);
			const id = await workflow.start(ordersFor(numbers));
			const execution = await ended(queue.main, workflow.id, id);
			expect(execution.error).toBeUndefined();
			expect(workerOf(id)).toBeDefined();
			expect(simulator.messages.map(({ number }) => number).sort()).toEqual(numbers);
			for (const json of execution.json('Node')) expect(json).not.toHaveProperty('test');
		}
	},
);

test('a worker killed in mid-batch, then the same keys again: nobody gets two', async () => {
	const numbers = phones(500);
	const workflow = await createWebhookWorkflow(queue.main, {
		operation: 'sendBatch',
		...placed('Sms', 'sendBatch', {
			onceKey: '={{ $json.order }}',
			...nothingBeside('sendBatch'),
		}),
	});
	simulator.faults.add({ skip: 300, times: Infinity, do: { kind: 'delay', ms: 600_000 } });
	const id = await workflow.start(ordersFor(numbers));
	// The service takes 300, and ten more whose answers are late.
	await expect.poll(() => simulator.messages.length, { timeout: 60_000 }).toBe(310);
	// By then, the keys of what was answered are confirmed in n8n's database.
	await sleep(2_000);
	const killed = workerOf(id);
	await killed.kill('SIGKILL');
	simulator.faults.clear();

	const again = await ended(queue.main, workflow.id, await workflow.start(ordersFor(numbers)));
	expect(again.error).toBeUndefined();
	expect(workerOf(again.id)).not.toBe(killed);
	const received = new Received(simulator);
	expect(received.twice).toEqual([]);
	const results = again.json('Node');
	expect(results).toHaveLength(numbers.length);
	for (const { status, number } of results) {
		expect(status).toBeOneOf(['sent', 'skipped', 'unknown']);
		if (status !== 'unknown') expect(received.by(number as string)).toBe(1);
	}
	// What the service never saw may wait for a person, but not be taken for sent.
	const unknown = results.filter(({ status }) => status === 'unknown');
	const lost = unknown.filter(({ number }) => received.by(number as string) === 0);

	await killed.start();
	const failed = await ended(queue.main, workflow.id, id);
	expect(failed.status).toBeOneOf(['error', 'crashed']);
	// Its retry, where n8n has stored what to go on from, finds the keys of both runs.
	const messages = simulator.messages.length;
	const retry = await queue.main.retryExecution(id).then(
		({ status }) => status,
		({ message }: Error) => message,
	);
	expect(simulator.messages).toHaveLength(messages);
	report('A worker killed in mid-batch', {
		'status of its execution': failed.status,
		'its retry': retry,
		skipped: results.filter(({ status }) => status === 'skipped').length,
		'sent by the second run': results.filter(({ status }) => status === 'sent').length,
		'unknown, received': unknown.length - lost.length,
		'unknown, not received': lost.length,
	});
});

test('four executions with the same keys at once', async () => {
	const numbers = phones(200);
	const workflow = await createWebhookWorkflow(queue.main, {
		operation: 'sendBatch',
		...placed('Sms', 'sendBatch', {
			onceKey: '={{ $json.order }}',
			...nothingBeside('sendBatch'),
		}),
	});
	simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: 20 } });
	const before = (await queue.main.listExecutions(workflow.id)).length;
	await Promise.all(
		Array.from({ length: 4 }, async () => await workflow.post(ordersFor(numbers))),
	);
	await expect
		.poll(async () => (await queue.main.listExecutions(workflow.id)).length, {
			timeout: 30_000,
		})
		.toBe(before + 4);
	const ids = (await queue.main.listExecutions(workflow.id)).map(({ id }) => id).slice(0, 4);
	const statuses: unknown[] = [];
	for (const id of ids) {
		const execution = await ended(queue.main, workflow.id, id);
		expect(execution.error).toBeUndefined();
		statuses.push(...execution.json('Node').map(({ status }) => status));
	}

	const received = new Received(simulator);
	const most = Math.max(...numbers.map((number) => received.by(number)));
	expect(received.count(numbers, 0)).toBe(0);
	// n8n's store is read, changed and written, so two workers may both take a key; one worker not.
	expect(most).toBeLessThanOrEqual(queue.workers.length);
	expect(simulator.messages).toHaveLength(statuses.filter((status) => status === 'sent').length);
	report('Four executions with the same keys at once', {
		'executions on each worker': queue.workers
			.map(({ executions }) => ids.filter((id) => executions.includes(id)).length)
			.join(' and '),
		'numbers that got one': received.count(numbers, 1),
		'numbers that got more': received.twice.length,
		'the most that one got': most,
	});

	const messages = simulator.messages.length;
	const last = await ended(queue.main, workflow.id, await workflow.start(ordersFor(numbers)));
	expect(last.error).toBeUndefined();
	expect(simulator.messages).toHaveLength(messages);
	// Where two workers wrote at the same moment, a key that was sent can be unknown, and is not sent again.
	const known = last.json('Node').map(({ status }) => status);
	expect(known).toHaveLength(numbers.length);
	for (const status of known) expect(status).toMatch(/^(skipped|unknown)$/);
	const unsure = known.filter((status) => status === 'unknown');
	report('The same keys once more', { unknown: unsure.length });
});

describe('five triggers', () => {
	const categories = ['a', 'b', 'c', 'd', 'e'];
	const pollTimes = {
		item: Array.from({ length: 12 }, (_, index) => ({
			mode: 'custom',
			cronExpression: `${index * 5} * * * * *`,
		})),
	};

	test('through a killed and restarted main: each reply starts one execution', async () => {
		const { main } = queue;
		const ids: string[] = [];
		for (const category of categories) {
			simulator.service.accept({
				kind: 'notification',
				number: phones(1)[0],
				text: 'Hello',
				category,
			});
			const { id } = await main.createWorkflow({
				name: `Replies of ${category}`,
				nodes: [
					{
						name: 'Trigger',
						type: `${packageName}.smsTrigger`,
						parameters: { pollTimes, events: ['reply'], categories: category },
						credentials: { smsServiceApi: { id: null, name: credentialName } },
					},
					{ name: 'After', type: 'n8n-nodes-base.noOp', parameters: {} },
				],
				connections: { Trigger: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
			});
			await main.activate(id);
			ids.push(id);
		}
		const typed: string[] = [];
		const reply = (text: string) => {
			for (const category of categories) {
				simulator.reply(phones(1)[0], `${text} ${category}`, { category });
				typed.push(`${text} ${category}`);
			}
		};
		/** The texts that executions were started with. */
		const texts = async () => {
			const found: unknown[] = [];
			for (const id of ids) {
				for (const { id: execution, status } of await main.listExecutions(id)) {
					if (status !== 'success') continue;
					const items = (await main.getExecution(execution)).json('Trigger');
					found.push(...items.map(({ message }) => message));
				}
			}
			return found.sort();
		};
		const told = async () =>
			await expect.poll(texts, { timeout: 60_000, interval: 1_000 }).toEqual(typed.sort());

		for (let round = 1; round <= 4; round++) {
			reply(`${round}`);
			await sleep(3_000);
		}
		await told();
		reply('before the kill');
		await main.kill('SIGKILL');
		reply('while it is down');
		await main.restart();
		reply('after the restart');
		await told();
		const polls = simulator.requestCount;
		await expect
			.poll(() => simulator.requestCount, { timeout: 30_000 })
			.toBeGreaterThanOrEqual(polls + 2 * categories.length);
		await sleep(1_000);
		expect(await texts()).toEqual(typed.sort());
		for (const id of ids) await main.deactivate(id);
	});
});

test('the key is in no log', () => {
	expect(queue.log).toContain('Worker started execution');
	expect(queue.log).not.toContain(simulator.apiKey);
});

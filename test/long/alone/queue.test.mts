/**
 * Queue mode: a main, three workers, Debian's PostgreSQL and Redis. What is promised holds over workers
 * as it does in one process.
 */
import type { IDataObject } from 'n8n-workflow';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createWebhookWorkflow, report } from '../../e2e/delivery-support.mts';
import { phones, Received, snapshots } from '../../harness/phones.mts';
import { credentialName, credentialOf } from '../../e2e/support.mts';
import { inARow, noOp, own, replyTrigger } from '../../harness/nodes.mts';
import { Queue, type Worker } from '../../harness/queue.mts';
import { type Simulator, startSimulator } from '../../simulator/index.mts';
import {
	ANSWER_TIME,
	countStatuses,
	createEventWorkflow,
	expectOnce,
	hasEnded,
	onceParameters,
	ordersFor,
	postAll,
	slowest,
} from '../events.mts';

/** How many events are posted several times at once. */
const EVENTS = process.env.CI ? 50 : 200;
/** How long workers are killed and started again. */
const CHAOS = process.env.CI ? 60_000 : 180_000;
/** From one kill to the next. */
const KILL_EVERY = 4_000;

let queue: Queue;
let simulator: Simulator;

beforeAll(async () => {
	simulator = await startSimulator();
	queue = await Queue.start({ workers: 3 });
	await queue.main.createCredential('smsServiceApi', credentialName, credentialOf(simulator));
});
afterAll(async () => {
	await queue?.stop();
	await simulator?.close();
});
beforeEach(() => simulator.reset());

/** The worker that ran an execution. */
function workerOf(executionId: string): Worker {
	const worker = queue.workers.find(({ executions }) => executions.includes(executionId));
	if (!worker) throw new Error(`No worker ran execution ${executionId}`);
	return worker;
}

test('Retry execution of a run that failed on a worker sends what is missing', async () => {
	const numbers = phones(100);
	const workflow = await createWebhookWorkflow(queue.main, { operation: 'send' });
	simulator.faults.add({
		match: ({ bodyText }) => bodyText.includes(numbers[60]),
		do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } },
	});
	const stopped = await queue.main.waitFor(await workflow.start(ordersFor(numbers)));
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
			const execution = await queue.main.waitFor(id);
			expect(execution.error).toBeUndefined();
			expect(workerOf(id)).toBeDefined();
			expect(simulator.messages.map(({ number }) => number).sort()).toEqual(numbers);
			for (const json of execution.json('Node')) expect(json).not.toHaveProperty('test');
		}
	},
);

/** Each answer takes as long as that of a near service. */
function answerSlowly(): void {
	simulator.faults.add({ times: Infinity, do: { kind: 'delay', ms: ANSWER_TIME } });
}

test.each([2, 3, 4])(
	'events, each posted %d times within 25 ms: everybody gets one',
	async (times) => {
		answerSlowly();
		const numbers = phones(EVENTS);
		const workflow = await createEventWorkflow(queue.main);
		const executions = await postAll(workflow, ordersFor(numbers), times);
		const counts = countStatuses(executions);
		report(`Events posted ${times} times`, {
			...counts,
			'the slowest execution': slowest(executions),
		});
		expectOnce(executions, simulator);
		expect(new Received(simulator).count(numbers, 1)).toBe(numbers.length);
		expect(counts.sent).toBe(numbers.length);
		expect(counts.sent + counts.skipped + (counts.unknown ?? 0)).toBe(times * numbers.length);
		if (times === 2) expect(counts.unknown ?? 0).toBeLessThanOrEqual(numbers.length / 20);
	},
);

test('six executions with the same 1,000 keys at once: everybody gets one', async () => {
	answerSlowly();
	const numbers = phones(1_000);
	const workflow = await createEventWorkflow(queue.main);
	await workflow.post(ordersFor(numbers), 6);
	const executions = await workflow.executions();
	const ids = executions.map(({ id }) => id);
	const counts = countStatuses(executions);
	const received = new Received(simulator);
	report('Six executions with the same 1,000 keys at once', {
		'executions on each worker': queue.workers
			.map(({ executions }) => ids.filter((id) => executions.includes(id)).length)
			.join(' and '),
		...counts,
		'numbers that got one': received.count(numbers, 1),
		'the slowest execution': slowest(executions),
	});
	expectOnce(executions, simulator);
	for (const execution of executions) expect(execution.json('Node')).toHaveLength(1_000);
	expect(received.count(numbers, 1)).toBe(numbers.length);
	expect(counts.sent).toBe(numbers.length);

	const messages = simulator.messages.length;
	const last = await queue.main.waitFor(await workflow.start(ordersFor(numbers)));
	expect(simulator.messages).toHaveLength(messages);
	expect(countStatuses([last])).toEqual({ skipped: numbers.length });
});

test('two nodes of a workflow with the same keys, in three executions: everybody gets one from each', async () => {
	answerSlowly();
	const numbers = phones(200);
	const workflow = await createEventWorkflow(queue.main, [
		own('Reminder', 'sms', {
			...onceParameters("={{ $('Each').item.json.order }}"),
			number: "={{ $('Each').item.json.to }}",
			message: "=Reminder of order {{ $('Each').item.json.order }}",
		}),
	]);
	await workflow.post(ordersFor(numbers), 3);
	const executions = await workflow.executions();
	for (const { error } of executions) expect(error).toBeUndefined();
	for (const text of [/^Order/, /^Reminder/]) {
		const messages = simulator.messages.filter((message) => text.test(message.text));
		const received = new Received({ messages });
		expect(received.count(numbers, 1)).toBe(numbers.length);
		expect(messages).toHaveLength(numbers.length);
	}
	report('Two nodes with the same keys, three executions', countStatuses(executions));
});

test('a worker whose clock is an hour ahead: everybody gets one', async () => {
	const [worker] = queue.workers;
	await worker.kill('SIGTERM');
	const script = join(import.meta.dirname, '../../harness/an-hour-ahead.cjs');
	await worker.start({ NODE_OPTIONS: `--require=${script}` });
	answerSlowly();
	const numbers = phones(EVENTS);
	const workflow = await createEventWorkflow(queue.main);
	const begun = Date.now();
	const executions = await postAll(workflow, ordersFor(numbers), 2);
	const ahead = executions.filter(
		({ summary: { startedAt } }) => Date.parse(startedAt) > begun + 3_000_000,
	);
	const counts = countStatuses(executions);
	report('Events posted twice, a clock an hour ahead', {
		...counts,
		'executions on that worker': ahead.length,
	});
	await worker.kill('SIGTERM');
	await worker.start();
	expect(ahead.length).toBeGreaterThan(0);
	expectOnce(executions, simulator);
	expect(new Received(simulator).count(numbers, 1)).toBe(numbers.length);
	expect(counts.unknown ?? 0).toBeLessThanOrEqual(numbers.length / 20);
});

/** Kills a worker every few seconds and starts it again, never the last one. @returns how often */
async function killWorkers(duration: number): Promise<number> {
	const ready = new Set(queue.workers);
	const restarts: Array<Promise<void>> = [];
	for (const end = Date.now() + duration; Date.now() < end; await sleep(KILL_EVERY)) {
		if (ready.size < 2) continue;
		const worker = [...ready][Math.floor(Math.random() * ready.size)];
		ready.delete(worker);
		await worker.kill('SIGKILL');
		restarts.push(worker.start().then(() => void ready.add(worker)));
	}
	await Promise.all(restarts);
	return restarts.length;
}

test('workers killed all the time, each event posted twice: nobody gets two, and no key is stuck', async () => {
	answerSlowly();
	const orders = ordersFor(phones(10_000));
	const workflow = await createEventWorkflow(queue.main);
	const posts: Array<Promise<void>> = [];
	let posted = 0;
	let isOver = false;
	const posting = (async () => {
		while (!isOver) {
			// Mostly one event, sometimes many.
			const count = posts.length % 5 === 4 ? 20 : 1;
			posts.push(workflow.post(orders.slice(posted, posted + count), 2));
			posted += count;
			await sleep(300);
		}
		await Promise.all(posts);
	})();
	const kills = await killWorkers(CHAOS).finally(() => (isOver = true));
	await posting;
	const executions = await workflow.executions();
	const finished = executions.filter(hasEnded);
	const numbers = phones(posted);
	const before = new Received(simulator);
	report(`Workers killed for ${CHAOS / 1_000} seconds`, {
		kills,
		events: posted,
		executions: executions.length,
		...countStatuses(executions),
		'numbers that got none': before.count(numbers, 0),
		'the slowest execution': slowest(finished),
	});
	expectOnce(finished, simulator);

	const begun = Date.now();
	const id = await workflow.start(orders.slice(0, posted));
	const last = await queue.main.waitFor(id);
	const seconds = (Date.now() - begun) / 1_000;
	const after = new Received(simulator);
	report('All of them once more', {
		...countStatuses([last]),
		'numbers that got none': after.count(numbers, 0),
		seconds: seconds.toFixed(1),
	});
	expect(last.error).toBeUndefined();
	expectOnce([...finished, last], simulator);
	const told = last.json('Node');
	expect(told).toHaveLength(posted);
	for (const { status, number } of told) {
		expect(status).toBeOneOf(['sent', 'skipped', 'unknown']);
		// Who has got it before is not sent it now.
		expect(status === 'sent').toBe(
			before.by(number as string) === 0 && after.by(number as string) === 1,
		);
	}
	expect(seconds).toBeLessThan(60);
});

describe('five triggers', () => {
	const categories = ['a', 'b', 'c', 'd', 'e'];

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
				...inARow(replyTrigger('Trigger', category, 3), noOp()),
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
			const items: IDataObject[] = [];
			for (const id of ids) items.push(...(await main.jsonOfAll(id, 'Trigger')));
			return items.map(({ message }) => message).sort();
		};
		const told = async () =>
			await expect.poll(texts, { timeout: 180_000, interval: 1_000 }).toEqual(typed.sort());

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
			.poll(() => simulator.requestCount, { timeout: 180_000 })
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

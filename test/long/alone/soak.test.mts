/**
 * Queue mode for a long time: 20 workflows that send and 20 triggers that poll, against a service that
 * limits the rate. Nothing is lost, nothing comes twice, and memory stays flat.
 *
 * SOAK_MINUTES: how long, 2 by default (as in CI); 30 for the whole proof.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebhookWorkflow, report } from '../../e2e/delivery-support.mts';
import { credentialName, credentialOf } from '../../e2e/support.mts';
import { Queue } from '../../harness/queue.mts';
import { inARow, type Node, replyTrigger } from '../../harness/nodes.mts';
import { type Receiver, startReceiver } from '../../harness/receiver.mts';
import { type FaultHandle, type Simulator, startSimulator } from '../../simulator/index.mts';
import { nothingBeside, placed } from '../../harness/settings.mts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 2);
const WORKFLOWS = 20;
/** Orders in one call of a webhook. */
const ORDERS = 10;
const CALL_EVERY_MS = 1_500;
const REPLY_EVERY_MS = 500;
/** The service takes so many sends a second, and answers 429 to the rest. */
const RATE = 8;
/** And 429 to one look-up in so many: in turn to each of the triggers, whose number it doesn't divide. */
const REFUSED_LOOKUP = 7;

let queue: Queue;
let simulator: Simulator;
let receiver: Receiver;

beforeAll(async () => {
	simulator = await startSimulator({ keepRequests: false });
	receiver = await startReceiver();
	queue = await Queue.start({
		env: { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none', N8N_LOG_LEVEL: 'info' },
	});
	await queue.main.createCredential('smsServiceApi', credentialName, credentialOf(simulator));
});
afterAll(async () => {
	await queue?.stop();
	await receiver?.close();
	await simulator?.close();
});

/** Takes RATE sends in any second, and not every look-up. @returns what was refused, so far */
function limitRate(): { sends: FaultHandle; lookups: FaultHandle } {
	const refused = { times: Infinity, do: { kind: 'tooManyRequests', retryAfter: 1 } } as const;
	let second = 0;
	let taken = 0;
	let lookups = 0;
	return {
		sends: simulator.faults.add({
			...refused,
			path: /\/messages\/send$/,
			match: () => {
				const now = Math.floor(Date.now() / 1_000);
				if (now !== second) [second, taken] = [now, 0];
				return ++taken > RATE;
			},
		}),
		lookups: simulator.faults.add({
			...refused,
			path: /\/messages\/replies$/,
			match: () => ++lookups % REFUSED_LOOKUP === 0,
		}),
	};
}

/**
 * Ten workflows send each item on its own, and try again what the service refused too often; ten send a
 * batch with once keys, at a pace, and tell the receiver what was not sent in the end.
 */
async function createSenders() {
	return await Promise.all(
		Array.from({ length: WORKFLOWS }, async (_, index) => {
			if (index % 2 === 0) {
				const node = { retryOnFail: true, maxTries: 5, waitBetweenTries: 2_000 };
				return await createWebhookWorkflow(queue.main, { operation: 'send' }, { node });
			}
			const parameters = {
				operation: 'sendBatch',
				...placed('Sms', 'sendBatch', {
					onceKey: '={{ $json.order }}',
					requestsPerSecond: 2,
					...nothingBeside('sendBatch'),
				}),
			};
			return await createWebhookWorkflow(queue.main, parameters, { after: tellUnsent() });
		}),
	);
}

function tellUnsent(): Node[] {
	const conditions = [
		{
			leftValue: '={{ $json.status }}',
			rightValue: 'sent',
			operator: { type: 'string', operation: 'notEquals' },
		},
	];
	return [
		{
			name: 'Not sent',
			type: 'n8n-nodes-base.filter',
			typeVersion: 2.2,
			parameters: {
				conditions: { options: { version: 2 }, conditions, combinator: 'and' },
			},
		},
		tell('unsent', '{ ...$json, order: $("Each").item.json.order, workflow: $workflow.id }'),
	];
}

/** Posts what an expression gives to the receiver. */
function tell(tool: string, expression: string): Node {
	return {
		...{ name: 'Tell', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
		parameters: {
			...{ method: 'POST', url: `${receiver.baseUrl}/${tool}`, sendBody: true },
			...{ specifyBody: 'json', jsonBody: `={{ ${expression} }}` },
		},
	};
}

/**
 * The work of an ops team when the service refused too much for too long: "Retry" for executions that failed,
 * and the unsent ones of a batch once more.
 */
class Ops {
	/** Executions that were retried. */
	readonly retried = new Set<string>();
	/** Items of batches that were reported as not sent, by their orders. */
	readonly unsent: number[] = [];
	private seen = 0;
	private readonly senders: Awaited<ReturnType<typeof createSenders>>;

	constructor(senders: Awaited<ReturnType<typeof createSenders>>) {
		this.senders = senders;
	}

	async mend(): Promise<void> {
		for (const { id } of this.senders) {
			for (const { id: execution, status } of await queue.main.listExecutions(id)) {
				if (status !== 'error' || this.retried.has(execution)) continue;
				this.retried.add(execution);
				// It answers when the new execution has ended, which is not saved where it succeeds.
				await queue.main.rest.post(`/executions/${execution}/retry`, {});
			}
		}
		const told = receiver.calls.filter(({ tool }) => tool === 'unsent');
		for (const { body } of told.slice(this.seen)) {
			this.seen++;
			const { number, order, status, workflow } = JSON.parse(body);
			expect(status, body).toBe('notSent');
			this.unsent.push(order);
			await this.senders.find(({ id }) => id === workflow)!.post([{ to: number, order }]);
		}
	}
}

/** Each trigger watches a category and tells the receiver what it hears. */
async function createTriggers(): Promise<void> {
	for (let index = 0; index < WORKFLOWS; index++) {
		const category = `c${index}`;
		simulator.service.accept({ kind: 'notification', number: PHONE, text: 'Hello', category });
		const { id } = await queue.main.createWorkflow({
			name: `Replies of ${category}`,
			...inARow(
				replyTrigger('Trigger', category, 10),
				tell('replies', '{ text: $json.message }'),
			),
		});
		await queue.main.activate(id);
	}
}

const PHONE = '+33639980000';

/** Resident memory of a process, in MB. */
async function memoryOf(pid: number): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024;
}

function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

test(
	`${WORKFLOWS} workflows sending and ${WORKFLOWS} triggers polling for ${MINUTES} minutes`,
	async () => {
		const senders = await createSenders();
		await createTriggers();
		const refused = limitRate();
		const greetings = simulator.messages.length;
		const processes = {
			main: queue.main,
			'worker 1': queue.workers[0],
			'worker 2': queue.workers[1],
		};
		const memory = new Map(Object.keys(processes).map((name) => [name, [] as number[]]));

		const typed: string[] = [];
		let order = 0;
		const end = Date.now() + MINUTES * 60_000;
		const until = async (everyMs: number, work: (round: number) => Promise<void> | void) => {
			for (let round = 0; Date.now() < end; round++) {
				await work(round);
				await sleep(everyMs);
			}
		};
		await Promise.all([
			until(CALL_EVERY_MS, async (round) => {
				const orders = Array.from({ length: ORDERS }, () => {
					const to = `+336${String(10_000_000 + order).padStart(8, '0')}`;
					return { to, order: ++order };
				});
				await senders[round % WORKFLOWS].post(orders);
			}),
			until(REPLY_EVERY_MS, (round) => {
				const category = `c${round % WORKFLOWS}`;
				simulator.reply(PHONE, `reply ${round}`, { category });
				typed.push(`reply ${round}`);
			}),
			until(2_000, async () => {
				for (const [name, { pid }] of Object.entries(processes)) {
					memory.get(name)!.push(await memoryOf(pid));
				}
			}),
		]);

		const sent = () => simulator.messages.slice(greetings).map(({ number }) => number);
		const told = () =>
			receiver.calls
				.filter(({ tool }) => tool === 'replies')
				.map(({ body }) => JSON.parse(body).text as string);
		// All that was begun comes to its end.
		const ops = new Ops(senders);
		const come = async () => {
			await ops.mend();
			return [sent().length, told().length];
		};
		await expect
			.poll(come, { timeout: 180_000, interval: 1_000 })
			.toEqual([order, typed.length]);
		await sleep(12_000);
		expect(new Set(sent()).size).toBe(order);
		expect(sent()).toHaveLength(order);
		expect(told().sort()).toEqual(typed.sort());

		const figures: Record<string, unknown> = {
			minutes: MINUTES,
			'messages, each once': order,
			'sends refused with 429': refused.sends.hits,
			'look-ups refused with 429': refused.lookups.hits,
			'executions that failed and were retried': ops.retried.size,
			'items of batches reported as not sent, and sent later': ops.unsent.length,
			'replies, each once': typed.length,
			'requests to the service': simulator.requestCount,
		};
		for (const [name, values] of memory) {
			const third = Math.floor(values.length / 3);
			const thirds = [0, 1, 2].map((part) =>
				median(values.slice(part * third, (part + 1) * third)),
			);
			figures[`MB of ${name}, each third`] = thirds.map(Math.round).join(', ');
			expect(thirds[2], `memory of ${name}`).toBeLessThan(thirds[1] * 1.25);
		}
		report('Soak', figures);
		expect(refused.sends.hits).toBeGreaterThan(0);
		expect(refused.lookups.hits).toBeGreaterThan(0);
		expect(queue.log).not.toContain(simulator.apiKey);
	},
	(MINUTES + 10) * 60_000,
);

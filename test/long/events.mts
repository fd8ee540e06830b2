/** Events that a webhook hears several times at the same moment, and what the executions say of them. */
import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { createWebhookWorkflow } from '../e2e/delivery-support.mts';
import { Received } from '../harness/phones.mts';
import type { Execution, N8n, StoredWorkflow, WorkflowDefinition } from '../harness/n8n.mts';
import { nothingBeside, placed } from '../harness/settings.mts';
import type { Simulator } from '../simulator/index.mts';

/** Within how many milliseconds an event is heard again. */
const TOGETHER = 25;
/** As slow as a near service. */
export const ANSWER_TIME = 15;

/** The parameters of a batch whose once key is the number of an order. */
export function onceParameters(key = '={{ $json.order }}', settings: IDataObject = {}) {
	const all = { onceKey: key, ...nothingBeside('sendBatch'), ...settings };
	return { operation: 'sendBatch', ...placed('Sms', 'sendBatch', all) };
}

export function ordersFor(numbers: string[]): IDataObject[] {
	return numbers.map((to, order) => ({ to, order: order + 1 }));
}

/** A workflow that sends one message for each order, however often it hears of it. */
export interface EventWorkflow extends StoredWorkflow {
	/** Posts the same orders so many times, each time in an execution of its own. */
	post: (orders: IDataObject[], times: number) => Promise<void>;
	/**
	 * All executions that were started.
	 *
	 * @param timeout how long to wait for the end of one, in milliseconds
	 */
	executions: (timeout?: number) => Promise<Execution[]>;
	/** Posts orders alone. @returns the id of the execution */
	start: (orders: IDataObject[]) => Promise<string>;
}

export async function createEventWorkflow(
	n8n: N8n,
	after: WorkflowDefinition['nodes'] = [],
): Promise<EventWorkflow> {
	const workflow = await createWebhookWorkflow(n8n, onceParameters(), { after });
	const last = Math.max(0, ...(await n8n.listExecutions()).map(({ id }) => Number(id)));
	let posted = 0;
	return {
		...workflow,
		post: async (orders, times) => {
			posted += times;
			const post = async () => {
				await sleep(Math.random() * TOGETHER);
				await workflow.post(orders);
			};
			await Promise.all(Array.from({ length: times }, post));
		},
		executions: async (timeout = 120_000) => {
			// n8n lists those only that began last, by the clock of the worker.
			const executions: Execution[] = [];
			for (let id = last + 1; executions.length < posted; id++) {
				const execution = await endOf(n8n, String(id), timeout);
				if (execution.summary.workflowId === workflow.id) executions.push(execution);
			}
			return executions;
		},
	};
}

/** @returns the execution, still running where it did not end in time */
async function endOf(n8n: N8n, id: string, timeout: number): Promise<Execution> {
	for (const end = Date.now() + timeout; ; await sleep(100)) {
		const execution = await n8n.getExecution(id).catch(() => undefined);
		if (execution !== undefined && hasEnded(execution)) return execution;
		if (Date.now() < end) continue;
		if (execution === undefined) throw new Error(`There is no execution ${id}`);
		return execution;
	}
}

export function hasEnded({ status }: Execution): boolean {
	return !['new', 'running', 'waiting'].includes(status);
}

/** Counts what executions say of messages, by status. The error that stopped one counts as a status. */
export function countStatuses(executions: Execution[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const execution of executions) {
		const { status, error } = execution;
		const told = hasEnded(execution) ? execution.json('Node') : [];
		const stopped = [`execution ${status}: ${error?.message.slice(0, 160)}`];
		const all = told.length > 0 ? told.map(({ status }) => String(status)) : stopped;
		for (const one of all) counts[one] = (counts[one] ?? 0) + 1;
	}
	return counts;
}

/** How long the slowest of them took, in seconds. */
export function slowest(executions: Execution[]): string {
	const times = executions
		// One that was killed has no beginning.
		.filter(({ summary: { startedAt, stoppedAt } }) => startedAt && stoppedAt)
		.map(
			({ summary: { startedAt, stoppedAt } }) =>
				Date.parse(stoppedAt!) - Date.parse(startedAt),
		);
	return `${(Math.max(0, ...times) / 1_000).toFixed(1)} s`;
}

/** Nobody got two, and who is called sent or skipped got one. */
export function expectOnce(executions: Execution[], simulator: Simulator): void {
	const received = new Received(simulator);
	expect(received.twice).toEqual([]);
	const told = executions.flatMap((execution) => execution.json('Node'));
	const invented = told.filter(
		({ status, number }) =>
			['sent', 'skipped'].includes(status as string) && received.by(number as string) === 0,
	);
	expect(invented).toEqual([]);
}

/**
 * Posts each order so many times at once, one order after another.
 *
 * @param every from one order to the next, in milliseconds
 * @returns the executions, ended
 */
export async function postAll(
	workflow: EventWorkflow,
	orders: IDataObject[],
	times: number,
	every = TOGETHER * times,
): Promise<Execution[]> {
	const posts: Array<Promise<void>> = [];
	for (const order of orders) {
		posts.push(workflow.post([order], times));
		await sleep(every);
	}
	await Promise.all(posts);
	return await workflow.executions();
}

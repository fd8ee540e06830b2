/** Shared by the tests of delivery in a real n8n. */
import axios from 'axios';
import type { IDataObject, INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Execution, N8n, StoredWorkflow, WorkflowDefinition } from '../harness/n8n.mts';
import { inARow, own, splitOut, webhook } from '../harness/nodes.mts';
import type { Simulator } from '../simulator/index.mts';
import { credentialName } from './support.mts';

/** Over new connections: n8n ends kept ones that were idle while a large execution kept it busy. */
const webhooks = axios.create({ proxy: false, httpAgent: new Agent({ keepAlive: false }) });

/** @returns the n-th of the 10,000 French mobile numbers that are kept for fiction, in E.164 */
export function phone(n: number): string {
	return `+3363998${String(n).padStart(4, '0')}`;
}

/** @returns `count` phones from the n-th on */
export function phones(count: number, from = 0): string[] {
	return Array.from({ length: count }, (_, index) => phone(from + index));
}

/** How many messages the phones of a simulator received. */
export class Received {
	private readonly counts = new Map<string, number>();

	constructor({ messages }: Pick<Simulator, 'messages'>) {
		for (const { number } of messages) this.counts.set(number, this.by(number) + 1);
	}

	/** @param number in E.164 */
	by(number: string): number {
		return this.counts.get(number) ?? 0;
	}

	/** How many of these numbers received exactly `times` messages. */
	count(numbers: string[], times: number): number {
		return numbers.filter((number) => this.by(number) === times).length;
	}

	/** The numbers that received more than one. */
	get twice(): string[] {
		return [...this.counts].filter(([, count]) => count > 1).map(([number]) => number);
	}
}

/** The snapshot ids of what the phones received, by number in E.164. */
export function snapshots({ messages }: Pick<Simulator, 'messages'>): Map<string, string> {
	return new Map(messages.map(({ number, snapshotId }) => [number, snapshotId]));
}

/**
 * Stores and publishes a workflow as a shop would have it: a webhook takes a list of orders, Split Out
 * makes an item of each, SMS (`Node`) sends to its `to`.
 *
 * @param parameters of SMS, beside number and message
 * @param options its other settings, those of the workflow, and the nodes behind it, one after the other
 */
export async function createWebhookWorkflow(
	n8n: N8n,
	parameters: INodeParameters,
	{
		node = {},
		workflow = {},
		after = [],
	}: {
		node?: Partial<INode>;
		workflow?: IWorkflowSettings;
		after?: WorkflowDefinition['nodes'];
	} = {},
): Promise<
	StoredWorkflow & {
		post: (orders: IDataObject[]) => Promise<void>;
		start: (orders: IDataObject[]) => Promise<string>;
	}
> {
	const path = crypto.randomUUID();
	const parametersOf = {
		number: '={{ $json.to }}',
		message: '=Order {{ $json.order }} has been shipped',
		...parameters,
	};
	const stored = await n8n.createWorkflow({
		name: `Orders ${JSON.stringify(parameters).slice(0, 80)}`,
		...inARow(
			webhook(path, 'Orders'),
			splitOut('Each', 'body.orders'),
			own('Node', 'sms', parametersOf, credentialName, node),
			...after,
		),
		settings: workflow,
	});
	await n8n.activate(stored.id);
	const post = async (orders: IDataObject[]) => {
		await webhooks.post(`${n8n.url}/webhook/${path}`, { orders });
	};
	return {
		...stored,
		/** Posts orders to the webhook. */
		post,
		/** As `post`, alone at its time. @returns the id of the execution that it starts */
		start: async (orders) => {
			const list = async () => (await n8n.listExecutions(stored.id)).map(({ id }) => id);
			const before = await list();
			await post(orders);
			// In queue mode, the execution is stored a moment after the answer.
			for (const end = Date.now() + 10_000; Date.now() < end; await sleep(50)) {
				const started = (await list()).find((id) => !before.includes(id));
				if (started !== undefined) return started;
			}
			throw new Error('The webhook started no execution');
		},
	};
}

/**
 * Waits until an execution has ended, one of several that run at the same time.
 *
 * @throws {Error} when it has not within five minutes
 */
export async function ended(n8n: N8n, executionId: string): Promise<Execution> {
	for (const end = Date.now() + 300_000; Date.now() < end; await sleep(50)) {
		const status = await n8n.statusOf(executionId);
		// n8n stores an execution a moment after it has begun.
		if (status === undefined || status === 'new' || status === 'running') continue;
		return await n8n.getExecution(executionId);
	}
	throw new Error(`Execution ${executionId} did not end within five minutes`);
}

/** The executions list of n8n's editor (2.41) has a Retry for an execution. */
export function editorOffersRetry(summary: { status: string; retrySuccessId?: string }): boolean {
	return ['crashed', 'error'].includes(summary.status) && !summary.retrySuccessId;
}

/** How many items have each status. */
export function countByStatus(items: IDataObject[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of items) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
	return counts;
}

/** Prints what was measured, one line for each figure. */
export function report(title: string, figures: Record<string, unknown>): void {
	const lines = Object.entries(figures).map(([name, value]) => `  ${name}: ${String(value)}`);
	console.log([title, ...lines].join('\n'));
}

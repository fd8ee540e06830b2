/** Shared by the tests of delivery in a real n8n. */
import axios from 'axios';
import type { IDataObject, INode, INodeParameters, IWorkflowSettings } from 'n8n-workflow';
import type { N8n, StoredWorkflow, WorkflowDefinition } from '../harness/n8n.mts';
import { inARow, own, splitOut, webhook } from '../harness/nodes.mts';
import { credentialName } from './support.mts';

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
		await axios.post(`${n8n.url}/webhook/${path}`, { orders });
	};
	return {
		...stored,
		/** Posts orders to the webhook. */
		post,
		/** As `post`, alone at its time. @returns the id of the execution that it starts */
		start: async (orders) => await n8n.begunBy(stored.id, async () => await post(orders)),
	};
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

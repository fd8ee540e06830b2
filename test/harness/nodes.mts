/** Nodes of workflows in a real n8n, and how they are connected. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { pollEvery, type WorkflowDefinition } from './n8n.mts';

export type Node = WorkflowDefinition['nodes'][number];

/** The main output of a node, to another one. */
export function to(node: string) {
	return { main: [[{ node, type: 'main' as const, index: 0 }]] };
}

/** Connects nodes, each with the next one. */
export function inARow(...nodes: Node[]): Pick<WorkflowDefinition, 'nodes' | 'connections'> {
	const next = nodes.slice(1).map(({ name }, at) => [nodes[at].name, to(name)]);
	return { nodes, connections: Object.fromEntries(next) as WorkflowDefinition['connections'] };
}

/** A node of the package, with a credential by its name. */
export function own(
	name: string,
	type: string,
	parameters: INodeParameters,
	credential = 'SMS Service account',
	more: Partial<INode> = {},
): Node {
	return {
		name,
		type: `n8n-nodes-sms-service.${type}`,
		parameters,
		credentials: { smsServiceApi: { id: null, name: credential } },
		...more,
	};
}

export const manual = (name = 'Start'): Node => ({
	...{ name, type: 'n8n-nodes-base.manualTrigger', parameters: {} },
});

/** A webhook that answers at once. */
export const webhook = (path: string, name = 'Start'): Node => ({
	...{ name, type: 'n8n-nodes-base.webhook', typeVersion: 2, webhookId: path },
	parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} },
});

/** The start of a workflow that is called with items. */
export const called = (name = 'Start'): Node => ({
	...{ name, type: 'n8n-nodes-base.executeWorkflowTrigger', typeVersion: 1.1 },
	parameters: { inputSource: 'passthrough' },
});

/** Calls another workflow. */
export const calling = (name: string, id: string, more: IDataObject = {}): Node => ({
	...{ name, type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2 },
	parameters: {
		...{ workflowId: { __rl: true, mode: 'id', value: id }, options: {} },
		...(more as INodeParameters),
	},
});

/** Makes an item of each element of a list. */
export const splitOut = (name: string, field: string): Node => ({
	...{ name, type: 'n8n-nodes-base.splitOut' },
	parameters: { fieldToSplitOut: field, options: {} },
});

export const noOp = (name = 'After'): Node => ({
	...{ name, type: 'n8n-nodes-base.noOp', parameters: {} },
});

/** Polls for replies of a category, every so many seconds. */
export const replyTrigger = (
	name: string,
	categories: string,
	seconds: number,
	credential?: string,
): Node =>
	own(
		name,
		'smsTrigger',
		{ pollTimes: pollEvery(seconds), events: ['reply'], categories } as INodeParameters,
		credential,
	);

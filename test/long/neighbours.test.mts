/**
 * Neighbours of the package in a real n8n that can spoil a promise: n8n's store of once keys, and the node Remove
 * Duplicates. The HTTP Request node is in e2e/http-request.test.mts.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { phones, Received } from '../harness/phones.mts';
import { useEnvironment, workflowOf } from '../e2e/support.mts';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import { to } from '../harness/nodes.mts';
import { nothingBeside, placed } from '../harness/settings.mts';

const { n8n, simulator } = await useEnvironment({ n8n: {} });

const people = (count: number): IDataObject[] =>
	phones(count).map((to, order) => ({ to, order, text: 'Bonjour' }));

/** SMS over these items, one after another, each with a once key. */
function batch(items: IDataObject[], settings: Partial<INode> = {}): WorkflowDefinition {
	const parameters = {
		operation: 'sendBatch',
		number: '={{ $json.to }}',
		message: '={{ $json.text }}',
		...placed('Sms', 'sendBatch', {
			concurrency: 1,
			onceKey: '={{ $json.to }}',
			...nothingBeside('sendBatch'),
		}),
	};
	return workflowOf(items, 'sms', parameters, settings);
}

/** n8n's Remove Duplicates node, in front of a workflow's SMS. */
function behindRemoveDuplicates(
	workflow: WorkflowDefinition,
	parameters: INodeParameters,
): WorkflowDefinition {
	return {
		...workflow,
		nodes: [
			...workflow.nodes,
			{
				name: 'New ones',
				type: 'n8n-nodes-base.removeDuplicates',
				typeVersion: 2,
				parameters: { operation: 'removeItemsSeenInPreviousExecutions', ...parameters },
			},
		],
		connections: { Start: to('New ones'), 'New ones': to('Node') },
	};
}

async function run(workflow: WorkflowDefinition): Promise<Execution> {
	return await n8n.run((await n8n.createWorkflow(workflow)).id);
}

/** How many messages reached the phones, and how many numbers got two or more. */
const arrived = () => ({
	messages: simulator.messages.length,
	twice: new Received(simulator).twice.length,
});
const statuses = (execution: Execution, output = 0) =>
	execution.json('Node', output).map(({ status }) => status);
const told = ({ error }: Execution) => `${error?.message}\n${error?.description}`;

describe("n8n's store of once keys", () => {
	/** Runs a batch in a workflow in which such a Remove Duplicates node was before. */
	async function after(remove: INodeParameters, settings: Partial<INode> = {}) {
		const preview = workflowOf(people(1), 'sms', { operation: 'preview', message: 'A' });
		const before = await run(
			behindRemoveDuplicates(preview, { ...remove, options: { scope: 'workflow' } }),
		);
		expect(before.status).toBe('success');
		const id = before.summary.workflowId;
		const { nodes, connections, pinData } = batch(people(3), settings);
		const known = (await n8n.getWorkflow(id)).nodes;
		await n8n.updateWorkflow(id, {
			nodes: nodes.map((node) => ({
				...known.find(({ name }) => name === node.name),
				...node,
				credentials: known.find(({ name }) => name === node.name)?.credentials,
			})),
			connections,
			pinData,
		});
		return await n8n.run(id);
	}

	test.each<[how: string, settings: Partial<INode>]>([
		['the run stops', {}],
		['the error output takes all', { onError: 'continueErrorOutput' }],
	])('holds a row of another mode: %s, and nothing is sent', async (_, settings) => {
		const execution = await after(
			{
				logic: 'removeItemsWithAlreadySeenKeyValues',
				dedupeValue: '={{ $json.order }}',
			},
			settings,
		);
		expect(arrived().messages).toBe(0);
		if (settings.onError === undefined) expect(told(execution)).toMatch(/store/);
		expect(execution.items('Node')).toEqual([]);
		expect(statuses(execution, 1)).toEqual(
			settings.onError === undefined ? [] : Array(3).fill('notSent'),
		);
	});

	test('holds a row that looks like a lock left behind: it is taken over', async () => {
		const execution = await after({
			logic: 'removeItemsUpToStoredIncrementalKey',
			incrementalDedupeValue: '={{ $json.order + 1 }}',
		});
		expect(statuses(execution)).toEqual(Array(3).fill('sent'));
		expect(arrived()).toEqual({ messages: 3, twice: 0 });
	});

	test('is shared with a Remove Duplicates node that would cut it: said, and nothing is sent', async () => {
		const sharing = await run(
			behindRemoveDuplicates(batch(people(5)), {
				logic: 'removeItemsWithAlreadySeenKeyValues',
				dedupeValue: '={{ $json.order }}',
				options: { scope: 'workflow', historySize: 5 },
			}),
		);
		expect({ status: sharing.status, ...arrived() }).toEqual({
			status: 'error',
			messages: 0,
			twice: 0,
		});
		expect(told(sharing)).toContain('New ones');
	});
});

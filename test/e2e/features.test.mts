/** Features of n8n around the nodes of a workflow with SMS, a row each. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import { createWebhookWorkflow } from './delivery-support.mts';
import { phones, Received } from '../harness/phones.mts';
import { useEnvironment, workflowOf } from './support.mts';
import { called, calling, inARow, noOp, own, to } from '../harness/nodes.mts';
import { nothingBeside, placed } from '../harness/settings.mts';

const NUMBERS = phones(3);
const items = NUMBERS.map((to, order) => ({ to, order: order + 1 }));
const HIT = 1;

const send: INodeParameters = {
	operation: 'send',
	number: '={{ $json.to }}',
	message: 'Your order has been shipped',
	...placed('Sms', 'send', { concurrency: 1 }),
};
const sendOnce: INodeParameters = {
	...send,
	operation: 'sendBatch',
	...placed('Sms', 'sendBatch', {
		concurrency: 1,
		onceKey: '={{ $json.order }}',
		...nothingBeside('sendBatch'),
	}),
};

const environment = await useEnvironment();

/** SMS over three items (`Node`), and a node after it (`After`). */
function definition(settings: Partial<INode> = {}, parameters = send): WorkflowDefinition {
	const workflow = workflowOf(items, 'sms', parameters, settings);
	workflow.nodes.push(noOp());
	workflow.connections.Node = to('After');
	return workflow;
}

async function run(workflow: WorkflowDefinition): Promise<Execution> {
	const { id } = await environment.n8n.createWorkflow(workflow);
	return await environment.n8n.run(id, { timeoutMs: 60_000 });
}

/** Presses "Execute step" of a node when the nodes before it have run. */
async function executeStep(before: Execution, node: string): Promise<Execution> {
	const { n8n } = environment;
	const { data } = await n8n.rest.post(`/workflows/${before.summary.workflowId}/run`, {
		runData: before.data.resultData.runData,
		destinationNode: { nodeName: node, mode: 'inclusive' },
		dirtyNodeNames: [],
	});
	return await n8n.waitFor(data.executionId);
}

/** The service refuses one message to the second number. */
function refuseOne(): void {
	environment.simulator.faults.add({
		match: ({ bodyText }) => bodyText.includes(NUMBERS[HIT]),
		do: { kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } },
	});
}

/** A workflow that another one calls: it sends, once for each order. */
async function createSubWorkflow(parameters: INodeParameters): Promise<string> {
	const { n8n } = environment;
	const chain = inARow(called(), own('Node', 'sms', parameters));
	const { id } = await n8n.createWorkflow({ name: 'Called', ...chain });
	await n8n.activate(id);
	return id;
}

function callingOf(id: string): WorkflowDefinition {
	const workflow = definition();
	workflow.nodes[1] = calling('Node', id);
	return workflow;
}

/** SMS in Loop Over Items, one item in each round. */
function looping(): WorkflowDefinition {
	const workflow = definition();
	workflow.nodes.push({
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 1, options: {} },
	});
	workflow.connections.Start = to('Loop');
	workflow.connections.Loop = { main: [...to('After').main, ...to('Node').main] };
	workflow.connections.Node = to('Loop');
	return workflow;
}

interface Row {
	feature: string;
	/** Plays it, and answers with what reached the end of the workflow. */
	play: () => Promise<IDataObject[]>;
	/** How many messages each of the three numbers received. */
	received: [number, number, number];
	/** Whom the items at the end are for. */
	end: unknown[];
}

const ROWS: Row[] = [
	{
		feature: 'a partial execution of the node after SMS sends nothing again',
		play: async () => (await executeStep(await run(definition()), 'After')).json('After'),
		received: [1, 1, 1],
		end: NUMBERS,
	},
	{
		feature: 'Execute step of SMS itself sends again, as the button says',
		play: async () => {
			const whole = await run(definition());
			delete whole.data.resultData.runData.Node;
			delete whole.data.resultData.runData.After;
			return (await executeStep(whole, 'Node')).json('Node');
		},
		received: [2, 2, 2],
		end: NUMBERS,
	},
	{
		feature: 'pinned data of SMS stands for its answers: nothing is sent',
		play: async () => {
			const workflow = definition();
			workflow.pinData!.Node = items.map(({ to: number }) => ({ json: { number } }));
			return (await run(workflow)).json('After');
		},
		received: [0, 0, 0],
		end: NUMBERS,
	},
	{
		feature: 'Loop Over Items that stops is finished by Retry execution',
		play: async () => {
			refuseOne();
			const stopped = await run(looping());
			expect(stopped.status).toBe('error');
			return (await environment.n8n.retryExecution(stopped.id)).json('After');
		},
		received: [1, 1, 1],
		end: NUMBERS,
	},
	{
		feature: 'a sub-workflow sends, and its receipts come back',
		play: async () => (await run(callingOf(await createSubWorkflow(send)))).json('After'),
		received: [1, 1, 1],
		end: NUMBERS,
	},
	{
		feature: 'Retry execution runs a sub-workflow anew; once keys keep it from sending again',
		play: async () => {
			const { n8n } = environment;
			// A refusal stops no batch: the sub-workflow fails after it.
			const child = await createSubWorkflow(sendOnce);
			const { nodes, connections } = await n8n.getWorkflow(child);
			await n8n.updateWorkflow(child, {
				nodes: [
					...nodes,
					{
						id: 'check',
						name: 'Check',
						type: 'n8n-nodes-base.code',
						typeVersion: 2,
						position: [440, 0],
						parameters: {
							jsCode: `if (items.some(({ json }) => json.status === 'refused')) throw new Error('Refused');
								return items;`,
						},
					},
				],
				connections: { ...connections, Node: to('Check') },
			});
			await n8n.activate(child);
			refuseOne();
			const stopped = await run(callingOf(child));
			expect(stopped.status).toBe('error');
			return (await n8n.retryExecution(stopped.id)).json('After');
		},
		received: [1, 1, 1],
		end: NUMBERS,
	},
	{
		feature: 'an error workflow hears what happened, without the key',
		play: async () => {
			const { n8n, simulator } = environment;
			const { id: errorWorkflow } = await n8n.createWorkflow({
				name: 'On error',
				nodes: [{ name: 'Error', type: 'n8n-nodes-base.errorTrigger', parameters: {} }],
				connections: {},
			});
			await n8n.activate(errorWorkflow);
			const workflow = await createWebhookWorkflow(n8n, send, {
				workflow: { errorWorkflow },
			});
			refuseOne();
			await n8n.waitFor(await workflow.start(items));
			await expect
				.poll(async () => (await n8n.listExecutions(errorWorkflow)).length, {
					timeout: 180_000,
				})
				.toBe(1);
			const [{ id }] = await n8n.listExecutions(errorWorkflow);
			const heard = (await n8n.waitFor(id)).json('Error');
			expect(JSON.stringify(heard)).not.toContain(simulator.apiKey);
			const { error, lastNodeExecuted } = heard[0].execution as IDataObject;
			const { message, description } = error as IDataObject;
			expect(lastNodeExecuted).toBe('Node');
			expect(`${message} ${description}`).toMatch(/number/i);
			return [];
		},
		received: [1, 0, 0],
		end: [],
	},
];

test.each(ROWS)('$feature', async ({ play, received, end }) => {
	const results = await play();
	const counts = new Received(environment.simulator);
	expect(NUMBERS.map((number) => counts.by(number))).toEqual(received);
	expect(results.map(({ number }) => number)).toEqual(end);
});

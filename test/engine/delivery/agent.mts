/**
 * A node as a tool of an AI agent. n8n runs a tool in two ways: the agent invokes it itself, as MCP Server
 * Trigger and older agents do (the node's input then comes under `ai_tool`), or it asks the engine to run it.
 */
import { setTimeout } from 'node:timers/promises';
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRunExecutionData,
} from 'n8n-workflow';
import {
	core,
	executionOf,
	makeNode,
	nodeOf,
	startWorkflow,
	storedForRetry,
	typeOf,
	workflow,
	workflowWith,
} from '../harness.mts';

const { NodeConnectionTypes, NodeHelpers } = workflow;

/** Something that the agent says to the tool, and what it hears: a text, or the error that was thrown. */
export interface Call {
	input: IDataObject;
	answer?: string;
	error?: Error;
	/** Comes before the call, where the agent invokes the tool. */
	before?: () => void;
}

/** An agent without a language model: it makes these calls. */
export type Agent = (calls: Call[]) => INodeType['execute'];

type Tool = { invoke: (input: IDataObject) => Promise<string> };

async function call(tool: Tool, made: Call): Promise<void> {
	made.before?.();
	try {
		made.answer = await tool.invoke(made.input);
	} catch (error) {
		made.error = error as Error;
	}
}

const invoking =
	(work: (tool: Tool, calls: Call[]) => Promise<unknown>): Agent =>
	(calls) =>
		async function (this: IExecuteFunctions) {
			const [tool] = (await this.getInputConnectionData(
				NodeConnectionTypes.AiTool,
				0,
			)) as Tool[];
			await work(tool, calls);
			return [[{ json: {} }]];
		};

export const invokes = invoking(async (tool, calls) => {
	for (const one of calls) await call(tool, one);
});

/** The same, all calls at the same moment. */
export const invokesAtOnce = invoking(
	async (tool, calls) => await Promise.all(calls.map(async (one) => await call(tool, one))),
);

/** The same, each half a second after the one before. */
export const invokesSoon = invoking(
	async (tool, calls) =>
		await Promise.all(
			calls.map(async (one, at) => {
				await setTimeout(500 * at);
				await call(tool, one);
			}),
		),
);

export const asksTheEngine: Agent = (calls) =>
	async function (this: IExecuteFunctions, response?: unknown) {
		const { actionResponses = [] } = (response ?? {}) as {
			actionResponses?: Array<{
				data?: { data?: { ai_tool?: INodeExecutionData[][] }; error?: Error };
			}>;
		};
		for (const [index, { data }] of actionResponses.entries()) {
			calls[index].error = data?.error;
			calls[index].answer = JSON.stringify(
				data?.data?.ai_tool?.[0]?.map(({ json }) => json) ?? null,
			);
		}
		if (actionResponses.length > 0) return [[{ json: {} }]];
		return {
			actions: calls.map(({ input }, index) => ({
				actionType: 'ExecutionNodeAction',
				nodeName: 'Tool',
				input,
				type: NodeConnectionTypes.AiTool,
				id: `call-${index}`,
				metadata: {},
			})),
			metadata: {},
		} as never;
	};

export interface Invocation {
	node: string;
	parameters: INodeParameters;
	settings?: Partial<INode>;
	credential: IDataObject;
	workflowId?: string;
	/** Default: one that invokes the tool. */
	agent?: Agent;
	calls: Call[];
	/** An execution that failed, which a person retries. */
	failed?: IRunExecutionData;
	executionId?: string;
}

/**
 * One execution, in which an agent makes these calls one after the other.
 *
 * @returns what n8n stores of it
 */
export async function invokeTool(invocation: Invocation): Promise<IRunExecutionData> {
	const { calls, credential, agent = invokes, failed, executionId = '1' } = invocation;
	const tool = makeNode(invocation.node);
	tool.description = { ...tool.description, inputs: [], outputs: [NodeConnectionTypes.AiTool] };
	tool.execute = async function (this: IExecuteFunctions) {
		return (await new core.RoutingNode(this as never, tool).runNode()) ?? [];
	};
	const inputs = [
		NodeConnectionTypes.Main,
		{ type: NodeConnectionTypes.AiTool, displayName: 'Tool' },
	];
	const types = {
		input: typeOf('input'),
		agent: { ...typeOf('agent', { inputs }), execute: agent(calls) },
		tool,
	};
	const used = nodeOf('Tool', 'tool', {
		credentials: { smsServiceApi: { id: '1', name: 'SMS' } },
		...invocation.settings,
	});
	const { properties } = tool.description;
	const read = [properties, invocation.parameters, true, false, used, tool.description] as const;
	used.parameters = NodeHelpers.getNodeParameters(...read) ?? {};
	const nodes = [nodeOf('Input', 'input'), nodeOf('Agent', 'agent'), used];
	const id = invocation.workflowId ?? 'workflow';
	const instance = workflowWith(id, nodes, types, {
		Input: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
		Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
	});
	const data = failed
		? storedForRetry({ data: failed })
		: executionOf(nodes[1], [[{ json: {}, pairedItem: { item: 0 } }]]);
	const mode = failed ? 'retry' : 'manual';
	const run = await startWorkflow(instance, data, mode, { credential, executionId });
	return run.data;
}

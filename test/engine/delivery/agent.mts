/**
 * A node as a tool of an AI agent. n8n runs a tool in two ways: the agent invokes it itself, as MCP Server
 * Trigger and older agents do (the node's input then comes under `ai_tool`), or it asks the engine to run it.
 */
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRunExecutionData,
} from 'n8n-workflow';
import { additionalData, core, makeNode, storedForRetry, workflow } from '../harness.mts';

const { NodeConnectionTypes, NodeHelpers, Workflow, createRunExecutionData } = workflow;

/** What the agent says to the tool, and what it hears: a text, or the error that was thrown. */
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

export const invokes: Agent = (calls) =>
	async function (this: IExecuteFunctions) {
		const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
		for (const one of calls) await call(tool, one);
		return [[{ json: {} }]];
	};

/** The same, all calls at the same moment. */
export const invokesAtOnce: Agent = (calls) =>
	async function (this: IExecuteFunctions) {
		const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Tool[];
		await Promise.all(calls.map(async (one) => await call(tool, one)));
		return [[{ json: {} }]];
	};

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
	const types: Record<string, INodeType> = {
		input: nodeType('input'),
		agent: { ...nodeType('agent'), execute: agent(calls) },
		tool,
	};
	types.agent.description.inputs = [
		NodeConnectionTypes.Main,
		{ type: NodeConnectionTypes.AiTool, displayName: 'Tool' },
	];
	const node = (name: string, type: string, rest: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...rest,
	});
	const used = node('Tool', 'tool', {
		credentials: { smsServiceApi: { id: '1', name: 'SMS' } },
		...invocation.settings,
	});
	used.parameters =
		NodeHelpers.getNodeParameters(
			tool.description.properties,
			invocation.parameters,
			true,
			false,
			used,
			tool.description,
		) ?? {};
	const nodes = [node('Input', 'input'), node('Agent', 'agent'), used];
	const id = invocation.workflowId ?? 'workflow';
	const instance = new Workflow({
		id,
		nodes,
		connections: {
			Input: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Tool: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		},
		active: false,
		nodeTypes: {
			getByName: (name) => types[name],
			getByNameAndVersion: (name) => types[name],
			getKnownTypes: () => ({}),
		},
		settings: { timezone: 'Europe/Paris', executionOrder: 'v1' },
	});
	const items = [{ json: {}, pairedItem: { item: 0 } }];
	const data = failed
		? storedForRetry({ data: failed })
		: createRunExecutionData({
				executionData: {
					contextData: {},
					metadata: {},
					waitingExecution: {},
					waitingExecutionSource: {},
					nodeExecutionStack: [
						{
							node: nodes[1],
							data: { main: [items] },
							source: { main: [{ previousNode: 'Input' }] },
						},
					],
				},
				resultData: {
					runData: {
						Input: [
							{
								startTime: 0,
								executionTime: 0,
								executionIndex: 0,
								source: [],
								data: { main: [items] },
							},
						],
					},
				},
			});
	const mode = failed ? 'retry' : 'manual';
	const about = { id, name: 'Test' } as never;
	const hooks = new core.ExecutionLifecycleHooks(mode, executionId, about);
	const additional = additionalData({ credential, executionId }, hooks);
	const run = await new core.WorkflowExecute(additional, mode, data).processRunExecutionData(
		instance,
	);
	return run.data;
}

function nodeType(name: string): INodeType {
	return {
		description: {
			displayName: name,
			name,
			group: ['transform'],
			version: 1,
			description: '',
			defaults: {},
			inputs: [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
	};
}

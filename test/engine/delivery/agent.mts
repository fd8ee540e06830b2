/** A node as a tool that an agent invokes itself, as MCP Server Trigger and older agents do. */
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';
import { additionalData, core, loadNode, workflow } from '../harness.mts';

const { NodeConnectionTypes, NodeHelpers, Workflow, createRunExecutionData } = workflow;

/** What the agent says to the tool, and what it hears. */
export interface Call {
	input: IDataObject;
	answer?: string;
	error?: Error;
	/** Comes before the call. */
	before?: () => void;
}

export interface Invocation {
	node: string;
	parameters: INodeParameters;
	settings?: Partial<INode>;
	credential: IDataObject;
	workflowId?: string;
	calls: Call[];
}

/**
 * One execution, in which an agent makes these calls one after the other.
 *
 * @returns everything that n8n stores of it
 */
export async function invokeTool(invocation: Invocation): Promise<string> {
	const { calls, credential } = invocation;
	const tool = loadNode(invocation.node);
	tool.description = { ...tool.description, inputs: [], outputs: [NodeConnectionTypes.AiTool] };
	tool.execute = async function (this: IExecuteFunctions) {
		return (await new core.RoutingNode(this as never, tool).runNode()) ?? [];
	};
	const types: Record<string, INodeType> = {
		input: nodeType('input'),
		agent: {
			...nodeType('agent'),
			async execute() {
				const [asked] = (await this.getInputConnectionData(
					NodeConnectionTypes.AiTool,
					0,
				)) as Array<{ invoke: (input: IDataObject) => Promise<string> }>;
				for (const call of calls) {
					call.before?.();
					try {
						call.answer = await asked.invoke(call.input);
					} catch (error) {
						call.error = error as Error;
					}
				}
				return [[{ json: {} }]];
			},
		},
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
	const hooks = new core.ExecutionLifecycleHooks('manual', '1', { id, name: 'Test' } as never);
	const run = await new core.WorkflowExecute(
		additionalData({ credential }, hooks),
		'manual',
		createRunExecutionData({
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
		}),
	).processRunExecutionData(instance);
	return JSON.stringify(run.data);
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

/**
 * SMS as a tool of an AI agent. n8n runs a tool in two ways: the agent invokes it (the node's
 * input then comes under `ai_tool`), or the agent asks the engine to run it.
 */
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { additionalData, core, loadNode, workflow } from '../harness.mts';
import { hurry, NUMBER } from './support.mts';

const { NodeConnectionTypes, NodeHelpers, Workflow, createRunExecutionData } = workflow;

let sim: Simulator;
beforeAll(async () => {
	hurry();
	sim = await startSimulator();
});
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

/** What the agent says to the tool, and what it hears: a text, or the error that was thrown. */
interface Call {
	input: IDataObject;
	answer?: string;
	error?: Error;
}

/** An agent without a language model: it makes these calls, one after the other. */
type Agent = (calls: Call[]) => INodeType['execute'];

const agentOf = (execute: INodeType['execute']): INodeType => ({
	description: {
		displayName: 'Agent',
		name: 'agent',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [
			NodeConnectionTypes.Main,
			{ type: NodeConnectionTypes.AiTool, displayName: 'Tool' },
		],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	execute,
});

const invokes: Agent = (calls) =>
	async function (this: IExecuteFunctions) {
		const [tool] = (await this.getInputConnectionData(NodeConnectionTypes.AiTool, 0)) as Array<{
			invoke: (input: IDataObject) => Promise<string>;
		}>;
		for (const call of calls) {
			try {
				call.answer = await tool.invoke(call.input);
			} catch (error) {
				call.error = error as Error;
			}
		}
		return [[{ json: {} }]];
	};

const asksTheEngine: Agent = (calls) =>
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
				nodeName: 'SMS',
				input,
				type: NodeConnectionTypes.AiTool,
				id: `call-${index}`,
				metadata: {},
			})),
			metadata: {},
		} as never;
	};

/** The node as n8n's own list of node types gives it for a tool. */
function toolType(): INodeType {
	const type = loadNode('Sms');
	type.description = { ...type.description, inputs: [], outputs: [NodeConnectionTypes.AiTool] };
	type.execute = async function (this: IExecuteFunctions) {
		return (await new core.RoutingNode(this as never, type).runNode()) ?? [];
	};
	return type;
}

async function run(
	agent: Agent,
	calls: Call[],
	parameters: INodeParameters = {},
	settings: Partial<INode> = {},
): Promise<Call[]> {
	const tool = toolType();
	const types: Record<string, INodeType> = {
		input: {
			description: {
				displayName: 'Input',
				name: 'input',
				group: ['trigger'],
				version: 1,
				description: '',
				defaults: {},
				inputs: [],
				outputs: [NodeConnectionTypes.Main],
				properties: [],
			},
		},
		agent: agentOf(agent(calls)),
		sms: tool,
	};
	const node = (name: string, type: string, rest: Partial<INode> = {}): INode => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
		...rest,
	});
	const sms = node('SMS', 'sms', {
		credentials: { smsServiceApi: { id: '1', name: 'SMS' } },
		...settings,
	});
	sms.parameters = NodeHelpers.getNodeParameters(
		tool.description.properties,
		{
			operation: 'send',
			number: "={{ $fromAI('number', 'Whom to write to', 'string') }}",
			message: "={{ $fromAI('message', 'What to write', 'string') }}",
			...parameters,
		},
		true,
		false,
		sms,
		tool.description,
	)!;
	const nodes = [node('Input', 'input'), node('Agent', 'agent'), sms];
	const instance = new Workflow({
		id: 'workflow',
		nodes,
		connections: {
			Input: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			SMS: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
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
	const data = createRunExecutionData({
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
	const hooks = new core.ExecutionLifecycleHooks('manual', '1', {
		id: 'workflow',
		name: 'Test',
		active: false,
	} as never);
	const credential = { baseUrl: sim.baseUrl, apiKey: sim.apiKey };
	const { data: result } = await new core.WorkflowExecute(
		additionalData({ credential }, hooks),
		'manual',
		data,
	).processRunExecutionData(instance);
	if (result.resultData.error && !calls.some(({ error }) => error)) {
		calls[0].error ??= result.resultData.error as Error;
	}
	return calls;
}

const message = (text: string, to = NUMBER) => ({ input: { number: to, message: text } });

describe.each([
	['the agent invokes it', invokes],
	['the agent asks the engine', asksTheEngine],
])('%s', (_, agent) => {
	test('a message goes out, and the agent hears the receipt', async () => {
		const [{ answer, error }] = await run(agent, [message('Bonjour')]);
		expect(error).toBeUndefined();
		expect(sim.messages).toMatchObject([{ number: NUMBER, text: 'Bonjour' }]);
		expect(answer).toContain('362891');
		expect(answer).toContain(NUMBER);
	});

	test('several, one after the other', async () => {
		const calls = [message('One'), message('Two', '+33639981235'), message('Three')];
		for (const { error } of await run(agent, calls)) expect(error).toBeUndefined();
		expect(sim.messages.map(({ text }) => text).sort()).toEqual(['One', 'Three', 'Two']);
	});

	test('a marketing message with options', async () => {
		await run(agent, [message('Bonjour')], {
			messageType: 'marketing',
			sender: 'MyShop',
			options: {
				category: "={{ $fromAI('category', 'A tag', 'string') }}",
			},
		});
		expect(sim.messages).toHaveLength(0); // the call lacks what the option asks for
		await run(agent, [{ input: { number: NUMBER, message: 'Bonjour', category: 'orders' } }], {
			messageType: 'marketing',
			sender: 'MyShop',
			options: {
				category: "={{ $fromAI('category', 'A tag', 'string') }}",
			},
		});
		expect(sim.messages).toMatchObject([
			{ kind: 'marketing', sender: 'MyShop', category: 'orders' },
		]);
	});

	test('by URL', async () => {
		await run(agent, [message('Bonjour')], { operation: 'sendByUrl' });
		expect(sim.messages).toMatchObject([{ number: NUMBER, text: 'Bonjour' }]);
	});

	test('a bad number: the agent hears what is wrong, and nothing is sent', async () => {
		const [{ answer, error }] = await run(agent, [message('Bonjour', '06 39')]);
		expect(sim.requests).toHaveLength(0);
		expect(`${error?.message}${answer}`).toContain('has 4 digits');
	});

	test('a refusal of the service: the agent hears why', async () => {
		sim.stop(NUMBER);
		const [{ answer, error }] = await run(agent, [message('Bonjour')]);
		expect(`${error?.message}${answer}`).toContain('unsubscribed (STOP)');
		expect(`${error?.message}${answer}`).not.toContain(sim.apiKey);
	});
});

describe('when it is unknown whether the message went out', () => {
	const lost = () =>
		sim.faults.add({ times: Infinity, do: { kind: 'status', status: 502, accept: true } });

	test.each([
		['the agent invokes it', invokes],
		['the agent asks the engine', asksTheEngine],
	])('%s: it is told so', async (_, agent) => {
		lost();
		const [{ answer, error }] = await run(agent, [message('Bonjour')]);
		expect(sim.messages).toHaveLength(1);
		expect(`${error?.message}${answer}`).toMatch(/unknown whether/i);
	});

	const retried = async (agent: Agent) => {
		lost();
		await run(
			agent,
			[message('Bonjour')],
			{},
			{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		);
		expect(sim.messages).toHaveLength(1);
	};

	test('the agent asks the engine: Retry On Fail does not send it again', async () => {
		await retried(asksTheEngine);
	});

	// n8n counts each try of a tool that an agent invokes as another run of the node.
	test('the agent invokes it: Retry On Fail does not send it again', async () => {
		await retried(invokes);
	});
});

describe('operations that are no routing', () => {
	const preview = async (agent: Agent) => {
		const [{ answer, error }] = await run(agent, [message('Bonjour')], {
			operation: 'preview',
		});
		expect(sim.requests).toHaveLength(0);
		expect(error).toBeUndefined();
		expect(answer).toContain('GSM-7');
	};
	const batch = async (agent: Agent) => {
		const [{ answer, error }] = await run(agent, [message('Bonjour')], {
			operation: 'sendBatch',
		});
		expect(error).toBeUndefined();
		expect(answer).toContain('"status":"sent"');
		expect(sim.messages).toHaveLength(1);
	};

	test('the agent asks the engine: a preview', async () => await preview(asksTheEngine));
	test('the agent asks the engine: a batch of one', async () => await batch(asksTheEngine));

	test('the agent invokes it: a preview', async () => await preview(invokes));
	test('the agent invokes it: a batch of one', async () => await batch(invokes));

	test('the agent invokes it: a batch with a once key is told to go another way', async () => {
		const [{ answer, error }] = await run(invokes, [message('Bonjour')], {
			operation: 'sendBatch',
			safeguards: { onceKey: 'a' },
		});
		expect(sim.requests).toHaveLength(0);
		expect(`${error?.message}${answer}`).toContain("'Once Key'");
	});

	test('the agent invokes it: a question is told to go another way', async () => {
		const [{ answer, error }] = await run(invokes, [message('OK?')], {
			operation: 'sendAndWait',
		});
		expect(sim.requests).toHaveLength(0);
		expect(`${error?.message}${answer}`).toContain("'Send and Wait for Response'");
	});
});

/**
 * The nodes as tools of AI agents, in a real n8n: each operation through n8n's MCP Server Trigger, with
 * the official client, and through agents of both kinds, with a model that does what the test says.
 *
 * n8n runs a tool in two ways: a newer agent asks the engine to run the node, and an older one, like
 * the MCP Server Trigger, invokes it.
 */
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
	agentWorkflow,
	credentialName,
	packageName,
	useEnvironment,
	useModel,
} from '../e2e/support.mts';
import { connected, McpClient, type ToolAnswer } from '../harness/mcp.mts';
import type { WorkflowDefinition } from '../harness/n8n.mts';
import { operations, prepare, type PreparedRow, type Row } from '../operations.mts';

const NUMBER = '+33639981234';
const OTHER = '+33639981235';
const LANGCHAIN = '@n8n/n8n-nodes-langchain';

type ToolNode = WorkflowDefinition['nodes'][number];

/** The parameters that a model fills in; the others are the workflow author's. */
const FROM_MODEL = new Set([
	...['number', 'message', 'name', 'category', 'snapshotId'],
	...['list', 'campaign', 'contactId', 'columnName', 'column'],
]);

/** One row for each operation that a tool can be: an execution waits only where the engine runs a node. */
const rows = operations.filter(
	({ node, operation, waits }, index) =>
		waits !== true &&
		index === operations.findIndex((row) => row.node === node && row.operation === operation),
);

const toolName = ({ node, operation }: Row) => `${node}_${operation}`;
const named = rows.map((row) => [toolName(row), row] as const);

/** Wrong values that a model says for a parameter, and how the answer names it. */
const WRONG: Record<string, [said: string, named: RegExp]> = {
	number: ['06 39', /06 39/],
	message: ['', /message/i],
	name: ['', /name/i],
	category: ['', /category/i],
	snapshotId: ['', /snapshot/i],
	list: ['', /list/i],
	campaign: ['', /campaign/i],
	contactId: ['', /contact/i],
	columnName: ['', /column/i],
	column: ['', /column/i],
};

/** Harmless to repeat (design, guarantee 5), as what reads and deletes is. */
const REPEATED = new Set(['SmsList_empty']);

/** The last request of an operation may have been carried out when its answer is lost. */
const mayHaveHappened = (row: Row) =>
	(row.lines.at(-1)!.startsWith('POST') || row.keyInQuery === true) &&
	!REPEATED.has(toolName(row));

/** The tool of an operation, with `$fromAI` where the model fills in. */
function toolOf(row: Row): ToolNode {
	const parameters: INodeParameters = { operation: row.operation };
	// The IDs in what the author fills in: the simulator gives the same ones after each reset.
	const { parameters: filledIn } = prepare(row, simulator);
	simulator.reset();
	for (const [name, value] of Object.entries(filledIn)) {
		const fromModel = `={{ $fromAI('${name}', 'The ${name}', 'string') }}`;
		if (!FROM_MODEL.has(name)) parameters[name] = value;
		else if (typeof value === 'string') parameters[name] = fromModel;
		else parameters[name] = { __rl: true, mode: 'id', value: fromModel };
	}
	return {
		name: toolName(row),
		type: `${packageName}.${row.node[0].toLowerCase()}${row.node.slice(1)}Tool`,
		parameters,
		credentials: { smsServiceApi: { id: null, name: credentialName } },
	};
}

/** The words of the model for the parameters of a row. */
function wordsOf(parameters: INodeParameters): IDataObject {
	const said = Object.entries(parameters).filter(([name]) => FROM_MODEL.has(name));
	return Object.fromEntries(
		said.map(([name, value]) => [
			name,
			typeof value === 'string' ? value : (value as { value: string }).value,
		]),
	);
}

const { n8n, simulator } = await useEnvironment({ n8n: {}, simulator: { extended: true } });
const model = await useModel(n8n, 'Model');
let sendTool: ToolNode;
let subWorkflow: ToolNode;

beforeAll(async () => {
	const [, send] = named.find(([name]) => name === 'Sms_send')!;
	sendTool = { ...toolOf(send), name: 'Send' };
	subWorkflow = await createSubWorkflow();
});

/** A workflow that sends an SMS, and the tool that calls it. */
async function createSubWorkflow(): Promise<ToolNode> {
	const { id } = await n8n.createWorkflow({
		name: 'Notify',
		nodes: [
			{
				name: 'Call',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: {
					workflowInputs: { values: [{ name: 'number' }, { name: 'message' }] },
				},
			},
			{
				...sendTool,
				name: 'SMS',
				type: `${packageName}.sms`,
				parameters: {
					operation: 'send',
					number: '={{ $json.number }}',
					message: '={{ $json.message }}',
				},
			},
		],
		connections: { Call: { main: [[{ node: 'SMS', type: 'main', index: 0 }]] } },
	});
	// n8n runs the published version of a sub-workflow.
	await n8n.activate(id);
	const fromModel = (name: string) => `={{ $fromAI('${name}', 'The ${name}', 'string') }}`;
	return {
		name: 'Notify',
		type: `${LANGCHAIN}.toolWorkflow`,
		typeVersion: 2.2,
		parameters: {
			description: 'Sends a notification',
			workflowId: { __rl: true, mode: 'id', value: id },
			workflowInputs: {
				mappingMode: 'defineBelow',
				value: { number: fromModel('number'), message: fromModel('message') },
				matchingColumns: [],
				schema: ['number', 'message'].map((name) => ({
					id: name,
					displayName: name,
					required: false,
					defaultMatch: false,
					display: true,
					canBeUsedToMatch: true,
					type: 'string',
				})),
			},
		} as INodeParameters,
	};
}

/** Somebody who calls tools: an MCP client, or an agent of n8n's. */
interface Caller {
	start(tools: ToolNode[]): Promise<void>;
	call(name: string, words: IDataObject): Promise<ToolAnswer>;
	stop(): Promise<void>;
}

class McpCaller implements Caller {
	mcp?: McpClient;

	async start(tools: ToolNode[]): Promise<void> {
		this.mcp = await McpClient.connect(n8n, tools);
	}

	async call(name: string, words: IDataObject): Promise<ToolAnswer> {
		return await this.mcp!.call(name, words);
	}

	async stop(): Promise<void> {
		await this.mcp?.close();
	}
}

class AgentCaller implements Caller {
	readonly #version: number;
	#workflowId = '';

	/** @param version of the AI Agent node: from 3 on it asks the engine */
	constructor(version: number) {
		this.#version = version;
	}

	async start(given: ToolNode[]): Promise<void> {
		// An agent that invokes its tools tells the model nothing of an error that is thrown: LangChain's
		// executor makes an empty text of it. What the node answers as an item, it tells.
		const onError = 'continueRegularOutput' as const;
		const tools = given.map((tool) =>
			this.#version < 3 && tool !== subWorkflow ? { ...tool, onError } : tool,
		);
		const { id } = await n8n.createWorkflow(
			agentWorkflow(this.#version, tools, connected(tools, 'Agent')),
		);
		this.#workflowId = id;
	}

	async call(name: string, words: IDataObject): Promise<ToolAnswer> {
		model.plan(name, words);
		const execution = await n8n.run(this.#workflowId, { timeoutMs: 60_000 });
		const heard = model.heard();
		if (heard === undefined) {
			const { message, description } = execution.error ?? {};
			return { text: `${message}\n${description}`, isError: true };
		}
		return { text: heard };
	}

	async stop(): Promise<void> {}
}

/** Callers with their tools: an older agent invokes tools as the MCP Server Trigger does, so it calls SMS only. */
const CALLERS: Array<[string, () => Caller, typeof named]> = [
	['through the MCP Server Trigger', () => new McpCaller(), named],
	[
		'through an agent that invokes its tools',
		() => new AgentCaller(2.2),
		named.filter(([, { node }]) => node === 'Sms'),
	],
	['through an agent that asks the engine', () => new AgentCaller(3), named],
];

describe.each(CALLERS)('%s', (how, create, called) => {
	let caller: Caller;
	beforeAll(async () => {
		caller = create();
		await caller.start([...rows.map(toolOf), sendTool, subWorkflow]);
	});
	afterAll(async () => await caller?.stop());

	const send = async (message: string, number = NUMBER, tool = 'Send') =>
		await caller.call(tool, { number, message });

	/** The text that a model must read in a lost answer, and what it must not. */
	function expectUnknown({ text }: ToolAnswer): void {
		expect(text).toMatch(/unknown whether|may have been sent/i);
		expectNoCall(text);
	}

	/** Nothing calls upon the model to send the same again. */
	function expectNoCall(text: string): void {
		expect(text).not.toMatch(/retry the request|try again|immediately/i);
		expect(text).not.toMatch(/ECONNRESET|ECONNABORTED|ETIMEDOUT/);
	}

	/** The answer says what is expected of the row, and the service was asked for it. */
	function expectAnswered({ text, isError }: ToolAnswer, { expected }: PreparedRow): void {
		expect(isError ?? false, text).toBe(false);
		const { lines, body, result, contains } = expected();
		const { requests } = simulator;
		expect(requests.map(lineOf)).toEqual(lines);
		const sent = requests.at(-1)?.bodyText ?? '';
		expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(body);
		expectToTell(text, result ?? contains ?? {});
	}

	test.each(called)('%s is called and answered', async (name, row) => {
		const prepared = prepare(row, simulator);
		expectAnswered(await caller.call(name, wordsOf(prepared.parameters)), prepared);
	});

	const mistakes = called.flatMap(([name, row]) =>
		Object.keys(wordsOf(row.parameters)).map((field) => [name, field, row] as const),
	);
	test.each(mistakes)(
		'%s: a wrong %s is told so that a model can mend it, and changes nothing',
		async (name, field, row) => {
			const prepared = prepare(row, simulator);
			const words = wordsOf(prepared.parameters);
			const [said, told] = WRONG[field];
			const { text } = await caller.call(name, { ...words, [field]: said });
			expect(text).toMatch(told);
			expectNoCall(text);
			// Which values of a contact are wrong as well, only the columns of its list tell.
			const [first] = prepared.expected().lines;
			const asks =
				field === 'number' &&
				name.startsWith('SmsContact_') &&
				/^GET \/v2\/lists\/[^/]+$/.test(first);
			expect(simulator.requests.map(lineOf)).toEqual(asks ? [first] : []);
			simulator.requests.length = 0;
			// The model mends it, in the same conversation or the next one.
			expectAnswered(await caller.call(name, words), prepared);
		},
	);

	test.each(called.filter(([, { lines }]) => lines.length > 0))(
		'%s: a lost answer is told as unknown, or asked for where that is harmless',
		async (name, row) => {
			const { parameters, expected } = prepare(row, simulator);
			const last = row.lines.length - 1;
			simulator.faults.add({ skip: last, do: { kind: 'resetAfterAccept' } });
			const answer = await caller.call(name, wordsOf(parameters));
			const { lines, result, contains } = expected();
			const made = simulator.requests.map(lineOf);
			if (!mayHaveHappened(row)) {
				expect(answer.isError ?? false, answer.text).toBe(false);
				expectToTell(answer.text, result ?? contains ?? {});
				const [again, ...others] = made.slice(lines.length);
				expect([made.slice(0, lines.length), again]).toEqual([lines, lines[last]]);
				// A deletion that finds nothing tries the number's other spelling, or looks for a list of that name.
				const asksMore = /^DELETE (?:.*\?identifier=|\/v2\/lists\/[^/]+$)/;
				expect(others).toHaveLength(asksMore.test(lines[last]) ? 1 : 0);
				return;
			}
			// With On Error, as the agent that invokes it has it, and in a batch, it has looked up what became of it.
			const looksUp = how.includes('invokes') && ['Sms_send', 'Sms_sendByUrl'].includes(name);
			if (looksUp || name === 'Sms_sendBatch') {
				const [lookUp] = made.slice(lines.length);
				expect(made).toEqual([...lines, lookUp]);
				expect(lookUp).toMatch(/^GET .*\/messages\/status\?identifier=/);
				expect(answer.text).toMatch(/"status":"sent"/);
				return;
			}
			expect(made).toEqual(lines);
			expectUnknown(answer);
		},
	);

	test("the service's no is told with its reason", async () => {
		simulator.stop(NUMBER);
		const { text } = await send('Bonjour');
		expect(text).toMatch(/unsubscribed|STOP/);
		expect(text).not.toContain(simulator.apiKey);
	});

	test('a sub-workflow: a lost answer is told as unknown, never as a reason to try again', async () => {
		simulator.faults.add({ path: /send$/, do: { kind: 'resetAfterAccept' } });
		const answer = await send('Bonjour', NUMBER, 'Notify');
		expect(simulator.messagesTo(NUMBER)).toHaveLength(1);
		expectUnknown(answer);
	});

	test('a lost answer blocks no other SMS', async () => {
		simulator.faults.add({ do: { kind: 'resetAfterAccept' } });
		await send('Bonjour');
		expect((await send('Au revoir')).text).toContain(NUMBER);
		expect((await send('Bonjour', OTHER)).text).toContain(OTHER);
		expect(simulator.messages.map(({ number, text }) => [number, text])).toEqual([
			[NUMBER, 'Bonjour'],
			[NUMBER, 'Au revoir'],
			[OTHER, 'Bonjour'],
		]);
	});

	test('a sub-workflow that sends an SMS is called and answered', async () => {
		const { text } = await send('Bonjour', NUMBER, 'Notify');
		const [{ snapshotId }] = simulator.messagesTo(NUMBER);
		expect(text).toContain(snapshotId);
	});
});

describe('what an MCP client is told of the tools', () => {
	let caller: McpCaller;
	let listed: Array<{ name: string; description?: string; inputSchema: { properties?: object } }>;
	/** The action of each operation, as n8n shows it. */
	const actions = new Map<string, string>();

	beforeAll(async () => {
		caller = new McpCaller();
		await caller.start(rows.map(toolOf));
		for (const end = Date.now() + 10_000; Date.now() < end; await sleep(200)) {
			({ tools: listed } = await caller.mcp!.client.listTools());
			if (listed.length > 0) break;
		}
		const { data } = await n8n.rest.get(`${n8n.url}/types/nodes.json`);
		for (const row of rows) {
			const type = `${packageName}.${row.node[0].toLowerCase()}${row.node.slice(1)}`;
			const found = data.find(({ name }: { name: string }) => name === type);
			const options: INodePropertyOptions[] = found.properties.find(
				({ name }: { name: string }) => name === 'operation',
			).options;
			const { action } = options.find(({ value }) => value === row.operation)!;
			actions.set(toolName(row), action!);
		}
	});
	afterAll(async () => await caller?.stop());

	test('each operation is listed', () => {
		expect(listed.map(({ name }) => name).sort()).toEqual(rows.map(toolName).sort());
	});

	test.each(named)('%s says what it does, and what it takes', (name, row) => {
		const tool = listed.find((one) => one.name === name);
		expect(tool?.description?.toLowerCase()).toContain(actions.get(name)!.toLowerCase());
		expect(Object.keys(tool?.inputSchema.properties ?? {}).sort()).toEqual(
			Object.keys(wordsOf(row.parameters)).sort(),
		);
	});
});

const lineOf = ({ method, target }: { method: string; target: string }) => `${method} ${target}`;

function expectToTell(text: string, result: IDataObject): void {
	for (const value of valuesOf(result)) {
		expect(text).toContain(JSON.stringify(value).replace(/^"|"$/g, ''));
	}
}

/** All texts and numbers in a result. */
function valuesOf(value: unknown): unknown[] {
	if (typeof value !== 'object' || value === null) return [value];
	return Object.values(value).flatMap(valuesOf);
}

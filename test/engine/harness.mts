/**
 * Runs a node through n8n's own engine in this process: WorkflowExecute, its router, its required
 * checks, its pairing, its retries. The compiled package is loaded, as a user's n8n loads it.
 */
import { createRequire } from 'node:module';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as Core from 'n8n-core';
import type * as N8n from 'n8n-workflow';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';

process.env.N8N_USER_FOLDER ??= mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.env.N8N_ENCRYPTION_KEY ??= 'key-of-the-engine-tests';
process.env.N8N_LOG_LEVEL ??= 'silent';
// The default engine for expressions (an isolate) belongs to a server; this one is in n8n-workflow.
process.env.N8N_EXPRESSION_ENGINE ??= 'legacy';

// One CommonJS copy of n8n-workflow for the engine and for the nodes.
const require = createRequire(import.meta.url);
export const core = require('n8n-core') as typeof Core;
export const workflow = require('n8n-workflow') as typeof N8n;
const { ExecutionLifecycleHooks, WorkflowExecute } = core;
const { createRunExecutionData, Workflow, NodeConnectionTypes, NodeHelpers } = workflow;

/**
 * n8n's deduplication store, in memory: what its DeduplicationHelper does with a database row, for the
 * mode that is used here.
 */
export class DeduplicationStore {
	readonly rows = new Map<string, string[]>();
	/** Set to make every call fail. */
	failure?: Error;

	private row(
		scope: string,
		{ workflow: { id }, node }: { workflow: { id: string }; node: INode },
	) {
		if (this.failure) throw this.failure;
		const context = `${id}/${scope === 'node' ? node.id : ''}`;
		if (!this.rows.has(context)) this.rows.set(context, []);
		return this.rows.get(context)!;
	}

	async checkProcessedAndRecord(
		items: string[],
		scope: string,
		context: { workflow: { id: string }; node: INode },
		{ maxEntries }: { maxEntries?: number },
	) {
		const row = this.row(scope, context);
		const before = new Set(row);
		const result = { new: [] as string[], processed: [] as string[] };
		for (const item of items) {
			result[before.has(item) ? 'processed' : 'new'].push(item);
			if (!before.has(item)) row.push(item);
		}
		if (maxEntries && row.length > maxEntries) row.splice(0, row.length - maxEntries);
		return result;
	}

	async removeProcessed(
		items: string[],
		scope: string,
		context: { workflow: { id: string }; node: INode },
	) {
		const row = this.row(scope, context);
		for (const item of items) {
			const index = row.indexOf(item);
			if (index !== -1) row.splice(index, 1);
		}
	}
}

export const deduplicationStore = new DeduplicationStore();
await core.DataDeduplicationService.init(deduplicationStore as never);

/** Loads a compiled module of the package. */
export function load<T>(path: string): T {
	return require(join(import.meta.dirname, '../../dist', path)) as T;
}

/** Loads a compiled node of the package. */
export function loadNode(name: string): INodeType {
	const module = load<Record<string, new () => INodeType>>(`nodes/${name}/${name}.node.js`);
	const type = new module[name]();
	// What n8n does when it loads a node: the options of its router, and the router itself as the node's
	// `execute` (n8n's NodeTypes; without it, a cancelled execution would not reach the node).
	core.DirectoryLoader.applyDeclarativeNodeOptionParameters(type);
	if (type.description.requestDefaults !== undefined) {
		type.execute = async function () {
			return (await new core.RoutingNode(this as never, type).runNode()) ?? [];
		};
	}
	return type;
}

const { SmsServiceApi } = load<{
	SmsServiceApi: new () => {
		authenticate: (credentials: IDataObject, request: object) => Promise<object>;
	};
}>('credentials/SmsServiceApi.credentials.js');

export interface RunOptions {
	node: string;
	parameters: INodeParameters;
	/** One object for each input item. Default: one empty item. */
	items?: IDataObject[];
	credential: IDataObject;
	/** Settings of the node, such as onError, retryOnFail, maxTries. */
	settings?: Partial<INode>;
	timeZone?: string;
	executionId?: string;
	/** Called with a function that cancels the execution. */
	onStart?: (cancel: () => void) => void;
}

export interface RunResult {
	run: IRun;
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** Items of the error output. */
	errorItems: INodeExecutionData[];
	/** The error that stopped the run. */
	error?: Error & {
		description?: string;
		httpCode?: string;
		context: IDataObject;
		failure?: IDataObject;
	};
	/** What n8n stores with the execution. */
	data: IRunExecutionData;
	hints?: unknown[];
}

const UNDER_TEST = 'Under Test';
const INPUT = 'Input';

/** Runs one node with these input items. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const node = describeNode(options);
	const items = (options.items ?? [{}]).map((json, item) => ({ json, pairedItem: { item } }));
	const data = createRunExecutionData({
		executionData: {
			contextData: {},
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
			nodeExecutionStack: [
				{
					node,
					data: { main: [items] },
					source: { main: [{ previousNode: INPUT }] },
				},
			],
		},
		resultData: {
			runData: {
				[INPUT]: [
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
	return await execute(options, node, data);
}

/**
 * "Retry execution" of the executions list: n8n reads the stored execution, drops the error and the
 * failed node's last result, and goes on from its stack (n8n's execution service, `retry`).
 *
 * @param edited the currently saved workflow, where it is to be used instead of the stored one
 */
export async function retryExecution(
	failed: RunResult,
	options: RunOptions,
	edited?: Partial<RunOptions>,
): Promise<RunResult> {
	const data = JSON.parse(JSON.stringify(failed.data)) as IRunExecutionData;
	const last = data.resultData.lastNodeExecuted!;
	delete data.resultData.error;
	const runs = data.resultData.runData[last];
	if (runs?.at(-1)?.error !== undefined) runs.pop();
	const current = { ...options, ...edited };
	const node = describeNode(current);
	if (edited) for (const entry of data.executionData!.nodeExecutionStack) entry.node = node;
	return await execute(current, data.executionData!.nodeExecutionStack[0].node, data, 'retry');
}

async function execute(
	options: RunOptions,
	node: INode,
	data: IRunExecutionData,
	mode: 'manual' | 'retry' = 'manual',
): Promise<RunResult> {
	const type = loadNode(options.node);
	const types: Record<string, INodeType> = { [node.type]: type, input: inputNode };
	const instance = new Workflow({
		id: 'workflow',
		nodes: [describeInput(), node],
		connections: { [INPUT]: { main: [[{ node: UNDER_TEST, type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes: {
			getByName: (name) => types[name],
			getByNameAndVersion: (name) => types[name],
			getKnownTypes: () => ({}),
		},
		settings: { timezone: options.timeZone ?? 'Europe/Paris', executionOrder: 'v1' },
	});
	const hooks = new ExecutionLifecycleHooks('manual', options.executionId ?? '1', {
		id: 'workflow',
		name: 'Test',
		active: false,
	} as never);
	const promise = new WorkflowExecute(
		additionalData(options, hooks),
		mode,
		data,
	).processRunExecutionData(instance);
	options.onStart?.(() => promise.cancel());
	const run = await promise;
	const task = run.data.resultData.runData[UNDER_TEST]?.at(-1);
	return {
		run,
		items: task?.data?.main[0] ?? [],
		errorItems: task?.data?.main[1] ?? [],
		error: run.data.resultData.error as RunResult['error'],
		data: run.data,
		hints: task?.hints,
	};
}

function describeNode({ node, parameters, settings }: RunOptions): INode {
	const { description } = loadNode(node);
	const plain: INode = {
		id: 'under-test',
		name: UNDER_TEST,
		type: `n8n-nodes-sms-service.${description.name}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		credentials: { smsServiceApi: { id: '1', name: 'SMS' } },
		...settings,
	};
	// What n8n does when a workflow is loaded: parameters left at their defaults are filled in.
	plain.parameters =
		NodeHelpers.getNodeParameters(
			description.properties,
			parameters,
			true,
			false,
			plain,
			description,
		) ?? {};
	return plain;
}

function describeInput(): INode {
	return {
		id: 'input',
		name: INPUT,
		type: 'input',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
}

const inputNode: INodeType = {
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
};

/** The host's side of an execution: it keeps credentials and lets their type authenticate. */
export function additionalData(
	{ credential, executionId }: Pick<RunOptions, 'credential' | 'executionId'>,
	hooks?: InstanceType<typeof ExecutionLifecycleHooks>,
): IWorkflowExecuteAdditionalData {
	const type = new SmsServiceApi();
	return {
		executionId: executionId ?? '1',
		currentNodeExecutionIndex: 0,
		restApiUrl: 'http://127.0.0.1/',
		instanceBaseUrl: 'http://127.0.0.1/',
		formBaseUrl: 'http://127.0.0.1/',
		formWaitingBaseUrl: 'http://127.0.0.1/',
		formTestBaseUrl: 'http://127.0.0.1/',
		webhookBaseUrl: 'http://127.0.0.1/',
		webhookWaitingBaseUrl: 'http://127.0.0.1/',
		webhookTestBaseUrl: 'http://127.0.0.1/',
		mcpBaseUrl: 'http://127.0.0.1/',
		mcpTestBaseUrl: 'http://127.0.0.1/',
		variables: {},
		hooks,
		credentialsHelper: {
			getParentTypes: () => [],
			isCredentialUsableByNode: () => true,
			authenticate: async (credentials: IDataObject, _type: string, request: object) =>
				await type.authenticate(credentials, request),
			preAuthentication: async () => undefined,
			runPreAuthentication: async () => undefined,
			getCredentials: async () => ({}) as never,
			getDecrypted: async () => ({
				headerName: 'X-Service-ApiKey',
				allowHttp: false,
				...credential,
			}),
			updateCredentials: async () => {},
			updateCredentialsOauthTokenData: async () => {},
			getCredentialsProperties: () => [],
		} as never,
		setExecutionStatus: () => {},
	} as unknown as IWorkflowExecuteAdditionalData;
}

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
	IConnections,
	IDataObject,
	INode,
	INodeCredentialTestResult,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
	NodeExecutionHint,
} from 'n8n-workflow';
import type * as KeyStore from '../../nodes/Sms/KeyStore.ts';
import { placeIn } from '../harness/settings.mts';
import { DeduplicationStore, SOON } from './store.mts';

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

export const deduplicationStore = new DeduplicationStore();
// The test files of a process share n8n-core: each has a store of its own.
Object.assign(core.DataDeduplicationService, { instance: undefined });
await core.DataDeduplicationService.init(deduplicationStore as never);

/** A request as n8n hands it to its HTTP client. */
interface OutgoingRequest {
	url?: string;
	uri?: string;
	body?: unknown;
}

/**
 * Faults between n8n's HTTP client and a node, by the origin that is asked: each gets the request and the function that
 * makes it, and may spoil the answer.
 */
export const wires = new Map<
	string,
	(request: OutgoingRequest, make: () => Promise<unknown>) => Promise<unknown>
>();

// n8n-core takes its HTTP client from its container.
const ofCore = createRequire(require.resolve('n8n-core'));
const { Container } = ofCore('@n8n/di') as {
	Container: { get<T>(key: unknown): T; set(key: unknown, value: unknown): void };
};
interface HttpClient {
	requests(): { request(options: OutgoingRequest): Promise<unknown> };
}
const { OutboundHttp } = ofCore('@n8n/backend-network') as {
	OutboundHttp: { genuine?: HttpClient };
};
const client = (OutboundHttp.genuine ??= Container.get<HttpClient>(OutboundHttp));
Container.set(
	OutboundHttp,
	new Proxy(client, {
		get(target, name) {
			if (name !== 'requests') {
				const member: unknown = Reflect.get(target, name);
				return typeof member === 'function' ? member.bind(target) : member;
			}
			return (...asked: []) => {
				const requests = target.requests(...asked);
				return Object.assign(Object.create(requests) as typeof requests, {
					request: async (options: OutgoingRequest) => {
						const address = options.url ?? options.uri ?? '';
						const origin = URL.canParse(address) ? new URL(address).origin : '';
						const make = async () => await requests.request(options);
						return await (wires.get(origin)?.(options, make) ?? make());
					},
				});
			};
		},
	}),
);

/** Lines that the nodes write into n8n's log (level info). */
export const logged: string[] = [];
const { Logger } = ofCore('@n8n/backend-common') as { Logger: unknown };
type Log = (text: string) => void;
const logger = Container.get<{ info: Log; debug: Log }>(Logger);
logger.info = (text) => void logged.push(text);
// It looks up who calls it before it finds out that nobody listens: a twentieth of the time of these tests.
if (process.env.N8N_LOG_LEVEL === 'silent') logger.debug = () => {};

/** As n8n does, a node is made once for all executions of a process. */
const nodes = new Map<string, INodeType>();
const DIST = join(import.meta.dirname, '../../dist');

let isHurried = false;

/** Loads a compiled module of the package. */
export function load<T>(path: string): T {
	return require(join(DIST, path)) as T;
}

/** Begins anew, as a new process does: all that the package keeps in its modules is gone. */
export function forgetModules(): void {
	nodes.clear();
	for (const path of Object.keys(require.cache)) {
		if (path.startsWith(DIST)) delete require.cache[path];
	}
	if (isHurried) hurry();
}

forgetModules();

/** Waits of seconds become milliseconds, in the runs of this file from now on. */
export function hurry({ store = SOON }: { store?: typeof SOON } = {}): void {
	const { RETRY } = load<{ RETRY: { firstDelay: number; shownAfter: number } }>(
		'nodes/shared/run/retryPolicy.js',
	);
	const { STORE_TIMING } = load<{ STORE_TIMING: typeof SOON }>('nodes/Sms/storeTiming.js');
	RETRY.firstDelay = 1;
	RETRY.shownAfter = 1;
	Object.assign(STORE_TIMING, store);
	isHurried = true;
}

/** A compiled node of the package. */
export function loadNode(name: string): INodeType {
	const known = nodes.get(name) ?? makeNode(name);
	nodes.set(name, known);
	return known;
}

/** Loads a compiled node of the package anew. */
export function makeNode(name: string): INodeType {
	const module = load<Record<string, new () => INodeType>>(`nodes/${name}/${name}.node.js`);
	const type = new module[name]();
	// As n8n does when it loads a node: the options of its router, and the router itself as the node's
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
	/** The name of a node of the package. */
	node: string;
	/** A node type in its place, such as another node that uses our credential. */
	type?: INodeType;
	parameters: INodeParameters;
	/** One object for each input item. Default: one empty item. */
	items?: IDataObject[];
	credential: IDataObject;
	/** Settings of the node, such as onError, retryOnFail, maxTries. */
	settings?: Partial<INode>;
	timeZone?: string;
	executionId?: string;
	workflowId?: string;
	/** This process still knows which keys it has sent; by default, n8n was started again before. */
	remembers?: boolean;
	/** Other nodes of the workflow, which are not connected. */
	otherNodes?: INode[];
	/** Address of waiting executions, as n8n says it. */
	publicUrl?: string;
	/** Start of the run. Default: someone clicked in the editor. */
	mode?: WorkflowExecuteMode;
	/** For a sub-workflow: how the one that calls it came to run. */
	rootMode?: WorkflowExecuteMode;
	/** Items of further runs of the node in the same execution, as in a loop. */
	furtherRuns?: IDataObject[][];
	/** Comes before n8n reads the credential; may throw. */
	onSecret?: () => void;
	/** Called with a function that cancels the execution. */
	onStart?: (cancel: () => void) => void;
}

export interface RunResult {
	run: IRun;
	/** Items of the first output. */
	items: INodeExecutionData[];
	/** Items of the error output. */
	errorItems: INodeExecutionData[];
	/** The same for each run of the node, in a loop. */
	runs: Array<{
		items: INodeExecutionData[];
		errorItems: INodeExecutionData[];
		/** Set where n8n heard an error from the node. */
		failed: boolean;
	}>;
	/** The error that stopped the run. */
	error?: Error & {
		description?: string;
		httpCode?: string;
		context: IDataObject;
		failure?: IDataObject;
	};
	/** Stored by n8n with the execution. */
	data: IRunExecutionData;
	hints?: NodeExecutionHint[];
}

/** The result of a run that has to end well. @throws the error of another one */
export function succeeded(result: RunResult): RunResult {
	if (result.error) throw result.error;
	return result;
}

const UNDER_TEST = 'Under Test';
const INPUT = 'Input';

/** Runs one node with these input items. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const node = describeNode(options);
	const inputs = [options.items ?? [{}], ...(options.furtherRuns ?? [])].map((objects) =>
		objects.map((json, item) => ({ json, pairedItem: { item } })),
	);
	return await execute(options, node, executionOf(node, inputs), options.mode);
}

/** An execution that begins with a node, which runs once for each of these inputs. */
export function executionOf(node: INode, inputs: INodeExecutionData[][]): IRunExecutionData {
	return createRunExecutionData({
		executionData: {
			contextData: {},
			metadata: {},
			waitingExecution: {},
			waitingExecutionSource: {},
			nodeExecutionStack: inputs.map((items, previousNodeRun) => ({
				node,
				data: { main: [items] },
				source: { main: [{ previousNode: INPUT, previousNodeRun }] },
			})),
		},
		resultData: {
			runData: {
				[INPUT]: inputs.map((items, executionIndex) => ({
					...{ startTime: 0, executionTime: 0, executionIndex, source: [] },
					data: { main: [items] },
				})),
			},
		},
	});
}

/** A workflow of these nodes, whose types have these names. */
export function workflowWith(
	id: string,
	nodes: INode[],
	types: Record<string, INodeType>,
	connections: IConnections,
	timezone = 'Europe/Paris',
): InstanceType<typeof Workflow> {
	return new Workflow({
		id,
		nodes,
		connections,
		active: false,
		nodeTypes: {
			getByName: (name) => types[name],
			getByNameAndVersion: (name) => types[name],
			getKnownTypes: () => ({}),
		},
		settings: { timezone, executionOrder: 'v1' },
	});
}

/** A node type without fields. */
export function typeOf(
	name: string,
	more: Partial<INodeTypeDescription> = {},
): Pick<INodeType, 'description'> {
	return {
		description: {
			...{ displayName: name, name, description: '', version: 1, group: ['transform'] },
			...{ defaults: {}, inputs: [], outputs: [NodeConnectionTypes.Main], properties: [] },
			...more,
		},
	};
}

/** A node without parameters. */
export function nodeOf(name: string, type: string, more: Partial<INode> = {}): INode {
	const place: Pick<INode, 'position' | 'parameters'> = { position: [0, 0], parameters: {} };
	return { id: name, name, type, typeVersion: 1, ...place, ...more };
}

let retries = 0;

/**
 * The data that "Retry execution" of the executions list goes on from: n8n reads the stored execution, and drops the error and
 * the failed node's last result (n8n's execution service, `retry`).
 */
export function storedForRetry({ data: failed }: Pick<RunResult, 'data'>): IRunExecutionData {
	const data = JSON.parse(JSON.stringify(failed)) as IRunExecutionData;
	const last = data.resultData.lastNodeExecuted!;
	delete data.resultData.error;
	const runs = data.resultData.runData[last];
	if (runs?.at(-1)?.error !== undefined) runs.pop();
	return data;
}

/**
 * "Retry execution" of the executions list.
 *
 * @param edited the currently saved workflow, where it is to be used instead of the stored one
 */
export async function retryExecution(
	failed: RunResult,
	options: RunOptions,
	edited?: Partial<RunOptions>,
): Promise<RunResult> {
	const data = storedForRetry(failed);
	// To n8n, each retry by a person is another execution.
	const executionId = `retry-${++retries}`;
	const current = { ...options, executionId, ...edited };
	const node = describeNode(current);
	if (edited) for (const entry of data.executionData!.nodeExecutionStack) entry.node = node;
	return await execute(current, data.executionData!.nodeExecutionStack[0].node, data, 'retry');
}

/** Forgets those of this workflow only: others may be running at the same moment. */
function forgetSentKeys(workflowId: string): void {
	const { sentKeys } = load<typeof KeyStore>('nodes/Sms/KeyStore.js');
	for (const name of sentKeys) if (name.startsWith(`${workflowId}/`)) sentKeys.delete(name);
}

async function execute(
	options: RunOptions,
	node: INode,
	data: IRunExecutionData,
	mode: WorkflowExecuteMode = 'manual',
): Promise<RunResult> {
	if (!options.remembers) forgetSentKeys(options.workflowId ?? 'workflow');
	const type = options.type ?? loadNode(options.node);
	const instance = workflowWith(
		options.workflowId ?? 'workflow',
		[nodeOf(INPUT, 'input'), node, ...(options.otherNodes ?? [])],
		{ [node.type]: type, input: typeOf('input') },
		{ [INPUT]: { main: [[{ node: UNDER_TEST, type: 'main', index: 0 }]] } },
		options.timeZone,
	);
	const promise = startWorkflow(instance, data, mode, options);
	options.onStart?.(() => promise.cancel());
	const run = await promise;
	const tasks = run.data.resultData.runData[UNDER_TEST] ?? [];
	const runs = tasks.map(({ data: output, error }) => ({
		items: output?.main[0] ?? [],
		errorItems: output?.main[1] ?? [],
		failed: error !== undefined,
	}));
	const error = run.data.resultData.error as RunResult['error'];
	// The editor shows each line on its own.
	if (error?.description) error.description = error.description.replaceAll('<br>\n', '\n');
	return {
		run,
		items: runs.at(-1)?.items ?? [],
		errorItems: runs.at(-1)?.errorItems ?? [],
		runs,
		error,
		data: run.data,
		hints: tasks.at(-1)?.hints?.map((hint) => ({
			...hint,
			message: hint.message.replaceAll('<br>', ' '),
		})),
	};
}

function describeNode({ node, type, parameters, settings }: RunOptions): INode {
	const { description } = type ?? loadNode(node);
	const plain = nodeOf(UNDER_TEST, `n8n-nodes-sms-service.${description.name}`, {
		id: 'under-test',
		parameters,
		credentials: { smsServiceApi: { id: '1', name: 'SMS' } },
		...settings,
	});
	// As n8n does when a workflow is loaded: parameters left at their defaults are filled in.
	plain.parameters =
		NodeHelpers.getNodeParameters(
			description.properties,
			placed(description.properties, parameters),
			true,
			false,
			plain,
			description,
		) ?? {};
	return plain;
}

/** A test names a setting under `options`; the node says which of its collections holds it. */
function placed(properties: INodeProperties[], parameters: INodeParameters): INodeParameters {
	const { options, ...rest } = parameters;
	if (typeof options !== 'object' || options === null || Array.isArray(options))
		return parameters;
	const result: Record<string, IDataObject> = { ...(rest as Record<string, IDataObject>) };
	for (const [name, value] of Object.entries(options as IDataObject)) {
		const place = placeIn(properties, parameters.operation, name) || 'options';
		result[place] = { ...result[place], [name]: value } as IDataObject;
	}
	return result as INodeParameters;
}

/** Runs what is left of an execution of a workflow. */
export function startWorkflow(
	instance: InstanceType<typeof Workflow>,
	data: IRunExecutionData,
	mode: WorkflowExecuteMode,
	options: Parameters<typeof additionalData>[0],
) {
	const about = { id: instance.id, name: 'Test', active: false } as never;
	const hooks = new ExecutionLifecycleHooks(mode, options.executionId ?? '1', about);
	const additional = additionalData(options, hooks);
	return new WorkflowExecute(additional, mode, data).processRunExecutionData(instance);
}

/** The host's side of an execution: it keeps credentials and lets their type authenticate. */
export function additionalData(
	{
		credential,
		executionId,
		onSecret,
		publicUrl = 'http://127.0.0.1/',
		rootMode,
	}: Pick<RunOptions, 'credential' | 'executionId' | 'onSecret' | 'publicUrl' | 'rootMode'>,
	hooks?: InstanceType<typeof ExecutionLifecycleHooks>,
): IWorkflowExecuteAdditionalData {
	const type = new SmsServiceApi();
	return {
		executionId: executionId ?? '1',
		currentNodeExecutionIndex: 0,
		...(rootMode === undefined ? {} : { rootExecutionMode: rootMode }),
		restApiUrl: 'http://127.0.0.1/',
		instanceBaseUrl: 'http://127.0.0.1/',
		formBaseUrl: 'http://127.0.0.1/',
		formWaitingBaseUrl: 'http://127.0.0.1/',
		formTestBaseUrl: 'http://127.0.0.1/',
		webhookBaseUrl: 'http://127.0.0.1/',
		webhookTestBaseUrl: 'http://127.0.0.1/',
		mcpBaseUrl: 'http://127.0.0.1/',
		mcpTestBaseUrl: 'http://127.0.0.1/',
		webhookWaitingBaseUrl: publicUrl,
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
			getDecrypted: async () => {
				onSecret?.();
				return { headerName: 'X-Service-ApiKey', allowHttp: false, ...credential };
			},
			updateCredentials: async () => {},
			updateCredentialsOauthTokenData: async () => {},
			getCredentialsProperties: () => [],
		} as never,
		setExecutionStatus: () => {},
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** Presses the Test button of a credential, as n8n's credential tester does: the function that the node names. */
export async function pressTest(data: IDataObject): Promise<INodeCredentialTestResult> {
	const node = loadNode('Sms');
	const name = node.description.credentials![0].testedBy as string;
	const context = new core.CredentialTestContext(additionalData({ credential: {} }));
	const credential = { id: '1', name: 'SMS', type: 'smsServiceApi', data: data as never };
	return await node.methods!.credentialTest![name].call(context as never, credential);
}

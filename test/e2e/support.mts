import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { afterAll, beforeEach, expect } from 'vitest';
import { type Model, startModel } from '../harness/model.mts';
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/index.mts';
import { type N8n, type N8nOptions, startN8n, type WorkflowDefinition } from '../harness/n8n.mts';
import { inARow, manual, own, to } from '../harness/nodes.mts';
import { sharedN8n } from '../harness/shared.mts';

export const packageName = 'n8n-nodes-sms-service';
export const credentialName = 'SMS Service account';

/** A real n8n with the package and a credential for a simulator. */
export interface Environment {
	n8n: N8n;
	simulator: Simulator;
	close(): Promise<void>;
}

/**
 * Starts both; call `close` in the end.
 *
 * @param options.n8n an n8n for this file alone; without it, the one that the files of a worker share
 */
export async function startEnvironment(
	options: { n8n?: N8nOptions; simulator?: SimulatorOptions } = {},
): Promise<Environment> {
	const simulator = await startSimulator(options.simulator);
	try {
		const n8n = options.n8n ? await startN8n(options.n8n) : sharedN8n();
		const data = credentialOf(simulator);
		const id = await n8n.createCredential('smsServiceApi', credentialName, data);
		const close = async () => {
			if (options.n8n) await n8n.stop();
			// The next file has a credential of this name too, for its own simulator.
			else await n8n.rest.delete(`/credentials/${id}`);
			await simulator.close();
		};
		return { n8n, simulator, close };
	} catch (error) {
		await simulator.close();
		throw error;
	}
}

/**
 * As `startEnvironment`, for the tests of a file: called once, at its top.
 *
 * @returns both, running: the simulator as new before each test, both ended after the last one
 */
export async function useEnvironment(
	options?: Parameters<typeof startEnvironment>[0],
): Promise<Environment> {
	const environment = await startEnvironment(options);
	beforeEach(() => environment.simulator.reset());
	afterAll(async () => await environment.close());
	return environment;
}

/**
 * A language model for the tests of a file, and a credential of this name for it: called once, at its top.
 *
 * @returns the model, running: ended after the last test
 */
export async function useModel(n8n: N8n, name: string): Promise<Model> {
	const model = await startModel();
	const data = { apiKey: 'none', url: model.baseUrl };
	const id = await n8n.createCredential('openAiApi', name, data);
	afterAll(async () => {
		// The next file may have one of this name, for its own model.
		await n8n.rest.delete(`/credentials/${id}`);
		await model.close();
	});
	return model;
}

/** As `expect.poll`, for an editor that takes its time. */
export const eventually = <T,>(read: () => Promise<T> | T) =>
	expect.poll(read, { timeout: 180_000 });

/** Fills the credential in as a user would to reach the simulator. */
export function credentialOf(simulator: Simulator): IDataObject {
	const { baseUrl, apiKey, headerName } = simulator;
	return { baseUrl, apiKey, headerName, allowHttp: false };
}

/**
 * A workflow of a manual trigger that gives the items, and one node of the package.
 *
 * @param items what the trigger gives
 * @param type the node, without the package's name, e.g. `sendSms`; its name in the workflow is `Node`
 * @param settings what else the node has, e.g. `onError`
 */
export function workflowOf(
	items: IDataObject[],
	type: string,
	parameters: INodeParameters,
	settings: Partial<INode> = {},
): WorkflowDefinition {
	return {
		name: `${type} ${JSON.stringify(parameters).slice(0, 80)}`,
		...inARow(manual(), own('Node', type, parameters, credentialName, settings)),
		pinData: { Start: items.map((json) => ({ json })) },
	};
}

/**
 * A workflow of an agent that is started by hand, with the credential `Model` (see `useModel`).
 *
 * @param typeVersion of the AI Agent node: from 3 on it asks the engine to run its tools
 * @param connections of the tools
 */
export function agentWorkflow(
	typeVersion: number,
	tools: WorkflowDefinition['nodes'],
	connections: WorkflowDefinition['connections'],
): WorkflowDefinition {
	const langchain = '@n8n/n8n-nodes-langchain';
	return {
		name: `Agent ${typeVersion}`,
		nodes: [
			manual(),
			{
				name: 'Agent',
				type: `${langchain}.agent`,
				typeVersion,
				parameters: { promptType: 'define', text: 'Go', options: {} },
			},
			{
				name: 'Model',
				type: `${langchain}.lmChatOpenAi`,
				typeVersion: 1.2,
				parameters: {
					model: { __rl: true, mode: 'id', value: 'test' },
					options: { maxRetries: 0 },
				},
				credentials: { openAiApi: { id: null, name: 'Model' } },
			},
			...tools,
		],
		connections: {
			Start: to('Agent'),
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			...connections,
		},
	};
}

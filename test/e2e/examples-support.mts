/** Shared by the tests of the example workflows. */
import axios from 'axios';
import type { IDataObject, INode } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect } from 'vitest';
import { readExample } from '../harness/examples.mts';
import type { Execution, N8n, StoredWorkflow } from '../harness/n8n.mts';

/** Called once, at the top of a file. @returns what its tests do with the examples */
export function useExamples(n8n: N8n) {
	/** Two workflows can't have the same webhook. */
	const active: string[] = [];
	afterEach(async () => {
		for (const id of active.splice(0)) await n8n.deactivate(id);
	});

	async function activate({ id }: StoredWorkflow): Promise<void> {
		active.push(id);
		await n8n.activate(id);
	}

	/** Imports a workflow as it is, with a witness beside each tool. */
	async function importExample(
		...example: Parameters<typeof readExample>
	): Promise<StoredWorkflow> {
		return await n8n.createWorkflow(await readExample(...example));
	}

	/** Saves a workflow with other parameters of some of its nodes. */
	async function change(
		{ id, nodes }: StoredWorkflow,
		changes: Record<string, IDataObject>,
	): Promise<void> {
		const changed = nodes.map((node): INode => {
			const parameters = { ...node.parameters, ...changes[node.name] };
			return { ...node, parameters: parameters as INode['parameters'] };
		});
		await n8n.updateWorkflow(id, { nodes: changed });
	}

	/** Runs a workflow from one of its triggers; the first manual one by default. */
	async function run(workflow: StoredWorkflow, trigger?: string): Promise<Execution> {
		const execution = await n8n.run(workflow.id, { trigger });
		expect(execution.error).toBeUndefined();
		expect(execution.status).toBe('success');
		return execution;
	}

	/** Posts to the webhook of an active workflow. @returns what it answered */
	async function post(path: string, body: IDataObject): Promise<IDataObject> {
		const url = `${n8n.url}/webhook/${path}`;
		// The webhook is there soon after the workflow is active.
		for (let tries = 0; ; tries++) {
			const { status, data } = await axios.post(url, body, { validateStatus: () => true });
			if (status < 404) return data as IDataObject;
			if (tries === 50) throw new Error(`The webhook answered ${status}`);
			await sleep(200);
		}
	}

	/** Calls the webhook of an active workflow and waits for the end of what that starts. */
	async function callWebhook(workflow: StoredWorkflow, path: string, body: IDataObject) {
		const call = async () => await post(path, body);
		return await n8n.waitFor(await n8n.begunBy(workflow.id, call));
	}

	return { activate, callWebhook, change, importExample, post, run };
}

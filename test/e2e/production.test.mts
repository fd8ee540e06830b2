/**
 * Runs from the editor and runs in production, in a real n8n: with *Send to a Test Number* in the credential, all that
 * n8n runs in production sends for real, however it began.
 */
import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { McpClient } from '../harness/mcp.mts';
import type { Execution, StoredWorkflow } from '../harness/n8n.mts';
import {
	called,
	calling,
	inARow,
	manual,
	type Node,
	own,
	replyTrigger,
	webhook,
} from '../harness/nodes.mts';
import { credentialName, credentialOf, packageName, useEnvironment } from './support.mts';

const TO = '+33639981234';
const OWN = '+33639980000';
const SENDING = 'Send';

const environment = await useEnvironment();

const active: string[] = [];
afterEach(async () => {
	for (const id of active.splice(0)) await environment.n8n.deactivate(id);
});
async function activate(id: string): Promise<void> {
	active.push(id);
	await environment.n8n.activate(id);
}

/** Every second: n8n takes six fields. */
const EVERY_SECOND = '* * * * * *';

/** The ways in which a workflow starts. */
const schedule: Node = {
	name: 'Start',
	type: 'n8n-nodes-base.scheduleTrigger',
	typeVersion: 1.2,
	parameters: {
		rule: { interval: [{ field: 'cronExpression', expression: EVERY_SECOND }] },
	},
};
const reply = replyTrigger('Start', 'orders', 1, 'SMS, as it is');
const ownWebhook = () => webhook(crypto.randomUUID());

/** The way to each is the same; engine/sms/test-runs.test.mts has all operations with each credential. */
const OPERATION = 'sendBatch';
const MANUAL_RUNS = 'testNumber';

describe('with a test number in the credential', () => {
	/** The credential of the nodes that send; the others have one without it. */
	const name = `${credentialName}: ${MANUAL_RUNS}`;
	const ids: string[] = [];
	beforeAll(async () => {
		const { n8n, simulator } = environment;
		const data = credentialOf(simulator);
		const limited = { ...data, manualRuns: MANUAL_RUNS, testNumber: OWN };
		ids.push(await n8n.createCredential('smsServiceApi', name, limited));
		ids.push(await n8n.createCredential('smsServiceApi', 'SMS, as it is', data));
	});
	afterAll(async () => {
		for (const id of ids.splice(0)) await environment.n8n.rest.delete(`/credentials/${id}`);
	});

	const parameters = { operation: OPERATION, number: TO, message: 'Bonjour' };
	const sending = own(SENDING, 'sms', parameters, name);

	async function stored(start: Node, node: Node): Promise<StoredWorkflow> {
		return await environment.n8n.createWorkflow({
			name: `${start.type} ${node.type}`,
			...inARow(start, node),
		});
	}
	const numbers = () => environment.simulator.messages.map(({ number }) => number);

	/** The first execution of a workflow, ended. */
	async function first({ id }: StoredWorkflow): Promise<Execution> {
		const { n8n } = environment;
		const oldest = async () => (await n8n.listExecutions(id)).at(-1)?.id;
		await expect.poll(oldest, { timeout: 180_000, interval: 200 }).toBeDefined();
		return await n8n.waitFor((await oldest())!);
	}

	/** Calls the webhook of an active workflow, which is there soon after that is active. */
	async function call({ nodes }: StoredWorkflow): Promise<void> {
		const { path } = nodes.find((node) => node.name === 'Start')!.parameters;
		const url = `${environment.n8n.url}/webhook/${path as string}`;
		for (let tries = 0; ; tries++) {
			const answer = await axios.post(url, {}, { validateStatus: () => true, proxy: false });
			if (answer.status === 200) return;
			if (tries === 50) throw new Error(`The webhook answered ${answer.status}`);
			await sleep(200);
		}
	}

	/** The result of a test run. */
	const TRIED = { number: OWN, wouldSendTo: TO };

	/** Sent for real, to whom it is for, and nothing says otherwise. */
	function expectReal(items: IDataObject[]): void {
		expect(new Set(numbers())).toEqual(new Set([TO]));
		expect(items).toEqual([
			expect.objectContaining({ number: TO, snapshotId: expect.anything() }),
		]);
		expect(items[0]).not.toHaveProperty('wouldSendTo');
	}

	test('in the editor, not for real', async () => {
		const { n8n } = environment;
		const { id } = await stored(manual(), sending);
		const items = (await n8n.run(id)).json(SENDING);
		expect(numbers()).toEqual([OWN]);
		expect(items).toEqual([expect.objectContaining(TRIED)]);
	});

	test('started by a webhook', async () => {
		const workflow = await stored(ownWebhook(), sending);
		await activate(workflow.id);
		await call(workflow);
		const { summary, json } = asRun(await first(workflow));
		expect(summary.mode).toBe('webhook');
		expectReal(json(SENDING));
		expect(numbers()).toEqual([TO]);
	});

	test('started by a schedule', async () => {
		const workflow = await stored(schedule, sending);
		await activate(workflow.id);
		const { summary, json } = asRun(await first(workflow));
		await environment.n8n.deactivate(workflow.id);
		expect(summary.mode).toBe('trigger');
		expectReal(json(SENDING));
	});

	test('as a sub-workflow of what a webhook started, and of what the editor started', async () => {
		const { n8n } = environment;
		const sub = await stored(called(), sending);
		await activate(sub.id);
		const caller = calling('Call', sub.id, { options: { waitForSubWorkflow: true } });
		const fromEditor = await stored(manual(), caller);
		expect((await n8n.run(fromEditor.id)).json('Call')).toEqual([
			expect.objectContaining(TRIED),
		]);
		expect(numbers()).toEqual([OWN]);
		environment.simulator.reset();
		const workflow = await stored(ownWebhook(), caller);
		await activate(workflow.id);
		await call(workflow);
		expectReal((await first(workflow)).json('Call'));
		expect(numbers()).toEqual([TO]);
	});

	test('retried from the list of executions', async () => {
		const { n8n, simulator } = environment;
		const workflow = await stored(ownWebhook(), sending);
		await activate(workflow.id);
		simulator.faults.add({
			method: 'POST',
			times: Infinity,
			do: { kind: 'status', status: 401 },
		});
		await call(workflow);
		const failed = await first(workflow);
		expect(failed.status).toBe('error');
		expect(numbers()).toEqual([]);
		simulator.reset();
		const retried = await n8n.retryExecution(failed.id);
		expect(retried.summary.mode).toBe('retry');
		expectReal(retried.json(SENDING));
		expect(numbers()).toEqual([TO]);
	});

	test('called by an agent through the MCP server', async () => {
		const tool: Node = {
			...sending,
			type: `${packageName}.smsTool`,
			parameters: {
				...sending.parameters,
				message: "={{ $fromAI('message', 'The text', 'string') }}",
			},
		};
		const mcp = await McpClient.connect(environment.n8n, [tool]);
		try {
			const { text } = await mcp.call(SENDING, { message: 'Bonjour' });
			expect(text).not.toContain('wouldSendTo');
			expect(numbers()).toEqual([TO]);
		} finally {
			await mcp.close();
		}
	});

	test('started by a reply', async () => {
		const { simulator } = environment;
		const workflow = await stored(reply, sending);
		await activate(workflow.id);
		// The first poll only looks.
		const replies = () => simulator.requests.filter(({ path }) => path.includes('replies'));
		await expect.poll(() => replies().length, { timeout: 180_000 }).toBeGreaterThan(0);
		simulator.reply('+33639981299', 'Where is it?', { category: 'orders' });
		const { summary, json } = asRun(await first(workflow));
		expect(summary.mode).toBe('trigger');
		expectReal(json(SENDING));
		expect(numbers()).toEqual([TO]);
	});
});

/** An execution that has gone well. */
function asRun(execution: Execution) {
	expect([execution.status, execution.error]).toEqual(['success', undefined]);
	return { summary: execution.summary, json: (node: string) => execution.json(node) };
}

/**
 * Runs from the editor and runs in production, in a real n8n: with *Send to a Test Number* in the credential, all that
 * n8n runs in production sends for real, however it began.
 */
import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
import { useExamples } from './examples-support.mts';
import { credentialName, credentialOf, packageName, useEnvironment } from './support.mts';

const TO = '+33639981234';
const OWN = '+33639980000';
const SENDING = 'Send';

const { n8n, simulator } = await useEnvironment();
const { activate, callWebhook } = useExamples(n8n);

/** Every second: n8n takes six fields. */
const EVERY_SECOND = '* * * * * *';
const schedule: Node = {
	name: 'Start',
	type: 'n8n-nodes-base.scheduleTrigger',
	typeVersion: 1.2,
	parameters: {
		rule: { interval: [{ field: 'cronExpression', expression: EVERY_SECOND }] },
	},
};

/** The credential of the nodes that send; the others have one without a test number. */
const name = `${credentialName}: testNumber`;
const AS_IT_IS = 'SMS, as it is';
const ids: string[] = [];
beforeAll(async () => {
	const data = credentialOf(simulator);
	const limited = { ...data, manualRuns: 'testNumber', testNumber: OWN };
	ids.push(await n8n.createCredential('smsServiceApi', name, limited));
	ids.push(await n8n.createCredential('smsServiceApi', AS_IT_IS, data));
});
afterAll(async () => {
	for (const id of ids) await n8n.rest.delete(`/credentials/${id}`);
});

/** The way to each operation is the same; engine/sms/test-runs.test.mts has all, with each credential. */
const sending = own(
	SENDING,
	'sms',
	{ operation: 'sendBatch', number: TO, message: 'Bonjour' },
	name,
);
const stored = async (start: Node, node = sending): Promise<StoredWorkflow> =>
	await n8n.createWorkflow({ name: `${start.type} ${node.type}`, ...inARow(start, node) });

/** Stores and activates what a webhook starts. @returns calls it, and waits for what that starts */
async function behindWebhook(node = sending): Promise<() => Promise<Execution>> {
	const path = crypto.randomUUID();
	const workflow = await stored(webhook(path), node);
	await activate(workflow);
	return async () => await callWebhook(workflow, path, {});
}

/** The first execution of a workflow, ended. */
async function first({ id }: StoredWorkflow): Promise<Execution> {
	const oldest = async () => (await n8n.listExecutions(id)).at(-1)?.id;
	await expect.poll(oldest, { timeout: 180_000, interval: 200 }).toBeDefined();
	return await n8n.waitFor((await oldest())!);
}

const numbers = () => simulator.messages.map(({ number }) => number);

/** Sent to the test number only, and told so. */
function expectTried(items: IDataObject[]): void {
	expect(numbers()).toEqual([OWN]);
	expect(items).toMatchObject([{ number: OWN, wouldSendTo: TO }]);
}

/** Sent for real, to whom it is for, and nothing says otherwise. */
function expectReal({ status, error, summary, data }: Execution, mode: string): void {
	expect([status, error, summary.mode]).toEqual(['success', undefined, mode]);
	const { lastNodeExecuted, runData } = data.resultData;
	const items = runData[lastNodeExecuted!][0].data!.main[0]!;
	expect(new Set(numbers())).toEqual(new Set([TO]));
	expect(items).toMatchObject([{ json: { number: TO, snapshotId: expect.anything() } }]);
	expect(items[0].json).not.toHaveProperty('wouldSendTo');
}

test('in the editor, not for real', async () => {
	const { id } = await stored(manual());
	expectTried((await n8n.run(id)).json(SENDING));
});

test('started by a webhook', async () => {
	const call = await behindWebhook();
	expectReal(await call(), 'webhook');
	expect(numbers()).toEqual([TO]);
});

test('started by a schedule', async () => {
	const workflow = await stored(schedule);
	await activate(workflow);
	expectReal(await first(workflow), 'trigger');
	await n8n.deactivate(workflow.id);
	// Those that began meanwhile send as well: the next test must not hear of it.
	for (const { id } of await n8n.listExecutions(workflow.id)) await n8n.waitFor(id);
});

test('as a sub-workflow of what a webhook started, and of what the editor started', async () => {
	const sub = await stored(called());
	await activate(sub);
	const caller = calling('Call', sub.id, { options: { waitForSubWorkflow: true } });
	expectTried((await n8n.run((await stored(manual(), caller)).id)).json('Call'));
	simulator.reset();
	const call = await behindWebhook(caller);
	expectReal(await call(), 'webhook');
	expect(numbers()).toEqual([TO]);
});

test('retried from the list of executions', async () => {
	const call = await behindWebhook();
	const refuse = { kind: 'status', status: 401 } as const;
	simulator.faults.add({ method: 'POST', times: Infinity, do: refuse });
	const failed = await call();
	expect(failed.status).toBe('error');
	expect(numbers()).toEqual([]);
	simulator.reset();
	expectReal(await n8n.retryExecution(failed.id), 'retry');
});

test('called by an agent through the MCP server', async () => {
	const message = "={{ $fromAI('message', 'The text', 'string') }}";
	const mcp = await McpClient.connect(n8n, [
		{
			...sending,
			type: `${packageName}.smsTool`,
			parameters: { ...sending.parameters, message },
		},
	]);
	try {
		const { text } = await mcp.call(SENDING, { message: 'Bonjour' });
		expect(text).not.toContain('wouldSendTo');
		expect(numbers()).toEqual([TO]);
	} finally {
		await mcp.close();
	}
});

test('started by a reply', async () => {
	const workflow = await stored(replyTrigger('Start', 'orders', 1, AS_IT_IS));
	await activate(workflow);
	// The first poll only looks.
	const replies = () => simulator.requests.filter(({ path }) => path.includes('replies'));
	await expect.poll(() => replies().length, { timeout: 180_000 }).toBeGreaterThan(0);
	simulator.reply('+33639981299', 'Where is it?', { category: 'orders' });
	expectReal(await first(workflow), 'trigger');
	expect(numbers()).toEqual([TO]);
});

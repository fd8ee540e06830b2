/** The trigger in a real n8n, in short: long/trigger has restarts, failures and durable cursors. */
import { afterAll, describe, expect, test } from 'vitest';
import type { StoredWorkflow } from '../harness/n8n.mts';
import { inARow, noOp, replyTrigger } from '../harness/nodes.mts';
import { useEnvironment } from './support.mts';

const TRIGGER = 'SMS Trigger';
const FROM = '+33639980001';

const { n8n, simulator } = await useEnvironment();
const active: string[] = [];
afterAll(async () => {
	for (const id of active) await n8n.deactivate(id);
});

/** A workflow that starts with replies of one category. */
async function stored(categories: string): Promise<StoredWorkflow> {
	return await n8n.createWorkflow({
		name: `Replies of ${categories}`,
		...inARow(replyTrigger(TRIGGER, categories, 1), noOp()),
	});
}

async function activated(category: string): Promise<string> {
	const { id } = await stored(category);
	await n8n.activate(id);
	active.push(id);
	return id;
}

/** The replies that started executions, oldest first. */
async function messagesOf(id: string): Promise<unknown[]> {
	return (await n8n.jsonOfAll(id, TRIGGER)).map(({ message }) => message);
}

/** As `expect.poll`, as long as a few polls of the trigger may take. */
const eventually = <T,>(read: () => Promise<T>) => expect.poll(read, { timeout: 180_000 });

describe('the trigger', () => {
	test('hands out each reply once, and none from before its activation', async () => {
		const category = 'once';
		simulator.reply(FROM, 'before', { category });
		const id = await activated(category);
		simulator.reply(FROM, 'right after', { category });
		await eventually(async () => await messagesOf(id)).toEqual(['right after']);
		simulator.reply(FROM, 'later', { category });
		await eventually(async () => await messagesOf(id)).toEqual(['right after', 'later']);
		const looks = () =>
			simulator.requests.filter(({ query }) => query.get('category') === category).length;
		const before = looks();
		await eventually(async () => looks()).toBeGreaterThanOrEqual(before + 3);
		expect(await messagesOf(id)).toEqual(['right after', 'later']);
	});

	test('an activation that the service refuses fails, and says why', async () => {
		simulator.faults.add({
			match: ({ query }) => query.get('category') === 'refused',
			times: Infinity,
			do: { kind: 'status', status: 401 },
		});
		const { id } = await stored('refused');
		await expect(n8n.activate(id)).rejects.toThrow('The service refused the API key');
	});
});

/** SMS Stats in a real n8n: each operation, and the report's file. */
import axios from 'axios';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../harness/package.mts';
import { packageName, useEnvironment, workflowOf } from './support.mts';

const NUMBER = '+33639981234';
const CATEGORY = 'orders';

const environment = await useEnvironment();

async function runStats(parameters: INodeParameters, items: IDataObject[] = [{}]) {
	const { n8n } = environment;
	const { id } = await n8n.createWorkflow(workflowOf(items, 'smsStats', parameters));
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	return execution;
}

function sent(): string {
	const { service } = environment.simulator;
	return service.accept({
		kind: 'notification',
		number: NUMBER,
		text: 'Bonjour',
		category: CATEGORY,
	}).snapshotId;
}

test.each(['messageStatus', 'category', 'replies', 'categoryBlacklists', 'account'])(
	'the editor gets the output schema of %s',
	async (operation) => {
		const { url, sessionCookie } = environment.n8n;
		const { data } = await axios.get(
			`${url}/schemas/${packageName}.smsStats/1.0.0/stats/${operation}.json`,
			{ headers: { Cookie: sessionCookie } },
		);
		expect(data.type).toBe('object');
		expect(Object.keys(data.properties)).not.toHaveLength(0);
	},
);

describe('each operation', () => {
	test('messageStatus, waiting until the message is delivered', async () => {
		const snapshotId = sent();
		const execution = await runStats({
			operation: 'messageStatus',
			number: NUMBER,
			options: { waitForFinalState: true, waitInterval: 1, waitTimeLimit: 60 },
		});
		expect(execution.json('Node')).toEqual([
			expect.objectContaining({ snapshotId, state: 'delivered', isFinal: true }),
		]);
	});

	test('category', async () => {
		sent();
		const execution = await runStats({ operation: 'category', category: CATEGORY });
		expect(execution.json('Node')).toEqual([expect.objectContaining({ sent: 1 })]);
	});

	test('categoryBlacklists', async () => {
		sent();
		environment.simulator.stop(NUMBER);
		const execution = await runStats({ operation: 'categoryBlacklists', category: CATEGORY });
		expect(execution.json('Node')).toEqual([
			{
				category: CATEGORY,
				bounces: { count: 0, numbers: [] },
				unsubscribers: { count: 1, numbers: ['+33639981234'] },
			},
		]);
	});

	test('account', async () => {
		const execution = await runStats({ operation: 'account' });
		expect(execution.json('Node')).toEqual([expect.objectContaining({ credits: 1_000_000 })]);
	});
});

test('the example workflow send-and-look-up-status runs', async () => {
	const { n8n } = environment;
	const file = await readFile(join(root, 'workflows', 'send-and-look-up-status.json'), 'utf8');
	const { id } = await n8n.createWorkflow(JSON.parse(file));
	const execution = await n8n.run(id);
	expect(execution.error).toBeUndefined();
	expect(execution.status).toBe('success');
	expect(execution.json('Message status')).toEqual([
		expect.objectContaining({ state: 'delivered', isFinal: true }),
	]);
});

/** The package in a real n8n: installed from its tarball, with its credential, and one send. */
import axios from 'axios';
import { describe, expect, test } from 'vitest';
import { packageName, useEnvironment, workflowOf } from './support.mts';
import { placed } from '../harness/settings.mts';

const environment = await useEnvironment();

describe('the package, installed from its tarball', () => {
	test('is listed under Settings > Community nodes', async () => {
		const { data } = await environment.n8n.rest.get('/community-packages');
		expect(data).toMatchObject([{ packageName, failedLoading: false }]);
	});

	test('gives the editor the node, its icons and its codex', async () => {
		const { url, sessionCookie } = environment.n8n;
		const { data: types } = await axios.get(`${url}/types/nodes.json`, {
			headers: { Cookie: sessionCookie },
		});
		const node = types.find(({ name }: { name: string }) => name === `${packageName}.sms`);
		expect(node.displayName).toBe('SMS');
		expect(node.codex.categories).toContain('Communication');
		for (const icon of [node.iconUrl.light, node.iconUrl.dark]) {
			const answer = await axios.get(`${url}/${icon}`);
			expect(answer.headers['content-type']).toContain('image/svg+xml');
		}
	});
});

test('send takes number and text from each item, and pairs the results with the items', async () => {
	const { n8n, simulator } = environment;
	const items = ['06 39 98 00 11', '+33 6 39 98 00 12', '0033639980013'].map((phone, index) => ({
		phone,
		name: `Customer ${index + 1}`,
	}));
	const workflow = workflowOf(items, 'sms', {
		operation: 'send',
		number: '={{ $json.phone }}',
		message: '=Hello {{ $json.name }}!',
		...placed('Sms', 'send', { category: 'orders' }),
	});
	const execution = await n8n.run((await n8n.createWorkflow(workflow)).id);
	expect(execution.error).toBeUndefined();
	const { messages } = simulator;
	expect(Object.fromEntries(messages.map(({ number, text }) => [number, text]))).toEqual({
		'+33639980011': 'Hello Customer 1!',
		'+33639980012': 'Hello Customer 2!',
		'+33639980013': 'Hello Customer 3!',
	});
	const snapshotOf = new Map(messages.map(({ number, snapshotId }) => [number, snapshotId]));
	expect(execution.items('Node')).toEqual(
		[1, 2, 3].map((customer, item) => ({
			json: {
				...{ status: 'sent', creditsUsed: 1, segments: 1, category: 'orders' },
				number: `+3363998001${customer}`,
				message: `Hello Customer ${customer}!`,
				snapshotId: snapshotOf.get(`+3363998001${customer}`),
			},
			pairedItem: { item },
		})),
	);
});

import axios from 'axios';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Execution } from '../harness/n8n.mts';
import { credentialOf, packageName, useEnvironment, workflowOf } from './support.mts';
import { placed } from '../harness/settings.mts';

const environment = await useEnvironment();

/** Runs one SMS node over the items. */
async function runSms(
	items: IDataObject[],
	parameters: INodeParameters,
	settings?: Partial<INode>,
): Promise<Execution> {
	const { n8n } = environment;
	const { id } = await n8n.createWorkflow(workflowOf(items, 'sms', parameters, settings));
	return await n8n.run(id);
}

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

describe("the credential's Test button", () => {
	async function press(changes: IDataObject) {
		const { n8n, simulator } = environment;
		return await n8n.testCredential('smsServiceApi', {
			...credentialOf(simulator),
			...changes,
		});
	}

	test('asks for the account statistics and accepts the right key', async () => {
		const { simulator } = environment;
		expect(await press({})).toMatchObject({ status: 'OK' });
		expect(simulator.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
			'GET /v2/account/stats',
		]);
		expect(simulator.requests[0].header('X-Service-ApiKey')).toBe(simulator.apiKey);
	});

	test.each([' ', '/', '/v2', '/v2/ '])('accepts the address with %j at its end', async (end) => {
		const { baseUrl } = environment.simulator;
		expect(await press({ baseUrl: baseUrl + end })).toMatchObject({ status: 'OK' });
	});

	test('says what is wrong, in other words for each cause', async () => {
		const page = createServer((_, response) =>
			response.setHeader('Content-Type', 'text/html').end('<h1>Welcome to our shop</h1>'),
		);
		await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
		const { port } = page.address() as AddressInfo;
		const causes: Record<string, IDataObject> = {
			'wrong key': { apiKey: 'wrong-key-5b1f' },
			'nobody listens': { baseUrl: 'http://127.0.0.1:1' },
			'no such host': { baseUrl: 'https://sms-service.invalid' },
			'not the service': { baseUrl: `http://127.0.0.1:${port}` },
			'http on the internet': { baseUrl: 'http://sms-service.example' },
		};
		const messages = new Map<string, string>();
		for (const [cause, changes] of Object.entries(causes)) {
			const { status, message } = await press(changes);
			expect(status, cause).toBe('Error');
			messages.set(cause, message);
		}
		page.close();

		expect(new Set(messages.values()).size).toBe(messages.size);
		expect(messages.get('wrong key')).toMatch(/key/i);
		expect(messages.get('nobody listens')).toMatch(/127\.0\.0\.1:1|base url|address/i);
		expect(messages.get('no such host')).toMatch(/sms-service\.invalid|base url|address/i);
		expect(messages.get('not the service')).toMatch(/base url|address/i);
		expect(messages.get('http on the internet')).toMatch(/http/i);
		for (const message of messages.values()) {
			expect(message).not.toContain(environment.simulator.apiKey);
			expect(message).not.toContain('wrong-key-5b1f');
		}
	});
});

describe('send (interface document 4.3)', () => {
	test.each(['notification', 'marketing'])('a %s', async (messageType) => {
		const { simulator } = environment;
		const execution = await runSms([{}], {
			operation: 'send',
			messageType,
			number: '06 39 98 00 01',
			message: 'Votre commande est là: 12,50',
			...placed('Sms', 'send', {
				sender: 'MyShop',
				campaignName: 'Orders',
				category: 'orders',
			}),
		});

		expect(execution.error).toBeUndefined();
		const [request, ...others] = simulator.requests;
		expect(others).toEqual([]);
		expect(`${request.method} ${request.target}`).toBe(`POST /v2/${messageType}/messages/send`);
		expect(request.header('X-Service-ApiKey')).toBe(simulator.apiKey);
		expect(request.header('Content-Type')).toMatch(/^application\/json\b/);
		expect(request.json()).toEqual({
			number: '0639980001',
			message: 'Votre commande est là: 12,50',
			sender: 'MyShop',
			campaignName: 'Orders',
			category: 'orders',
		});
		const [phone] = simulator.messages;
		expect(execution.json('Node')).toEqual([
			{
				creditsUsed: phone.creditsUsed,
				snapshotId: phone.snapshotId,
				status: 'sent',
				number: '+33639980001',
				message: 'Votre commande est là: 12,50',
				segments: 1,
				category: 'orders',
			},
		]);
	});

	test('takes number and text from each item, and pairs the results with the items', async () => {
		const items = ['06 39 98 00 11', '+33 6 39 98 00 12', '0033639980013'].map(
			(phone, index) => ({
				phone,
				name: `Customer ${index + 1}`,
			}),
		);
		const execution = await runSms(items, {
			operation: 'send',
			number: '={{ $json.phone }}',
			message: '=Hello {{ $json.name }}!',
		});
		expect(execution.error).toBeUndefined();
		const { messages } = environment.simulator;
		expect(Object.fromEntries(messages.map(({ number, text }) => [number, text]))).toEqual({
			'+33639980011': 'Hello Customer 1!',
			'+33639980012': 'Hello Customer 2!',
			'+33639980013': 'Hello Customer 3!',
		});
		const results = execution.items('Node');
		expect(results.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		const receipts = new Map(messages.map(({ number, snapshotId }) => [number, snapshotId]));
		expect(results.map(({ json }) => json.snapshotId)).toEqual([
			receipts.get('+33639980011'),
			receipts.get('+33639980012'),
			receipts.get('+33639980013'),
		]);
	});
});

describe('sendByUrl (interface document 4.3)', () => {
	test('sends with query parameters', async () => {
		const { simulator } = environment;
		const execution = await runSms([{}], {
			operation: 'sendByUrl',
			number: '0639980001',
			message: 'Une question? 50% & plus',
			sender: 'MyShop',
		});

		expect(execution.error).toBeUndefined();
		expect(simulator.messages.map(({ text }) => text)).toEqual(['Une question? 50% & plus']);
		const [request] = simulator.requests;
		expect(`${request.method} ${request.path}`).toBe('GET /v2/notification/messages/send');
		expect(Object.fromEntries(request.query)).toEqual({
			apiKey: simulator.apiKey,
			identifier: '0639980001',
			sender: 'MyShop',
			message: 'Une question? 50% & plus',
		});
		expect(request.header('X-Service-ApiKey')).toBeUndefined();
	});
});

/**
 * The package on the versions of n8n that it is said to work on: all that a user does, once, and the
 * promises that rest on how n8n hands over what goes wrong on the network, which differs (n8n 1 keeps
 * no cause of an error).
 *
 * N8N_TEST_FOLDERS: the folders of test/harness with the versions, separated by commas.
 */
import axios from 'axios';
import { type CountryCode, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { credentialOf, packageName, startEnvironment, workflowOf } from '../e2e/support.mts';
import type { Environment } from '../e2e/support.mts';
import { type Execution, pollEvery } from '../harness/n8n.mts';
import { readManifest } from '../harness/package.mts';
import { COUNTRIES } from '../../nodes/shared/service/countries.ts';
import { linkOf, operations, prepare } from '../operations.mts';
import type { FaultAction } from '../simulator/index.mts';
import { nothingBeside, placed } from '../harness/settings.mts';

const folders = (process.env.N8N_TEST_FOLDERS ?? 'n8n').split(',');

const [FIRST, HIT, LAST] = ['+33639980001', '+33639980002', '+33639980003'];

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** The answer to a message that was accepted is lost, in each way that n8n hands over differently. */
const LOST: Array<[string, FaultAction]> = [
	['a reset after the message was accepted', { kind: 'resetAfterAccept' }],
	['an answer that ends in the middle', { kind: 'cutBody' }],
	['half of the JSON', { kind: 'truncatedJson', accept: true }],
	['no answer in time', { kind: 'noAnswerAfterAccept' }],
	['504 of a gateway', { kind: 'status', status: 504, accept: true }],
];

describe.each(folders)('%s', (install) => {
	let environment: Environment;
	beforeAll(async () => {
		environment = await startEnvironment({
			n8n: { install },
			simulator: { extended: true },
		});
	});
	afterAll(async () => await environment?.close());
	beforeEach(() => environment.simulator.reset());

	async function run(
		type: string,
		parameters: INodeParameters,
		{ items = [{}], ...settings }: Partial<INode> & { items?: IDataObject[] } = {},
	): Promise<Execution> {
		const { n8n } = environment;
		const { id } = await n8n.createWorkflow(workflowOf(items, type, parameters, settings));
		return await n8n.run(id);
	}

	/** Sends to three numbers, one after another. */
	async function sendThree(operation: string, settings: Partial<INode> = {}): Promise<Execution> {
		return await run('sms', threeParameters(operation), { items: three, ...settings });
	}

	/** The next send to the second number goes wrong. */
	function hit(action: FaultAction, times = 1): void {
		environment.simulator.faults.add({
			path: /\/messages\/send$/,
			match: ({ target, bodyText }) => decodeURIComponent(target + bodyText).includes(HIT),
			times,
			do: action,
		});
	}

	/** How many messages each of the three phones received. */
	function received(): number[] {
		return [FIRST, HIT, LAST].map((number) => environment.simulator.messagesTo(number).length);
	}

	test('is the version that its lock names, and loads the package', async () => {
		const { n8n } = environment;
		const folder = join(import.meta.dirname, '../harness', install, 'package.json');
		const { dependencies } = JSON.parse(await readFile(folder, 'utf8'));
		expect(n8n.version).toBe(dependencies.n8n);

		const { data } = await n8n.rest.get(`${n8n.url}/types/nodes.json`);
		const names: string[] = data.map(({ name }: { name: string }) => name);
		const { n8n: parts } = await readManifest();
		for (const file of parts.nodes) {
			const type = /(\w+)\.node\.js$/.exec(file)![1];
			expect(names).toContain(`${packageName}.${typeOf(type)}`);
		}
		const { data: credentials } = await n8n.rest.get(`${n8n.url}/types/credentials.json`);
		expect(credentials).toContainEqual(expect.objectContaining({ name: 'smsServiceApi' }));
	});

	test('tests the credential', async () => {
		const { n8n, simulator } = environment;
		const credential = credentialOf(simulator);
		expect(await n8n.testCredential('smsServiceApi', credential)).toMatchObject({
			status: 'OK',
		});
		const refused = await n8n.testCredential('smsServiceApi', {
			...credential,
			apiKey: 'another-key-0123456789',
		});
		expect(refused.status).toBe('Error');
		expect(refused.message).not.toContain('another-key');
	});

	const rows = operations.filter(({ waits }) => waits !== true);
	test.each(rows.map((row) => [`${row.node}: ${row.operation} ${row.what ?? ''}`, row]))(
		'%s',
		async (_, row) => {
			const { simulator } = environment;
			const { parameters, expected } = prepare(row, simulator);
			const execution = await run(typeOf(row.node), {
				operation: row.operation,
				...parameters,
			});

			expect(execution.error).toBeUndefined();
			const { lines, body, result, contains } = expected();
			const lineOf = ({ method, target }: { method: string; target: string }) =>
				`${method} ${target}`;
			const requests = simulator.requests.filter((made) => lineOf(made) !== row.forHint);
			expect(requests.map(lineOf)).toEqual(lines);
			const sent = requests.at(-1)?.bodyText ?? '';
			expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(body);
			if (result) expect(execution.json('Node')).toEqual([result]);
			if (contains) {
				expect(execution.json('Node')).toEqual([expect.objectContaining(contains)]);
			}
		},
	);

	test('knows the time zone of every country', async () => {
		const hours = { from: '00:00', to: '24:00', days: WEEK, holidays: false };
		const items = COUNTRIES.map(({ code }) => {
			const { number } = getExampleNumber(code as CountryCode, examples)!;
			// The example of the form is refused.
			return { to: code === 'FR' ? FIRST : number };
		});
		const execution = await run(
			'sms',
			{
				operation: 'sendBatch',
				number: '={{ $json.to }}',
				message: 'Bonjour',
				options: { allowedHours: { hours: { ...hours, timeZone: 'recipient' } } },
				safeguards: { dryRun: true, skipDuplicates: false },
			},
			{ items },
		);
		expect(execution.error).toBeUndefined();
		const outcomes = execution.json('Node').map(({ status, number }) => [status, number]);
		expect(outcomes).toEqual(items.map(({ to }) => ['wouldSend', to]));
	});

	test('sends to the countries of the credential only', async () => {
		const { n8n, simulator } = environment;
		const name = 'SMS to France only';
		const data = { ...credentialOf(simulator), allowedCountries: ['FR'] };
		const id = await n8n.createCredential('smsServiceApi', name, data);
		const credentials = { smsServiceApi: { id, name } };
		const to = [FIRST, '+447400123456', '+590690123456'];
		const execution = await run(
			'sms',
			{ operation: 'sendBatch', number: '={{ $json.to }}', message: 'Bonjour' },
			{ items: to.map((number) => ({ to: number })), credentials },
		);
		expect(execution.json('Node').map(({ status }) => status)).toEqual([
			'sent',
			'invalid',
			'sent',
		]);
		expect(simulator.messages.map(({ number }) => number).sort()).toEqual(
			[FIRST, to[2]].sort(),
		);
	});

	test('a question waits through a restart for what is pressed on its page', async () => {
		const { n8n, simulator } = environment;
		const { id } = await n8n.createWorkflow(
			workflowOf([{ order: 7 }], 'sms', {
				operation: 'sendAndWait',
				number: FIRST,
				message: '=Order {{ $json.order }}?',
				responseType: 'choice',
				choices: 'Monday\nTuesday',
			}),
		);
		const execution = await n8n.startRun(id);
		const status = async () => (await n8n.getExecution(execution)).status;
		await expect.poll(status, { timeout: 180_000 }).toBe('waiting');
		const link = new URL(linkOf(simulator)!);
		const visit = async (method: string, answer = '', address = link.href) =>
			await axios.request<string>({
				url: address.replace(link.origin, n8n.url),
				method,
				...(method === 'POST' ? { data: new URLSearchParams({ answer }) } : {}),
				// n8n 1 signs the host too.
				headers: { 'Accept-Language': 'fr', Host: link.host },
				proxy: false,
				validateStatus: () => true,
			});
		const page = await visit('GET');
		expect([page.status, page.data]).toEqual([200, expect.stringContaining('Order 7?')]);
		await visit('HEAD');
		expect((await visit('POST', 'Friday')).status).toBe(422);
		const forged = link.href.replace('q=0', 'q=1');
		expect((await visit('POST', 'Monday', forged)).status).toBe(401);
		await n8n.restart();
		expect(await status()).toBe('waiting');
		const pressed = await visit('POST', 'Tuesday');
		expect([pressed.status, pressed.data]).toEqual([
			200,
			expect.stringContaining('enregistrée'),
		]);
		const ended = await n8n.waitFor(execution);
		expect(ended.json('Node')).toMatchObject([
			{ answered: true, data: { choice: 'Tuesday' }, number: FIRST, status: 'sent' },
		]);
		await visit('POST', 'Monday');
		expect((await n8n.getExecution(execution)).json('Node')).toEqual(ended.json('Node'));
		expect(simulator.messages).toHaveLength(1);
	});

	describe.each(['send', 'sendByUrl'])('%s', (operation) => {
		test.each(LOST)(
			'%s: unknown, and found by a retry, which sends the rest',
			async (_, action) => {
				const { n8n } = environment;
				hit(action, Infinity);
				const stopped = await sendThree(operation, {
					retryOnFail: true,
					maxTries: 3,
					waitBetweenTries: 1,
				});
				expect(received()).toEqual([1, 1, 0]);
				expect(stopped.error?.message).toBe(`1 of 3 sent, 1 unknown (${HIT}), 1 not sent`);

				environment.simulator.faults.clear();
				const retried = await n8n.retryExecution(stopped.id);
				expect(retried.status).toBe('success');
				expect(received()).toEqual([1, 1, 1]);
			},
		);
	});

	test.each(LOST)('sendBatch, %s: found at its end, the rest is sent', async (_, action) => {
		hit(action, Infinity);
		const execution = await sendThree('sendBatch');
		expect(received()).toEqual([1, 1, 1]);
		expect(execution.json('Node').map(({ status }) => status)).toEqual([
			'sent',
			'sent',
			'sent',
		]);
	});

	test('a refused connection and an unknown host are certain: nothing was sent', async () => {
		const { n8n } = environment;
		for (const [name, baseUrl] of [
			['refused', 'http://127.0.0.1:9'],
			['unknown host', 'http://sms-service.invalid'],
		]) {
			const credential = { baseUrl, apiKey: 'test-key-0123456789', allowHttp: true };
			const id = await n8n.createCredential('smsServiceApi', name, credential);
			const execution = await sendThree('sendBatch', {
				credentials: { smsServiceApi: { id, name } },
				onError: 'continueRegularOutput',
			});
			const items = execution.json('Node');
			expect(items.map(({ status }) => status)).toEqual(['notSent', 'notSent', 'notSent']);
		}
	});

	test('a base URL that is none is told in its own words', async () => {
		const { n8n } = environment;
		const credential = { baseUrl: 'not an address', apiKey: 'test-key-0123456789' };
		const id = await n8n.createCredential('smsServiceApi', 'wrong', credential);
		const execution = await sendThree('send', {
			credentials: { smsServiceApi: { id, name: 'wrong' } },
		});
		expect(execution.error?.message).toContain("'Base URL'");
		expect(execution.error?.message).not.toMatch(/unknown whether/i);
		expect(environment.simulator.requests).toEqual([]);
	});

	test('Retry execution sends what is missing', async () => {
		const { n8n } = environment;
		hit({ kind: 'json', status: 400, body: { code: 11, error: 'invalid number' } });
		const stopped = await sendThree('send');
		expect(received()).toEqual([1, 0, 0]);
		const retried = await n8n.retryExecution(stopped.id);
		expect(retried.error).toBeUndefined();
		expect(received()).toEqual([1, 1, 1]);
	});

	test('once keys hold over executions', async () => {
		const { n8n } = environment;
		const { id } = await n8n.createWorkflow(
			workflowOf(three, 'sms', {
				...threeParameters('sendBatch'),
				...placed('Sms', 'sendBatch', {
					concurrency: 1,
					onceKey: '={{ $json.to }}',
					...nothingBeside('sendBatch'),
				}),
			}),
		);
		hit({ kind: 'resetAfterAccept' });
		const statuses = async () => (await n8n.run(id)).json('Node').map(({ status }) => status);
		expect(await statuses()).toEqual(['sent', 'sent', 'sent']);
		expect(await statuses()).toEqual(['skipped', 'skipped', 'skipped']);
		expect(received()).toEqual([1, 1, 1]);
	});

	test('the trigger gives each reply once, over a restart', async () => {
		const { n8n, simulator } = environment;
		const { id } = await n8n.createWorkflow({
			name: 'Replies',
			nodes: [
				{
					name: 'Trigger',
					type: `${packageName}.smsTrigger`,
					parameters: { pollTimes: pollEvery(1), events: ['reply'], categories: 'a' },
					credentials: { smsServiceApi: { id: null, name: 'SMS Service account' } },
				},
				{ name: 'After', type: 'n8n-nodes-base.noOp', parameters: {} },
			],
			connections: { Trigger: { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
		});
		/** The texts that executions were started with, oldest first. */
		const texts = async () => {
			const found: unknown[] = [];
			for (const { id: execution } of (await n8n.listExecutions(id)).reverse()) {
				const items = (await n8n.getExecution(execution)).json('Trigger');
				found.push(...items.map(({ message }) => message));
			}
			return found;
		};
		const reply = (text: string) => simulator.reply(FIRST, text, { category: 'a' });

		simulator.service.accept({
			kind: 'notification',
			number: FIRST,
			text: 'Hello',
			category: 'a',
		});
		reply('before');
		await n8n.activate(id);
		reply('first');
		await expect.poll(texts, { timeout: 180_000, interval: 500 }).toEqual(['first']);
		await n8n.restart();
		reply('second');
		await expect.poll(texts, { timeout: 180_000, interval: 500 }).toEqual(['first', 'second']);
		const { requestCount } = simulator;
		await expect
			.poll(() => simulator.requestCount, { timeout: 180_000, interval: 500 })
			.toBeGreaterThanOrEqual(requestCount + 2);
		await sleep(500);
		expect(await texts()).toEqual(['first', 'second']);
		await n8n.deactivate(id);
	});

	test('the key is in no log', () => {
		const { n8n, simulator } = environment;
		expect(n8n.log).not.toContain(simulator.apiKey);
	});
});

const three = [FIRST, HIT, LAST].map((to) => ({ to }));

function threeParameters(operation: string): INodeParameters {
	return {
		operation,
		number: '={{ $json.to }}',
		message: 'Your order has been shipped',
		...placed('Sms', operation, { concurrency: 1, ...nothingBeside(operation) }),
		requestOptions: { timeout: 3_000 },
	};
}

/** `SmsList` is the type `smsList`. */
function typeOf(node: string): string {
	return node[0].toLowerCase() + node.slice(1);
}

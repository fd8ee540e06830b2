/**
 * Where one run ends and the next begins, in a real n8n: each of these once broke. What a test asserts is
 * a table of figures, counted at the service and read from n8n's own executions; the expectations come
 * from the design (guarantees 1 to 5 and 8) and from the interface document.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { phones, Received } from '../e2e/delivery-support.mts';
import {
	credentialName,
	credentialOf,
	type Environment,
	packageName,
	startEnvironment,
	workflowOf,
} from '../e2e/support.mts';
import { connected, McpClient } from '../harness/mcp.mts';
import { type Model, startModel } from '../harness/model.mts';
import type { Execution, WorkflowDefinition } from '../harness/n8n.mts';
import { listOf } from '../operations.mts';
import {
	type FaultAction,
	GATEWAY_ANSWERS,
	startSimulator,
	WAF_PAGE,
} from '../simulator/index.mts';

/** With characters that are written differently in a URL, in letters of both cases. */
const API_KEY = 'abc!DEF(123)xyz+/seams';
const SEND = /\/messages\/send$/;
const SENDING = ['send', 'sendByUrl', 'sendBatch'];
const FOR_EVER = Infinity;
const RETRY_ON_FAIL: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
const ERROR_OUTPUT: Partial<INode> = { onError: 'continueErrorOutput' };

/** A node of somebody else's, whose second item refers to itself. */
const CIRCLE = `exports.Circle = class {
	description = {
		displayName: 'Circle', name: 'circle', group: ['transform'], version: 1, description: '',
		defaults: { name: 'Circle' }, inputs: ['main'], outputs: ['main'], properties: [],
	};
	async execute() {
		const items = this.getInputData();
		items[1].json.self = items[1].json;
		return [items];
	}
};`;

let environment: Environment;
let otherNodes: string;
beforeAll(async () => {
	otherNodes = await mkdtemp(join(tmpdir(), 'nodes-'));
	await writeFile(join(otherNodes, 'Circle.node.js'), CIRCLE);
	environment = await startEnvironment({
		n8n: { env: { N8N_CUSTOM_EXTENSIONS: otherNodes } },
		simulator: { extended: true, apiKey: API_KEY },
	});
});
afterAll(async () => {
	await environment?.close();
	await rm(otherNodes, { recursive: true, force: true });
});
beforeEach(() => environment.simulator.reset());

const people = (count: number, from = 0): IDataObject[] =>
	phones(count, from).map((to) => ({ to, text: 'Bonjour' }));

/** SMS over these items, one after another. */
function sms(
	operation: string,
	items: IDataObject[],
	options: IDataObject = {},
	settings: Partial<INode> = {},
): WorkflowDefinition {
	return workflowOf(items, 'sms', parametersOf(operation, options), settings);
}

function parametersOf(operation: string, options: IDataObject = {}): INodeParameters {
	// What is looked at here comes before a look-up, and requests are counted.
	const bare = operation === 'sendBatch' ? { lookUpUnknown: false, checkBalance: false } : {};
	return {
		operation,
		number: '={{ $json.to }}',
		message: '={{ $json.text }}',
		options: { concurrency: 1, ...bare, ...options } as INodeParameters,
	};
}

async function run(workflow: WorkflowDefinition): Promise<Execution> {
	const { n8n } = environment;
	return await n8n.run((await n8n.createWorkflow(workflow)).id);
}

/** Saves an execution's workflow with another definition of SMS, items included. */
async function save({ summary }: Execution, workflow: WorkflowDefinition): Promise<string> {
	const { n8n } = environment;
	const id = summary.workflowId;
	const { nodes } = await n8n.getWorkflow(id);
	const known = new Map(nodes.map((node) => [node.name, node]));
	await n8n.updateWorkflow(id, {
		nodes: workflow.nodes.map((node) => ({
			id: crypto.randomUUID(),
			typeVersion: 1,
			position: [0, 0],
			...known.get(node.name),
			...node,
			credentials: known.get(node.name)?.credentials ?? node.credentials,
		})),
		connections: workflow.connections,
		pinData: workflow.pinData,
	});
	return id;
}

/** Runs the workflow of an execution once more, with other items or options. */
async function runAgain(before: Execution, workflow: WorkflowDefinition): Promise<Execution> {
	return await environment.n8n.run(await save(before, workflow));
}

/** "Retry execution" with the currently saved workflow, after it was edited. */
async function retryCorrected(before: Execution, workflow: WorkflowDefinition): Promise<Execution> {
	await save(before, workflow);
	return await environment.n8n.retryExecution(before.id, true);
}

/** How the service answers the sends from the n-th on. */
function answer(action: FaultAction, { skip = 0, times = 1 } = {}): void {
	environment.simulator.faults.add({ path: SEND, skip, times, do: action });
}

const refusal = (code: number, status = 400): FaultAction => ({
	kind: 'json',
	status,
	body: { code, error: 'Refused' },
});

/** How many messages reached the phones, and how many numbers got two or more. */
function arrived(): { messages: number; twice: number } {
	const { simulator } = environment;
	return { messages: simulator.messages.length, twice: new Received(simulator).twice.length };
}

/** How many items have each status. */
function statuses(items: IDataObject[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of items) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
	return counts;
}

/** All that a user is told: the error, and the items of both outputs. */
function told(execution: Execution): string {
	const { message, description } = execution.error ?? {};
	const items = [...execution.json('Node'), ...execution.json('Node', 1)];
	return [message, description, JSON.stringify(items)].join('\n');
}

const saysUnknown = (execution: Execution) => /unknown/i.test(told(execution));

/** n8n's database, for a failure of its store that n8n offers no switch for. */
function inDatabase<T>(work: (database: DatabaseSync) => T): T {
	const { userFolder } = environment.n8n;
	const file = join(userFolder, '.n8n/database.sqlite');
	const database = new DatabaseSync(file, { timeout: 10_000 });
	try {
		return work(database);
	} finally {
		database.close();
	}
}

/** From now on, n8n's deduplication store takes so many writes for a workflow, and then no more. */
function limitStore(workflowId: string, writes: number): void {
	inDatabase((database) => {
		database.exec(`
			CREATE TABLE IF NOT EXISTS seams_limit (workflow TEXT PRIMARY KEY, writes INTEGER);
			CREATE TRIGGER IF NOT EXISTS seams_refuse BEFORE UPDATE ON processed_data
				WHEN (SELECT writes FROM seams_limit WHERE workflow = NEW.workflowId) <= 0
				BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END;
			CREATE TRIGGER IF NOT EXISTS seams_count AFTER UPDATE ON processed_data
				BEGIN UPDATE seams_limit SET writes = writes - 1 WHERE workflow = NEW.workflowId; END;
		`);
		database.prepare('INSERT INTO seams_limit VALUES (?, ?)').run(workflowId, writes);
	});
}

/** It takes everything again. */
function freeStore(): void {
	inDatabase((database) => {
		database.exec(`
			DROP TRIGGER IF EXISTS seams_refuse;
			DROP TRIGGER IF EXISTS seams_count;
			DROP TABLE IF EXISTS seams_limit;
		`);
	});
}

/** n8n's Remove Duplicates node, in front of SMS. */
function behindRemoveDuplicates(
	workflow: WorkflowDefinition,
	parameters: INodeParameters,
): WorkflowDefinition {
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
	return {
		...workflow,
		nodes: [
			...workflow.nodes,
			{
				name: 'New ones',
				type: 'n8n-nodes-base.removeDuplicates',
				typeVersion: 2,
				parameters: { operation: 'removeItemsSeenInPreviousExecutions', ...parameters },
			},
		],
		connections: { Start: to('New ones'), 'New ones': to('Node') },
	};
}

const KEYED = { onceKey: '={{ $json.to }}' };

describe('1. a once key is released only by the run that claimed it', () => {
	const old = people(100);
	// More new ones than are claimed at once: the old ones are claimed late, or never.
	const more = [...people(300, 1_000), ...old];
	const options = { ...KEYED, concurrency: 20 };

	/** Spoils the second run, in which the 300 new ones come first. */
	const SPOILS: Array<[why: string, spoil: () => void]> = [
		['credit runs out', () => environment.simulator.service.setCredits(10)],
		['the key is refused', () => answer(refusal(72, 401), { skip: 10, times: FOR_EVER })],
		[
			'the service is down',
			() =>
				answer(
					{ kind: 'status', status: 503, headers: { 'Retry-After': '0' } },
					{ skip: 10, times: FOR_EVER },
				),
		],
		['it is stopped', () => answer({ kind: 'delay', ms: 200 }, { times: FOR_EVER })],
	];

	test.each(SPOILS)(
		'100 sent; 300 new and the same 100, and %s; the 100 again',
		async (why, spoil) => {
			const { n8n, simulator } = environment;
			const first = await run(sms('sendBatch', old, options));
			spoil();
			const id = await save(first, sms('sendBatch', more, options));
			const executionId = await n8n.startRun(id);
			if (why === 'it is stopped') {
				while (simulator.messages.length < 110) await sleep(10);
				await n8n.stopExecution(executionId);
			}
			await n8n.waitFor(executionId);
			// What was under way when the run was stopped.
			while (simulator.inFlight > 0) await sleep(10);
			await sleep(500);
			simulator.faults.clear();
			simulator.service.setCredits(10_000);

			const third = await runAgain(first, sms('sendBatch', old, options));
			expect({ third: statuses(third.json('Node')), twice: arrived().twice }).toEqual({
				third: { skipped: 100 },
				twice: 0,
			});
		},
	);
});

describe("2. what is no evidence of the service's is unknown", () => {
	const LOST: Array<[string, FaultAction]> = [
		...GATEWAY_ANSWERS.map((action): [string, FaultAction] => [
			`${action.status} ${JSON.stringify(action.body)}`,
			action,
		]),
		// An error that n8n hands over in no form of its own: neither a status nor a reset.
		[
			'an answer that can not be decompressed',
			{
				kind: 'status',
				status: 200,
				body: 'not gzip',
				contentType: 'application/json',
				headers: { 'Content-Encoding': 'gzip' },
				accept: true,
			},
		],
	];

	describe.each(SENDING)('%s', (operation) => {
		test.each(LOST)(
			'%s, once: Retry On Fail and Retry execution send nothing again',
			async (_, action) => {
				answer(action);
				const first = await run(sms(operation, people(1), {}, RETRY_ON_FAIL));
				// n8n retries what has failed only; an outcome of Send Batch is no failure.
				const last =
					first.status === 'error'
						? await environment.n8n.retryExecution(first.id)
						: first;
				expect({ ...arrived(), unknown: saysUnknown(last) }).toEqual({
					messages: 1,
					twice: 0,
					unknown: true,
				});
			},
		);
	});

	test('an error of no known form stops no batch', async () => {
		answer(LOST.at(-1)![1]);
		const execution = await run(sms('sendBatch', people(3)));
		expect({ ...arrived(), ...statuses(execution.json('Node')) }).toEqual({
			messages: 3,
			twice: 0,
			unknown: 1,
			sent: 2,
		});
	});
});

describe('3. as a tool that is invoked', () => {
	let tools: McpClient;
	let model: Model;
	let agent: string;
	beforeAll(async () => {
		const { n8n } = environment;
		const fromModel = (name: string) => `={{ $fromAI('${name}', 'The ${name}', 'string') }}`;
		const send = {
			name: 'Send',
			type: `${packageName}.smsTool`,
			parameters: {
				operation: 'send',
				number: fromModel('number'),
				message: fromModel('message'),
			},
			credentials: { smsServiceApi: { id: null, name: credentialName } },
		};
		tools = await McpClient.connect(n8n, [send]);
		model = await startModel();
		await n8n.createCredential('openAiApi', 'Model', { apiKey: 'none', url: model.baseUrl });
		const { id } = await n8n.createWorkflow({
			name: 'Agent',
			nodes: [
				{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} },
				{
					name: 'Agent',
					type: '@n8n/n8n-nodes-langchain.agent',
					// From 3 on, an agent asks the engine to run its tools.
					typeVersion: 2.2,
					parameters: { promptType: 'define', text: 'Go', options: {} },
				},
				{
					name: 'Model',
					type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
					typeVersion: 1.2,
					parameters: {
						model: { __rl: true, mode: 'id', value: 'test' },
						options: { maxRetries: 0 },
					},
					credentials: { openAiApi: { id: null, name: 'Model' } },
				},
				send,
			],
			connections: {
				Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
				Model: {
					ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]],
				},
				...connected([send], 'Agent'),
			},
		});
		agent = id;
	});
	afterAll(async () => {
		await tools?.close();
		await model?.close();
	});

	const [NUMBER, OTHER] = phones(2);

	test('one lost answer blocks no other SMS of the same agent, in one execution', async () => {
		const { n8n, simulator } = environment;
		answer({ kind: 'resetAfterAccept' });
		model.plan(
			'Send',
			{ number: NUMBER, message: 'One' },
			{ number: NUMBER, message: 'Two' },
			{ number: OTHER, message: 'One' },
			{ number: OTHER, message: 'Three' },
		);
		await n8n.run(agent);
		const last = simulator.messages.at(-1)!;
		expect({
			messages: simulator.messages.length,
			lastConfirmed: model.heard()?.includes(last.snapshotId),
		}).toEqual({ messages: 4, lastConfirmed: true });
	});

	test('one lost answer blocks no other SMS through the MCP Server Trigger', async () => {
		const { simulator } = environment;
		answer({ kind: 'resetAfterAccept' });
		await tools.call('Send', { number: NUMBER, message: 'One' });
		const texts = [
			await tools.call('Send', { number: NUMBER, message: 'Two' }),
			await tools.call('Send', { number: OTHER, message: 'One' }),
			await tools.call('Send', { number: OTHER, message: 'Three' }),
		].map(({ text }) => text);
		const confirmed = texts.filter((text) =>
			simulator.messages.some(({ snapshotId }) => text.includes(snapshotId)),
		);
		expect({ messages: simulator.messages.length, confirmed: confirmed.length }).toEqual({
			messages: 4,
			confirmed: 3,
		});
	});

	test.each(['resetAfterAccept', 'resetBeforeRead'] as const)(
		'%s: the model reads that it is unknown, and not to try again',
		async (kind) => {
			answer({ kind });
			const { text } = await tools.call('Send', { number: NUMBER, message: 'One' });
			expect({
				unknown: /unknown whether|may have been sent/i.test(text),
				tryAgain: /retry the request|try again|immediately/i.test(text),
			}).toEqual({ unknown: true, tryAgain: false });
		},
	);
});

describe('4. the recovery that the README describes sends nothing twice', () => {
	const CORRECTIONS: Array<[operation: string, what: string, options: IDataObject]> = [
		['send', 'the sender', {}],
		['send', 'the sender, category and campaign name', { category: 'a', campaignName: 'A' }],
		['send', 'the sender and the date', { date: '2031-05-05T10:00:00' }],
		['sendByUrl', 'the sender', {}],
	];
	test.each(CORRECTIONS)(
		'%s: the fourth of five refused, %s corrected, Retry execution with the saved workflow',
		async (operation, _, corrected) => {
			answer(refusal(20), { skip: 3 });
			const failed = await run(sms(operation, people(5), { sender: 'BadShop' }));
			const correction = sms(operation, people(5), { sender: 'OurShop', ...corrected });
			const retried = await retryCorrected(failed, correction);
			const ids = new Set(environment.simulator.messages.map(({ snapshotId }) => snapshotId));
			const receipts = retried
				.json('Node')
				.filter(({ snapshotId }) => ids.has(`${snapshotId}`));
			expect({ status: retried.status, ...arrived(), receipts: receipts.length }).toEqual({
				status: 'success',
				messages: 5,
				twice: 0,
				receipts: 5,
			});
		},
	);
});

describe("5. 'Resend if Unknown' whose attempt certainly fails leaves it unknown", () => {
	const FAILING: Array<[string, FaultAction]> = [
		['no credit', refusal(71, 402)],
		["a firewall's page", WAF_PAGE],
		['429', { kind: 'tooManyRequests', retryAfter: 0 }],
	];

	describe.each(['send', 'sendByUrl'])('%s', (operation) => {
		test.each(FAILING)('%s', async (_, action) => {
			answer({ kind: 'resetAfterAccept' });
			const plain = sms(operation, people(1));
			const first = await run(plain);
			answer(action, { times: FOR_EVER });
			const resending = sms(operation, people(1), { resendUnknown: true });
			const second = await retryCorrected(first, resending);
			environment.simulator.faults.clear();
			const third = await retryCorrected(second, plain);
			expect({ ...arrived(), unknown: saysUnknown(third) }).toEqual({
				messages: 1,
				twice: 0,
				unknown: true,
			});
		});
	});

	test.each(FAILING)('sendBatch, a once key over three executions: %s', async (_, action) => {
		answer({ kind: 'resetAfterAccept' });
		const plain = sms('sendBatch', people(1), KEYED);
		const first = await run(plain);
		answer(action, { times: FOR_EVER });
		await runAgain(first, sms('sendBatch', people(1), { ...KEYED, resendUnknown: true }));
		environment.simulator.faults.clear();
		const third = await runAgain(first, plain);
		expect({ ...arrived(), ...statuses(third.json('Node')) }).toEqual({
			messages: 1,
			twice: 0,
			unknown: 1,
		});
	});
});

describe('6. Send Batch tells what became of each item, whatever fails around it', () => {
	/** What left by the success output, and by the error output. */
	const outputs = (execution: Execution) => ({
		messages: environment.simulator.messages.length,
		success: execution.items('Node').length,
		error: statuses(execution.json('Node', 1)),
	});
	const NOTHING_SENT = { messages: 0, success: 0, error: { notSent: 3 } };

	test.each(['unsubscribers', 'bounces'])(
		'the list of %s can not be had, with the error output',
		async (kind) => {
			environment.simulator.faults.add({
				path: `/v2/${kind}/default/contacts`,
				times: FOR_EVER,
				do: { kind: 'html200' },
			});
			const options = { skipBlacklisted: true };
			const execution = await run(sms('sendBatch', people(3), options, ERROR_OUTPUT));
			expect(outputs(execution)).toEqual(NOTHING_SENT);
		},
	);

	/** A Remove Duplicates node that was in the workflow before has left a row of another mode. */
	async function withUnusableStore(settings: Partial<INode>): Promise<Execution> {
		const workflow = sms('sendBatch', people(3), KEYED, settings);
		const before = await run(
			behindRemoveDuplicates(sms('preview', [{ order: 1, to: phones(1)[0], text: 'A' }]), {
				logic: 'removeItemsUpToStoredIncrementalKey',
				incrementalDedupeValue: '={{ $json.order }}',
				options: { scope: 'workflow' },
			}),
		);
		expect(before.status).toBe('success');
		return await runAgain(before, workflow);
	}

	test("n8n's store of keys can not be had, with the error output", async () => {
		expect(outputs(await withUnusableStore(ERROR_OUTPUT))).toEqual(NOTHING_SENT);
	});

	test("n8n's store of keys can not be had: the run stops", async () => {
		const execution = await withUnusableStore({});
		expect({ status: execution.status, messages: arrived().messages }).toEqual({
			status: 'error',
			messages: 0,
		});
		expect(told(execution)).toMatch(/store/);
	});

	test.each<[string, Partial<INode>]>([
		['stopping', {}],
		['with the error output', ERROR_OUTPUT],
	])(
		'the store fails midway: each item is told, and nothing leaves afterwards (%s)',
		async (_, settings) => {
			const { n8n, simulator } = environment;
			answer({ kind: 'delay', ms: 40 }, { times: FOR_EVER });
			const options = { ...KEYED, concurrency: 10 };
			const { id } = await n8n.createWorkflow(
				sms('sendBatch', people(1_500), options, settings),
			);
			const executionId = await n8n.startRun(id);
			while (simulator.messages.length === 0) await sleep(5);
			limitStore(id, 0);
			try {
				const execution = await n8n.waitFor(executionId);
				await sleep(1_000);
				const { messages } = arrived();
				const end = Date.parse(execution.summary.stoppedAt!);
				const late = simulator.requests.filter(({ receivedAt }) => receivedAt > end);
				const shown = [...execution.json('Node'), ...execution.json('Node', 1)];
				const receipts = shown.filter(({ snapshotId }) => snapshotId !== undefined);
				expect(messages).toBeLessThan(1_500);
				expect({
					shown: shown.length,
					withoutStatus: shown.filter(({ status }) => typeof status !== 'string').length,
					receiptsMissing: messages - receipts.length,
					sentAfterTheEnd: late.length,
				}).toEqual({
					shown: 1_500,
					withoutStatus: 0,
					receiptsMissing: 0,
					sentAfterTheEnd: 0,
				});
			} finally {
				freeStore();
			}
		},
	);

	test('the credential is deleted while messages are under way: their results are not lost', async () => {
		const { n8n, simulator } = environment;
		const name = 'Deleted soon';
		const credential = await n8n.createCredential('smsServiceApi', name, {
			...credentialOf(simulator),
		});
		answer({ kind: 'delay', ms: 1_500 }, { times: FOR_EVER });
		const { id } = await n8n.createWorkflow(
			sms(
				'sendBatch',
				people(3),
				{ concurrency: 3 },
				{ credentials: { smsServiceApi: { id: credential, name } } },
			),
		);
		const executionId = await n8n.startRun(id);
		while (simulator.messages.length < 3) await sleep(5);
		await n8n.rest.delete(`/credentials/${credential}`);
		const execution = await n8n.waitFor(executionId);
		expect({ status: execution.status, ...statuses(execution.json('Node')) }).toEqual({
			status: 'success',
			sent: 3,
		});
	});
});

describe("7. 'Requests per Second' holds after a pause that the service asked for", () => {
	test.each(SENDING)(
		'%s: twelve at four per second, the first one answered 429',
		async (operation) => {
			const { simulator } = environment;
			answer({ kind: 'tooManyRequests', retryAfter: 2 });
			const options = { requestsPerSecond: 4, concurrency: 12 };
			await run(sms(operation, people(12), options));
			const times = simulator.requests.map(({ receivedAt }) => receivedAt);
			const within = times.map(
				(start) => times.filter((time) => time >= start && time < start + 1_000).length,
			);
			expect(arrived()).toEqual({ messages: 12, twice: 0 });
			// Four; two more leave room for a machine that is busy.
			expect(Math.max(...within)).toBeLessThanOrEqual(6);
		},
	);
});

describe('8. overseas numbers in both formats are one number', () => {
	const OVERSEAS: Array<[typed: string, stored: string]> = [
		['0690 12 34 56', '+590690123456'],
		['0691 12 34 56', '+590691123456'],
		['0694 12 34 56', '+594694123456'],
		['0696 12 34 56', '+596696123456'],
		['0697 12 34 56', '+596697123456'],
		['0692 12 34 56', '+262692123456'],
		['0693 12 34 56', '+262693123456'],
		['0639 12 34 56', '+262639123456'],
		// Kept for fiction, in mainland France.
		['0639 98 34 56', '+33639983456'],
	];
	const typed = OVERSEAS.map(([to]) => ({ to, text: 'Bonjour' }));
	const stored = OVERSEAS.map(([, to]) => ({ to, text: 'Bonjour' }));
	const stopped = () => {
		const { service } = environment.simulator;
		for (const [, number] of OVERSEAS) service.addToBlacklist('unsubscribers', number);
	};

	test("a STOP of each is honoured by 'Skip Blacklisted Numbers'", async () => {
		stopped();
		const execution = await run(sms('sendBatch', typed, { skipBlacklisted: true }));
		const sends = environment.simulator.requestsTo('POST', SEND).length;
		expect({ ...statuses(execution.json('Node')), sends }).toEqual({ skipped: 9, sends: 0 });
	});

	test('SMS Blacklist finds each', async () => {
		stopped();
		const parameters = { operation: 'check', number: '={{ $json.to }}' };
		const execution = await run(workflowOf(typed, 'smsBlacklist', parameters));
		expect(execution.json('Node').filter(({ listed }) => listed === true)).toHaveLength(9);
	});

	test.each(['send', 'sendBatch'])("%s: 'Skip Duplicates' sees each pair", async (operation) => {
		await run(sms(operation, [...typed, ...stored], { skipDuplicates: true }));
		expect(environment.simulator.messages).toHaveLength(9);
	});
});

// n8n's Code node and its expressions refuse to make such an item; another community node can.
describe('9. an item that can not be written as JSON', () => {
	test.each(SENDING)('%s comes to an end, and sends all or nothing', async (operation) => {
		const { n8n } = environment;
		const workflow = sms(operation, people(2));
		const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });
		workflow.nodes.push({ name: 'Circle', type: 'CUSTOM.circle', parameters: {} });
		workflow.connections = { Start: to('Circle'), Circle: to('Node') };
		const { id } = await n8n.createWorkflow(workflow);
		const execution = await n8n.run(id, { timeoutMs: 30_000 });
		expect(execution.data.resultData.lastNodeExecuted).toBe('Node');
		expect(arrived().messages).toBe(execution.status === 'success' ? 2 : 0);
	});
});

describe('10. what was deleted or emptied once', () => {
	interface Deletion {
		type: string;
		parameters: INodeParameters;
		items: IDataObject[];
		/** How many of the three are still there. */
		left: () => number;
	}
	const NUMBERS = phones(3);

	const DELETIONS: Record<string, () => Deletion> = {
		'SMS Blacklist remove': () => {
			const { service } = environment.simulator;
			for (const number of NUMBERS) service.addToBlacklist('unsubscribers', number);
			return {
				type: 'smsBlacklist',
				parameters: { operation: 'remove', number: '={{ $json.to }}' },
				items: NUMBERS.map((to) => ({ to })),
				left: () => service.blacklist('unsubscribers').size,
			};
		},
		'SMS List delete': () => {
			const { service } = environment.simulator;
			return {
				type: 'smsList',
				parameters: { operation: 'delete', list: listOf('={{ $json.id }}', 'id') },
				items: NUMBERS.map((name) => ({ id: service.createList(name).id })),
				left: () => service.lists.size,
			};
		},
		'SMS List deleteColumn': () => {
			const columns = ['A', 'B', 'C'].map((name) => ({ name }));
			const list = environment.simulator.service.createList('Customers', columns);
			return {
				type: 'smsList',
				parameters: {
					operation: 'deleteColumn',
					list: listOf(list.id, 'id'),
					column: '={{ $json.name }}',
				},
				items: columns,
				left: () => list.fields.length,
			};
		},
		'SMS Contact delete by number': () => {
			const list = environment.simulator.service.createList('Customers');
			for (const number of NUMBERS) list.addContact(number);
			return {
				type: 'smsContact',
				parameters: {
					operation: 'delete',
					list: listOf(list.id, 'id'),
					number: '={{ $json.to }}',
				},
				items: NUMBERS.map((to) => ({ to })),
				left: () => list.contacts.length,
			};
		},
		'SMS Contact delete by ID': () => {
			const list = environment.simulator.service.createList('Customers');
			return {
				type: 'smsContact',
				parameters: {
					operation: 'delete',
					deleteBy: 'id',
					list: listOf(list.id, 'id'),
					contactId: '={{ $json.id }}',
				},
				items: NUMBERS.map((number) => ({ id: list.addContact(number).id })),
				left: () => list.contacts.length,
			};
		},
	};
	const NAMES = Object.keys(DELETIONS);
	const runOf = async ({ type, parameters, items }: Deletion) => {
		const oneByOne = { ...parameters, options: { concurrency: 1 } };
		return await run(workflowOf(items, type, oneByOne));
	};
	const figures = (execution: Execution, { left }: Deletion) => ({
		status: execution.status,
		deleted: execution.json('Node').filter(({ deleted }) => deleted === true).length,
		left: left(),
	});
	const DONE = { status: 'success', deleted: 3, left: 0 };
	const BUSY = refusal(4711);

	test.each(NAMES)('%s: carried out, and the answer lost', async (name) => {
		const deletion = DELETIONS[name]();
		environment.simulator.faults.add({ method: 'DELETE', do: { kind: 'resetAfterAccept' } });
		expect(figures(await runOf(deletion), deletion)).toEqual(DONE);
	});

	test.each(NAMES)(
		'%s: stopped at the second item, finished by Retry execution',
		async (name) => {
			const deletion = DELETIONS[name]();
			environment.simulator.faults.add({ method: 'DELETE', skip: 1, do: BUSY });
			const stopped = await runOf(deletion);
			expect(stopped.status).toBe('error');
			const retried = await environment.n8n.retryExecution(stopped.id);
			expect(figures(retried, deletion)).toEqual(DONE);
		},
	);

	test('SMS List empty: a list that was refilled is not emptied again by Retry execution', async () => {
		const { n8n, simulator } = environment;
		const lists = NUMBERS.map((name) => simulator.service.createList(name));
		for (const { id } of lists) simulator.service.addContacts(id, 2);
		simulator.faults.add({ path: /\/empty$/, skip: 1, do: BUSY });
		const stopped = await runOf({
			type: 'smsList',
			parameters: { operation: 'empty', list: listOf('={{ $json.id }}', 'id') },
			items: lists.map(({ id }) => ({ id })),
			left: () => 0,
		});
		simulator.service.addContacts(lists[0].id, 5);
		const retried = await n8n.retryExecution(stopped.id);
		expect({
			status: retried.status,
			contacts: lists.map(({ contacts }) => contacts.length),
		}).toEqual({ status: 'success', contacts: [5, 0, 0] });
	});
});

describe('11. the key appears nowhere', () => {
	const capitals = encodeURIComponent(API_KEY).replace(
		/[!'()*]/g,
		(one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	const SPELLINGS: Array<[how: string, spelled: string]> = [
		['as it is', API_KEY],
		['as encodeURIComponent writes it', encodeURIComponent(API_KEY)],
		['percent-encoded in capitals', capitals],
		[
			'percent-encoded in small letters',
			capitals.replace(/%../g, (code) => code.toLowerCase()),
		],
	];
	/** Whether a text has the key, in whatever spelling. */
	const hasKey = (text: string) =>
		text
			.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
			.includes(API_KEY);
	const echo = (spelled: string, path: RegExp) => {
		const body = { code: 4711, error: `No access with apiKey=${spelled}` };
		const action: FaultAction = { kind: 'json', status: 400, body };
		environment.simulator.faults.add({ path, times: FOR_EVER, do: action });
	};

	test.each(SPELLINGS)('%s, in what the service answers', async (_, spelled) => {
		echo(spelled, SEND);
		for (const operation of SENDING) {
			for (const settings of [{}, ERROR_OUTPUT]) {
				const execution = await run(sms(operation, people(1), {}, settings));
				expect(told(execution)).toMatch(/apiKey/);
				expect({ operation, hasKey: hasKey(JSON.stringify(execution)) }).toEqual({
					operation,
					hasKey: false,
				});
			}
		}
	});

	test.each(SPELLINGS)('%s, in what the blacklists answer', async (_, spelled) => {
		echo(spelled, /contacts$/);
		const execution = await run(sms('sendBatch', people(1), { skipBlacklisted: true }));
		expect(told(execution)).toMatch(/apiKey/);
		expect(hasKey(JSON.stringify(execution))).toBe(false);
	});

	const TYPED: Array<[type: string, operation: string, parameters: INodeParameters]> = [
		['sms', 'send', { number: API_KEY, message: 'Bonjour' }],
		['sms', 'sendByUrl', { number: API_KEY, message: 'Bonjour' }],
		['sms', 'sendBatch', { number: API_KEY, message: 'Bonjour' }],
		['sms', 'preview', { number: API_KEY, message: 'A', options: { sender: API_KEY } }],
		['smsBlacklist', 'add', { number: API_KEY }],
		['smsBlacklist', 'check', { number: API_KEY }],
		['smsContact', 'add', { list: listOf('1', 'id'), number: API_KEY }],
		['smsContact', 'import', { list: listOf('1', 'id'), number: API_KEY }],
		['smsStats', 'messageStatus', { lookupBy: 'number', number: API_KEY }],
		['smsCampaign', 'sendTest', { campaign: listOf('1', 'id'), number: API_KEY }],
	];
	test.each(TYPED)('%s %s: typed into another field', async (type, operation, parameters) => {
		for (const settings of [{}, ERROR_OUTPUT]) {
			const workflow = workflowOf([{}], type, { operation, ...parameters }, settings);
			expect(hasKey(told(await run(workflow)))).toBe(false);
		}
	});

	test("in no line of n8n's log", () => {
		expect(environment.n8n.log.length).toBeGreaterThan(0);
		expect(hasKey(environment.n8n.log)).toBe(false);
	});
});

describe("12. the credential in n8n's HTTP Request node", () => {
	/** n8n's own node, with the credential of the package. */
	function httpRequest(typeVersion: number, url: string): WorkflowDefinition {
		const workflow = workflowOf([{}], 'sms', {});
		workflow.nodes[1] = {
			...workflow.nodes[1],
			type: 'n8n-nodes-base.httpRequest',
			typeVersion,
			parameters: {
				url,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'smsServiceApi',
				options: {},
			},
		};
		return workflow;
	}

	describe.each([3, 4, 4.1, 4.2, 4.3, 4.4, 4.5])('version %s', (version) => {
		test('gets the account statistics', async () => {
			const url = `${environment.simulator.baseUrl}/v2/account/stats`;
			const execution = await run(httpRequest(version, url));
			expect(execution.error?.message).toBeUndefined();
			expect(execution.json('Node')[0]).toHaveProperty('credits');
		});

		test.each([301, 302, 303, 307, 308])(
			'a redirect (%s) to another origin does not carry the key',
			async (status) => {
				const { simulator } = environment;
				const elsewhere = await startSimulator();
				try {
					const location = `${elsewhere.baseUrl}/v2/account/stats`;
					simulator.faults.add({ do: { kind: 'redirect', status, location } });
					await run(httpRequest(version, `${simulator.baseUrl}/v2/account/stats`));
					expect(simulator.requests).toHaveLength(1);
					expect(withKey(elsewhere.requests)).toBe(0);
				} finally {
					await elsewhere.close();
				}
			},
		);

		test.each([
			['another host', (base: string) => `${base}/v2/account/stats`],
			['another host, without slashes', (base: string) => base.replace('//', '')],
			[
				'another host, the own one as user',
				(base: string) => base.replace('//', '//127.0.0.1@'),
			],
		])('an address of %s does not get the key', async (_, addressOf) => {
			const elsewhere = await startSimulator();
			try {
				await run(httpRequest(version, addressOf(elsewhere.baseUrl)));
				expect(withKey(elsewhere.requests)).toBe(0);
			} finally {
				await elsewhere.close();
			}
		});
	});

	const withKey = (requests: ReadonlyArray<{ raw: Buffer }>) =>
		requests.filter(({ raw }) => raw.includes(API_KEY)).length;
});

describe('13. what concerns one message, and what concerns all', () => {
	test.each(['send', 'sendBatch'])('%s: a wrong base path stops the run', async (operation) => {
		const { n8n, simulator } = environment;
		const name = 'Wrong path';
		const data = credentialOf(simulator);
		const id = await n8n.createCredential('smsServiceApi', name, {
			...data,
			baseUrl: `${simulator.baseUrl}/wrong`,
		});
		const credentials = { smsServiceApi: { id, name } };
		const execution = await run(sms(operation, people(30), {}, { credentials }));
		expect(execution.status).toBe('error');
		expect(simulator.requestCount).toBeLessThanOrEqual(5);
	});

	test("a firewall's page for one message does not stop the batch", async () => {
		answer(WAF_PAGE, { skip: 1 });
		const execution = await run(sms('sendBatch', people(4)));
		expect(execution.json('Node').map(({ status }) => status)).toEqual([
			'sent',
			'refused',
			'sent',
			'sent',
		]);
	});

	test.each(['send', 'sendBatch'])(
		"%s: 'Skip Duplicates' takes a reminder for no duplicate",
		async (operation) => {
			const [one] = people(1);
			const items = ['05', '06', '06'].map((day) => ({
				...one,
				date: `2031-05-${day}T10:00:00`,
			}));
			const options = { skipDuplicates: true, date: '={{ $json.date }}' };
			await run(sms(operation, items, options));
			expect(environment.simulator.messages).toHaveLength(2);
		},
	);

	describe("a Remove Duplicates node with the scope 'Workflow' and a history of 5", () => {
		const byNumber = (scope: string): INodeParameters => ({
			logic: 'removeItemsWithAlreadySeenKeyValues',
			dedupeValue: '={{ $json.order }}',
			options: { scope, historySize: 5 },
		});
		const batch = sms('sendBatch', people(5), KEYED);

		test('in the same workflow: said, and nothing is sent', async () => {
			const sharing = await run(behindRemoveDuplicates(batch, byNumber('workflow')));
			expect({ status: sharing.status, ...arrived() }).toEqual({
				status: 'error',
				messages: 0,
				twice: 0,
			});
			expect(told(sharing)).toContain('New ones');
		});

		test("with the scope 'Node' it does no harm", async () => {
			const items = people(5).map((one, order) => ({ ...one, order }));
			const workflow = sms('sendBatch', items, KEYED);
			const first = await run(behindRemoveDuplicates(workflow, byNumber('node')));
			const second = await runAgain(first, workflow);
			expect({ ...arrived(), ...statuses(second.json('Node')) }).toEqual({
				messages: 5,
				twice: 0,
				skipped: 5,
			});
		});

		test('that was there for one execution has cut the keys: said, and nobody gets two', async () => {
			const first = await run(batch);
			// With SMS in another operation nothing keeps that node from cutting the store.
			const cut = behindRemoveDuplicates(sms('preview', [{ order: 1, ...people(1)[0] }]), {
				...byNumber('workflow'),
				options: { scope: 'workflow', historySize: 1_000 },
			});
			await runAgain(first, cut);
			inDatabase((database) => {
				// What that node does once its history is full: it keeps the newest entries only.
				const row = database
					.prepare(
						"SELECT value FROM processed_data WHERE workflowId = ? AND context = ''",
					)
					.get(first.summary.workflowId) as { value: string };
				const value = JSON.parse(row.value) as { data: string[] };
				database
					.prepare(
						"UPDATE processed_data SET value = ? WHERE workflowId = ? AND context = ''",
					)
					.run(
						JSON.stringify({ ...value, data: value.data.slice(-3) }),
						first.summary.workflowId,
					);
			});
			const again = await runAgain(first, batch);
			expect({ status: again.status, ...arrived() }).toEqual({
				status: 'error',
				messages: 5,
				twice: 0,
			});
			expect(told(again)).toContain('Remove Duplicates');
		});
	});

	test('a retry in the parent runs the sub-workflow anew: once keys keep it from sending again', async () => {
		const { n8n } = environment;
		const child = sms('sendBatch', [], KEYED);
		child.nodes[0] = {
			name: 'Start',
			type: 'n8n-nodes-base.executeWorkflowTrigger',
			typeVersion: 1.1,
			parameters: { inputSource: 'passthrough' },
		};
		child.nodes.push({
			name: 'Fail',
			type: 'n8n-nodes-base.stopAndError',
			parameters: { errorMessage: 'Something after the SMS went wrong' },
		});
		child.connections.Node = { main: [[{ node: 'Fail', type: 'main', index: 0 }]] };
		delete child.pinData;
		const { id } = await n8n.createWorkflow(child);
		await n8n.activate(id);
		const parent = sms('sendBatch', people(5));
		parent.nodes[1] = {
			name: 'Node',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: { workflowId: { __rl: true, mode: 'id', value: id }, options: {} },
		};
		const failed = await run(parent);
		expect(failed.status).toBe('error');
		await n8n.retryExecution(failed.id);
		const runs = (await n8n.listExecutions(id)).length;
		expect({ runs, ...arrived() }).toEqual({ runs: 2, messages: 5, twice: 0 });
	});

	// The last one: n8n is killed.
	test('n8n killed while it looks at its store: what was unknown does not become sent', async () => {
		const { n8n } = environment;
		const batch = sms('sendBatch', people(1), KEYED);
		const firsts: Execution[] = [];
		for (const writes of [0, 1, 2, 3, 4]) {
			answer({ kind: 'resetBeforeRead' });
			const first = await run(batch);
			firsts.push(first);
			expect(statuses(first.json('Node'))).toEqual({ unknown: 1 });
			// What the database holds when n8n dies after so many writes.
			limitStore(first.summary.workflowId, writes);
			await n8n.run(first.summary.workflowId);
		}
		await n8n.kill('SIGKILL');
		freeStore();
		await n8n.restart();
		const last: Array<Record<string, number>> = [];
		for (const { summary } of firsts) {
			last.push(statuses((await n8n.run(summary.workflowId)).json('Node')));
		}
		expect(last).toEqual(Array(5).fill({ unknown: 1 }));
		expect(arrived().messages).toBe(0);
	});
});

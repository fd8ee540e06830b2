/**
 * Guarantee 9 of the design in a real n8n that logs all it can: the API key is in no log line, no
 * stored execution, no answer of n8n's REST interface and nothing that the editor is pushed, whatever
 * goes wrong and whatever the service, a proxy or a redirect repeats of it. That it is in no result and no
 * error of any operation is proved in engine/delivery/key.test.mts.
 */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Execution } from '../harness/n8n.mts';
import type { FaultAction } from '../simulator/index.mts';
import { report } from './delivery-support.mts';
import { phone } from '../harness/phones.mts';
import { credentialOf, type Environment, startEnvironment, workflowOf } from './support.mts';

/** The part of the key that no encoding but base64 and hex changes. */
const CORE = 'Zq7pXvN0tToBeSeen42kRw9Jd';
/** With characters that a URL, JSON and HTML write otherwise. */
const KEY = `k+9/${CORE}:=&%"<7`;
/** A text that has to be found wherever the key is looked for, or looking proves nothing. */
const MARKER = 'MarkerOfTheSecretsTest';

let environment: Environment;
let pushed: WebSocket;
/** All that n8n has answered and pushed. */
const answers: string[] = [];
const pushes: string[] = [];
const proxies: Server[] = [];
/** Counts what was said to the proxies, and looks for the key in it. */
let connects = 0;
let keySeenByProxy = false;

/** A proxy that refuses, and repeats in its answer all that it was told. */
async function startRefusingProxy(): Promise<string> {
	const proxy = createServer((request, response) => {
		const told = `${request.url}\n${JSON.stringify(request.headers)}`;
		if (told.includes(CORE)) keySeenByProxy = true;
		response.writeHead(502, { 'Content-Type': 'text/html' }).end(`<pre>${told}</pre>`);
	});
	proxy.on('connect', (request, socket) => {
		connects++;
		socket.on('error', () => {});
		socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nX-Host: ${request.url}\r\n\r\n`);
	});
	proxy.listen(0, '127.0.0.1');
	await new Promise((resolve) => proxy.once('listening', resolve));
	proxies.push(proxy);
	return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

let proxyUrl: string;

beforeAll(async () => {
	proxyUrl = await startRefusingProxy();
	environment = await startEnvironment({
		simulator: { apiKey: KEY },
		n8n: { logLevel: 'debug', env: { HTTPS_PROXY: proxyUrl, https_proxy: proxyUrl } },
	});
	const { n8n } = environment;
	n8n.rest.interceptors.response.use((response) => {
		answers.push(JSON.stringify(response.data));
		return response;
	});

	const session = crypto.randomUUID();
	pushed = new WebSocket(`${n8n.url.replace('http', 'ws')}/rest/push?pushRef=${session}`, {
		headers: { Cookie: n8n.sessionCookie, Origin: n8n.url },
	} as never);
	pushed.binaryType = 'arraybuffer';
	pushed.addEventListener('message', ({ data }) =>
		pushes.push(typeof data === 'string' ? data : Buffer.from(data).toString('utf8')),
	);
	await new Promise((resolve, reject) => {
		pushed.addEventListener('open', resolve);
		pushed.addEventListener('error', () => reject(new Error('n8n refused the push channel')));
	});
	n8n.rest.defaults.headers.common['push-ref'] = session;
});

afterAll(async () => {
	pushed?.close();
	await environment?.close();
	for (const proxy of proxies) proxy.close();
});

const OPERATIONS = ['send', 'sendByUrl', 'sendBatch'] as const;
type Operation = (typeof OPERATIONS)[number];

/** A fault, and what the user has to be told of it; engine/delivery/key.test.mts has the others. */
interface Case {
	name: string;
	fault?: (targetOnTheWire: string) => FaultAction;
	credential?: () => IDataObject;
	requestOptions?: () => INodeParameters;
	/** Part of the error's text; undefined for a success. */
	told?: RegExp;
}

const echo = (target: string) =>
	`key ${KEY} as ${encodeURIComponent(KEY)}, request ${target}, header X-Service-ApiKey: ${KEY}`;

const CASES: Case[] = [
	{ name: 'success' },
	{
		name: 'a receipt that repeats the key',
		fault: (target) => ({
			kind: 'json',
			body: { creditsUsed: 1, snapshotId: '362890', request: echo(target) },
		}),
	},
	{
		name: 'an unknown code, and the key repeated',
		fault: (target) => ({
			kind: 'json',
			status: 400,
			body: { code: 999, error: echo(target) },
		}),
		told: /code 999/,
	},
	{
		name: 'an unknown code, and the address of a send by URL repeated',
		fault: (target) => ({
			kind: 'json',
			status: 400,
			body: { code: 999, error: `Bad request: ${target}` },
		}),
		told: /Bad request: \S+apiKey=/,
	},
	{
		name: "a proxy of n8n's environment that refuses",
		credential: () => ({ baseUrl: 'https://sms-service.example' }),
		told: /refused/,
	},
	{
		name: "a proxy of the node's options that could read the key",
		requestOptions: () => ({ proxy: proxyUrl }),
		told: /with http:\/\/ or/,
	},
];

const MODES = ['stopWorkflow', 'continueErrorOutput'] as const;

interface Run {
	name: string;
	operation: Operation;
	mode: (typeof MODES)[number];
	number: string;
	/** The text of the error, wherever n8n has it; undefined for a success. */
	told?: string;
}

let nextPhone = 0;

/** Runs one operation once in a way of its own, and reads all that n8n answers of it. */
async function run(
	{ name, fault, credential, requestOptions }: Case,
	operation: Operation,
	mode: (typeof MODES)[number],
	target: string,
): Promise<Run> {
	const { n8n, simulator } = environment;
	const number = phone(nextPhone++);
	const credentialName = `Account of ${number}`;
	await n8n.createCredential('smsServiceApi', credentialName, {
		...credentialOf(simulator),
		...credential?.(),
	});
	if (fault) {
		const digits = number.slice(1);
		simulator.faults.add({
			match: (request) => `${request.target} ${request.bodyText}`.includes(digits),
			times: Infinity,
			do: fault(target),
		});
	}
	const settings: Partial<INode> = {
		onError: mode,
		credentials: { smsServiceApi: { id: null, name: credentialName } },
	};
	const { id } = await n8n.createWorkflow(
		workflowOf(
			[{ to: number }],
			'sms',
			{
				operation,
				number: '={{ $json.to }}',
				message: MARKER,
				requestOptions: requestOptions?.() ?? {},
			},
			settings,
		),
	);
	const execution = await n8n.run(id);
	return { name, operation, mode, number, told: errorText(execution) };
}

function errorText(execution: Execution): string | undefined {
	const { error } = execution;
	if (error) return `${error.message} ${error.description}`;
	const [failed] = [...execution.json('Node', 1), ...execution.json('Node')].filter(
		(json) => json.error !== undefined || (json.status !== undefined && json.status !== 'sent'),
	);
	return failed === undefined ? undefined : JSON.stringify(failed);
}

/** Runs tasks, six at a time. */
async function inParallel<T>(tasks: Array<() => Promise<T>>): Promise<T[]> {
	const results: T[] = [];
	const next = tasks.entries();
	const work = async () => {
		for (const [index, task] of next) results[index] = await task();
	};
	await Promise.all(Array.from({ length: 6 }, work));
	return results;
}

/** Every piece of eight characters of the key, as it is, in hex and in base64. */
function spellings(): string[] {
	const pieces: string[] = [];
	for (let start = 0; start + 8 <= CORE.length; start++) {
		pieces.push(CORE.slice(start, start + 8));
	}
	const hex = Buffer.from(CORE).toString('hex');
	// In base64 a text looks different at each of three places; its ends depend on the neighbours.
	const base64 = [0, 1, 2].map((shift) =>
		Buffer.from('x'.repeat(shift) + CORE)
			.toString('base64')
			.slice(4, 24),
	);
	return [...pieces, hex, ...base64];
}

function occurrences(text: string | Buffer, wanted: string[]): string[] {
	return wanted.filter((piece) => text.includes(piece));
}

/** All that n8n has written to its folder, but for the package itself. */
async function filesOfN8n(): Promise<Map<string, Buffer>> {
	const folder = join(environment.n8n.userFolder, '.n8n');
	const files = new Map<string, Buffer>();
	for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
		const path = join(entry.parentPath, entry.name);
		if (entry.isFile() && !path.startsWith(join(folder, 'nodes'))) {
			files.set(path.slice(folder.length + 1), await readFile(path));
		}
	}
	return files;
}

describe('the API key', () => {
	let runs: Run[];

	beforeAll(async () => {
		const { simulator } = environment;
		// How the key looks in the address of a send by URL, as the service sees it.
		await run({ name: 'first of all' }, 'sendByUrl', 'stopWorkflow', '');
		const { target } = simulator.requests[0];
		expect(target).toContain(CORE);
		runs = await inParallel(
			CASES.flatMap((one, place) =>
				OPERATIONS.map((operation, turn) => async () => {
					const mode = MODES[(place + turn) % MODES.length];
					return await run(one, operation, mode, target);
				}),
			),
		);
	});

	test('was used', () => {
		const { simulator } = environment;
		const inHeader = simulator.requests.filter(
			(request) => request.method === 'POST' && request.header('X-Service-ApiKey') === KEY,
		);
		const inQuery = simulator.requests.filter(({ query }) => query.get('apiKey') === KEY);
		// Four of the cases reach the service, with two operations by the header and one by the query.
		expect(inHeader).toHaveLength(4 * 2);
		expect(inQuery).toHaveLength(4 + 1);
		expect(connects).toBeGreaterThan(0);
		expect(keySeenByProxy).toBe(false);
	});

	test.each(CASES)('$name: the user is told what happened', ({ name, told }) => {
		const own = runs.filter((one) => one.name === name);
		expect(own).toHaveLength(OPERATIONS.length);
		for (const { told: text, operation, mode } of own) {
			if (told) expect(text, `${operation}, ${mode}`).toMatch(told);
			else expect(text, `${operation}, ${mode}`).toBeUndefined();
		}
	});

	test("is in no line of n8n's log, at the level debug", () => {
		const { log } = environment.n8n;
		expect(log).toContain('Running node "Node" started');
		expect(occurrences(log, spellings())).toEqual([]);
		report("The key in n8n's log", { characters: log.length, executions: runs.length });
	});

	test("is in no file of n8n's folder, the stored executions included", async () => {
		const files = await filesOfN8n();
		const withMarker = [...files].filter(([, bytes]) => bytes.includes(MARKER));
		expect(withMarker.map(([path]) => path).join()).toContain('database.sqlite');
		for (const [path, bytes] of files) {
			expect(occurrences(bytes, spellings()), path).toEqual([]);
		}
		report("The key in n8n's files", {
			files: [...files.keys()].join(', '),
			bytes: [...files.values()].reduce((sum, { length }) => sum + length, 0),
		});
	});

	test("is in no answer of n8n's REST interface", () => {
		const withMarker = answers.filter((answer) => answer.includes(MARKER));
		expect(withMarker.length).toBeGreaterThanOrEqual(runs.length);
		for (const answer of answers) expect(occurrences(answer, spellings())).toEqual([]);
	});

	test('is in nothing that the editor is pushed', () => {
		const results = pushes.filter((message) => message.includes('nodeExecuteAfter'));
		expect(results.length).toBeGreaterThanOrEqual(runs.length);
		for (const message of pushes) expect(occurrences(message, spellings())).toEqual([]);
	});
});

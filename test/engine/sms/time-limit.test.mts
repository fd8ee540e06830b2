/**
 * The Timeout limits the whole of a request: n8n's own counts each silence, so that an answer that drips
 * passes it, and one that switches protocols (101) never ends.
 */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection as ConnectionType } from '../../../nodes/shared/http/connection.ts';
import { editorOf } from '../editor.mts';
import { load, runNode } from '../harness.mts';
import { NUMBER, sendSms } from './support.mts';

const TIMEOUT = 300;
/** Far below the 300 seconds that are the default, far above the limit. */
const SOON = 5_000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';

type Answer = 'body' | 'head' | '101' | 'nothing';
const ANSWERS: Answer[] = ['body', 'head', '101', 'nothing'];
const TOLD: Record<Answer, string> = {
	body: 'a body that drips',
	head: 'a head that drips',
	101: 'HTTP 101',
	nothing: 'nothing',
};

let answer: Answer;
let server: Server;
let service: { baseUrl: string; apiKey: string };
let requests: string[] = [];
const sockets = new Set<Socket>();

/** Writes one byte every few milliseconds. */
function drip(socket: Socket, text: string): void {
	let at = 0;
	const timer = setInterval(() => socket.write(text[at++ % text.length]), 20);
	socket.on('close', () => clearInterval(timer));
	socket.on('error', () => {});
}

beforeAll(async () => {
	server = createServer((socket) => {
		sockets.add(socket);
		socket.on('close', () => sockets.delete(socket));
		socket.on('error', () => {});
		socket.on('data', (data) => {
			requests.push(data.toString('latin1'));
			if (answer === '101') {
				socket.write(
					'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
				);
			}
			if (answer === 'body') {
				socket.write(HEAD);
				drip(socket, '{"creditsUsed":1,');
			}
			if (answer === 'head')
				drip(socket, `${HEAD.slice(0, -2)}X-Long: ${'x'.repeat(10_000)}`);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	service = { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key-of-a-slow-service' };
});
afterAll(() => {
	for (const socket of sockets) socket.destroy();
	server.close();
});
beforeEach(() => {
	requests = [];
	for (const socket of sockets) socket.destroy();
	sockets.clear();
});

const allClosed = async () => await vi.waitFor(() => expect(sockets.size).toBe(0), SOON);

describe.each(ANSWERS.map((each) => [TOLD[each], each] as const))('%s', (_, each) => {
	beforeEach(() => {
		answer = each;
	});

	test.each(['send', 'sendByUrl'])(
		'%s: unknown, not sent again, and the connection is let go',
		async (operation) => {
			const begun = performance.now();
			const { error } = await sendSms(service, {
				operation,
				requestOptions: { timeout: TIMEOUT },
			});
			const took = performance.now() - begun;
			expect(took).toBeGreaterThanOrEqual(TIMEOUT - 5);
			expect(took).toBeLessThan(SOON);
			expect(error!.message).toMatch(/unknown whether.*did not answer in time/i);
			expect(requests).toHaveLength(1);
			await allClosed();
		},
	);

	test('a GET outside of an execution, with a limit of its own', async () => {
		const { Connection } = load<{ Connection: typeof ConnectionType }>(
			'nodes/shared/http/connection.js',
		);
		const connection = await Connection.open(editorOf('Sms', service));
		const result = await connection.request(
			{ endpoint: 'GET /v2/account/stats' },
			(body) => body,
			{ timeout: TIMEOUT },
		);
		expect(result).toMatchObject({ status: 'unknown', transient: true });
		expect(result).toHaveProperty('message', 'The service did not answer in time');
		await allClosed();
	});

	test('a Stop ends it at once', async () => {
		let stop = () => {};
		const begun = performance.now();
		const stopped = runNode({
			node: 'Sms',
			parameters: { operation: 'send', number: NUMBER, message: 'Bonjour' },
			credential: service,
			onStart: (cancel) => (stop = cancel),
		});
		await vi.waitFor(() => expect(requests).toHaveLength(1), SOON);
		stop();
		await stopped;
		expect(performance.now() - begun).toBeLessThan(SOON);
		await allClosed();
	});
});

test('an answer in pieces that is complete in time is an answer', async () => {
	const body = '{"creditsUsed":1,"snapshotId":"7"}';
	const slow = createServer((socket) => {
		socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
		drip(socket, body);
	});
	await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
	const { port } = slow.address() as AddressInfo;
	const { items } = await sendSms(
		{ ...service, baseUrl: `http://127.0.0.1:${port}` },
		{ requestOptions: { timeout: 10_000 } },
	);
	expect(items[0].json).toMatchObject({ snapshotId: '7', number: NUMBER });
	slow.close();
});

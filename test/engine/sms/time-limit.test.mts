/**
 * The Timeout limits the whole of a request: n8n's own counts each silence, so that an answer that drips
 * passes it, and one that switches protocols (101) never ends.
 */
import { createServer, type Socket } from 'node:net';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection as ConnectionType } from '../../../nodes/shared/http/connection.ts';
import { editorOf } from '../editor.mts';
import { load, runNode } from '../harness.mts';
import { listen } from '../sockets.mts';
import { NUMBER, sendSms } from './support.mts';

const TIMEOUT = 300;
/** Far below the 300 seconds that are the default, far above the limit. */
const SOON = 5_000;
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';

/** Writes one byte every few milliseconds. */
function drip(socket: Socket, text: string): void {
	let at = 0;
	const timer = setInterval(() => socket.write(text[at++ % text.length]), 20);
	socket.on('close', () => clearInterval(timer));
}
const ANSWERS: Record<string, (socket: Socket) => void> = {
	'a body that drips': (socket) => {
		socket.write(HEAD);
		drip(socket, '{"creditsUsed":1,');
	},
	'a head that drips': (socket) =>
		drip(socket, `${HEAD.slice(0, -2)}X-Long: ${'x'.repeat(10_000)}`),
	'HTTP 101': (socket) => void socket.write(SWITCH),
	nothing: () => {},
};

let answer: (socket: Socket) => void;
let requests = 0;
const { host, sockets } = await listen(
	createServer((socket) => {
		socket.on('data', () => {
			requests++;
			answer(socket);
		});
	}),
);
const service = { baseUrl: `http://${host}`, apiKey: 'key-of-a-slow-service' };
beforeEach(() => {
	requests = 0;
	for (const socket of sockets) socket.destroy();
	sockets.clear();
});

const allClosed = async () => await vi.waitFor(() => expect(sockets.size).toBe(0), SOON);

describe.each(Object.entries(ANSWERS))('%s', (_, each) => {
	beforeEach(() => void (answer = each));

	test.each(['send', 'sendByUrl'])('%s: unknown, and not sent again', async (operation) => {
		const begun = performance.now();
		const requestOptions = { timeout: TIMEOUT };
		const { error } = await sendSms(service, { operation, requestOptions });
		const took = performance.now() - begun;
		expect(took).toBeGreaterThanOrEqual(TIMEOUT - 5);
		expect(took).toBeLessThan(SOON);
		expect(error!.message).toMatch(/unknown whether.*did not answer in time/i);
		expect(requests).toBe(1);
		await allClosed();
	});

	test('a GET outside of an execution, with a limit of its own', async () => {
		const { Connection } = load<{ Connection: typeof ConnectionType }>(
			'nodes/shared/http/connection.js',
		);
		const connection = await Connection.open(editorOf('Sms', service));
		const request = { endpoint: 'GET /v2/account/stats' } as const;
		const limit = { timeout: TIMEOUT };
		expect(await connection.request(request, (body) => body, limit)).toMatchObject({
			...{ status: 'unknown', transient: true },
			message: 'The service did not answer in time',
		});
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
		await vi.waitFor(() => expect(requests).toBe(1), SOON);
		stop();
		await stopped;
		expect(performance.now() - begun).toBeLessThan(SOON);
		await allClosed();
	});
});

test('an answer in pieces that is complete in time is an answer', async () => {
	const body = '{"creditsUsed":1,"snapshotId":"7"}';
	answer = (socket) => {
		socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
		drip(socket, body);
	};
	const { items } = await sendSms(service, { requestOptions: { timeout: 10_000 } });
	expect(items[0].json).toMatchObject({ snapshotId: '7', number: NUMBER });
});

/**
 * The service that the benchmark sends to: it answers every POST as a sent message, as late as asked
 * for, says that there are credits enough, and keeps nothing, so that it takes as little as possible of the machine that is measured.
 *
 *   node test/bench/server.mts      prints its port
 *
 * `PUT /bench` with `{ "latency": 20 }` begins a run; `GET /bench` says what has come since.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What has come since the run began. */
export interface Arrivals {
	/** Messages. */
	count: number;
	/** Most of them that waited for their answers at once. */
	mostAtOnce: number;
}

/** The HTTP Request node opens a connection for each of its items at once. */
const BACKLOG = 16_384;

let latency = 0;
let inFlight = 0;
let arrivals: Arrivals = { count: 0, mostAtOnce: 0 };

const server = createServer((request, response) => {
	const chunks: Buffer[] = [];
	request.on('data', (chunk: Buffer) => chunks.push(chunk));
	request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
	request.on('error', () => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => {
	console.log((server.address() as AddressInfo).port);
});
// It ends with the program that started it.
process.stdin.on('end', () => process.exit()).resume();

function answer({ method, url }: IncomingMessage, response: ServerResponse, body: string): void {
	if (url === '/bench') {
		if (method === 'PUT') {
			({ latency } = JSON.parse(body) as { latency: number });
			arrivals = { count: 0, mostAtOnce: 0 };
		}
		write(response, 200, arrivals);
		return;
	}
	if (method === 'GET') {
		// What a batch asks before its first message (interface document 4.6).
		setTimeout(() => write(response, 200, { credits: 10_000_000 }), latency);
		return;
	}
	const id = String(++arrivals.count);
	arrivals.mostAtOnce = Math.max(arrivals.mostAtOnce, ++inFlight);
	const send = () => {
		inFlight--;
		if (url?.endsWith('/Messages.json')) write(response, 201, { sid: id, status: 'queued' });
		else write(response, 200, { creditsUsed: 1, snapshotId: id });
	};
	if (latency === 0) send();
	else setTimeout(send, latency);
}

function write(response: ServerResponse, status: number, value: object): void {
	response.writeHead(status, { 'Content-Type': 'application/json' });
	response.end(JSON.stringify(value));
}

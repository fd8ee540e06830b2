/**
 * The service that the benchmark sends to: it answers every POST as done and every GET with what is asked
 * for, as late as it is told to. It keeps nothing, so that it takes as little as possible of the machine
 * that is measured.
 *
 *   node test/tools/bench/server.mts      prints its port
 *
 * `PUT /bench` with `{ "latency": 20 }` begins a run; `GET /bench` says what has come since.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What has come since the run began. */
export interface Arrivals {
	/** Messages, and what else was created. */
	created: number;
	/** Lists that were asked for. */
	lists: number;
}

/** The HTTP Request node opens a connection for each of its items at once. */
const BACKLOG = 16_384;

let latency = 0;
let arrivals: Arrivals = { created: 0, lists: 0 };

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

function answer(
	{ method, url = '' }: IncomingMessage,
	response: ServerResponse,
	body: string,
): void {
	if (url === '/bench') {
		if (method === 'PUT') {
			({ latency } = JSON.parse(body) as { latency: number });
			arrivals = { created: 0, lists: 0 };
		}
		write(response, arrivals);
		return;
	}
	const value = method === 'GET' ? shown(url) : created(url);
	if (latency === 0) write(response, value);
	else setTimeout(() => write(response, value), latency);
}

/** A list (interface document 4.5), or the credits that a batch asks for before its first message (4.6). */
function shown(url: string): object {
	const [, id] = /^\/v2\/lists\/(.+)/.exec(url) ?? [];
	if (id === undefined) return { credits: 10_000_000 };
	arrivals.lists++;
	return { id, name: 'Bench', fields: [{ id: 'name', name: 'Name', type: 'STRING' }] };
}

/** A message as the service or as Twilio answers to it; anything else has an ID. */
function created(url: string): object {
	const id = String(++arrivals.created);
	if (url.endsWith('/Messages.json')) return { sid: id, status: 'queued' };
	return url.endsWith('/messages/send') ? { creditsUsed: 1, snapshotId: id } : { id };
}

function write(response: ServerResponse, value: object): void {
	response.writeHead(200, { 'Content-Type': 'application/json' });
	response.end(JSON.stringify(value));
}

/**
 * The SMS service of the interface document, in memory, over real sockets, with faults on demand.
 * Used in-process by tests, and by `main.mts` as a program.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from './clock.mts';
import type { Dialect } from './dialect.mts';
import { createControl, isControl } from './control.mts';
import { coreEndpoints, type Answer } from './endpoints.mts';
import { extendedEndpoints } from './extended.mts';
import { accepts, Faults, spoil, type FaultAction, type WireAnswer } from './faults.mts';
import { parseNumber } from './limits.mts';
import type { SimMessage } from './messages.mts';
import { readBody, recordRequest, type OpenRecord, type RecordedRequest } from './recorder.mts';
import { createRouter } from './router.mts';
import { Service, type Settings } from './service.mts';

export { DIALECTS, type Dialect } from './dialect.mts';
export type { Fault, FaultAction, FaultHandle } from './faults.mts';
export type { SimMessage } from './messages.mts';
export type { RecordedRequest } from './recorder.mts';
export type { Campaign } from './campaigns.mts';

const DEFAULT_API_KEY = 'test-key-0123456789abcdef';
const DEFAULT_HEADER_NAME = 'X-Service-ApiKey';

export interface SimulatorOptions {
	/** Default 0: any free port. */
	port?: number;
	/** The address to listen on. Default 127.0.0.1. */
	host?: string;
	apiKey?: string;
	/** The authentication header. Default X-Service-ApiKey. */
	headerName?: string;
	/** Has the extended endpoints of the public facts, too. Default false. */
	extended?: boolean;
	/** The base clock, ms since the Unix epoch. Default Date.now. */
	now?: () => number;
	/** Keeps requests in `requests`. Default true; false for huge runs. */
	keepRequests?: boolean;
	/** How it speaks where the interface document is silent. */
	dialect?: Partial<Dialect>;
	/** The dialect and the other choices in what the document leaves open. */
	settings?: Partial<Settings>;
}

export interface Simulator {
	/** http://127.0.0.1:PORT, without a slash at the end. */
	readonly baseUrl: string;
	readonly apiKey: string;
	readonly headerName: string;
	/** Has the extended endpoints. */
	readonly extended: boolean;
	/** Every request to the service, in order of arrival; empty with `keepRequests: false`. */
	readonly requests: RecordedRequest[];
	requestsTo(method: string, path: string | RegExp): RecordedRequest[];
	/** Every message that the service accepted, also those whose answer was lost. */
	readonly messages: SimMessage[];
	/** The messages to a number, in either format. */
	messagesTo(number: string): SimMessage[];
	readonly faults: Faults;
	readonly clock: Clock;
	/** The most requests being served at once since the start or the last reset. */
	readonly maxInFlight: number;
	readonly inFlight: number;
	/** How many requests to the service there were, kept or not, since the start or the last reset. */
	readonly requestCount: number;
	/** Somebody replies to the latest message they got; the text is not interpreted. */
	reply(from: string, text: string, options?: { category?: string; id?: string }): { id: string };
	/** Somebody replies STOP: later sends to the number are refused (code 12). */
	stop(from: string, options?: { category?: string }): void;
	/** A number turns out to be unassigned: later sends to it are refused (code 13). */
	bounce(number: string, options?: { category?: string }): void;
	/** Sets the state of a message, which then no longer moves on by itself. */
	setState(snapshotId: string, state: string): void;
	/** The state of the service, with loaders for large amounts. */
	readonly service: Service;
	/** Forgets requests, messages, lists, faults and the turned clock. */
	reset(): void;
	/** Ends all connections and stops listening. */
	close(): Promise<void>;
}

const JSON_TYPE = 'application/json;charset=UTF-8';
/** Tests send thousands of requests at once; the usual 511 waiting connections are too few. */
const BACKLOG = 8_192;

/** Starts a simulator and waits until it listens. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
	const {
		port = 0,
		host = '127.0.0.1',
		apiKey = DEFAULT_API_KEY,
		headerName = DEFAULT_HEADER_NAME,
		extended = false,
		keepRequests = true,
	} = options;
	const clock = new Clock(options.now ?? Date.now);
	const service = new Service(clock, { ...options.dialect, ...options.settings });
	const faults = new Faults();
	const endpoints = extended ? [...coreEndpoints, ...extendedEndpoints] : coreEndpoints;
	const route = createRouter(service, endpoints, { apiKey, headerName });
	const requests: RecordedRequest[] = [];
	const closing = new AbortController();
	let requestCount = 0;
	let inFlight = 0;
	let maxInFlight = 0;

	/** Waits, but no longer than the simulator lives. */
	async function pause(ms: number): Promise<void> {
		await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
	}

	/** The Date header: Node's own is that of a gateway with a right clock. */
	function setDate(response: ServerResponse): void {
		const { dateHeader } = service.settings;
		response.sendDate = dateHeader === 'gateway';
		if (dateHeader === 'service') {
			response.setHeader('Date', new Date(clock.now()).toUTCString());
		}
	}

	async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const record = recordRequest(request, clock.now());
		if (isControl(record.path)) await serveControl(record, request, response);
		else await serveService(record, request, response);
	}

	async function serveControl(
		record: OpenRecord,
		request: IncomingMessage,
		response: ServerResponse,
	): Promise<void> {
		const body = await readBody(request);
		if (body === undefined) return;
		record.setBody(body);
		await write(response, toWire(control(record)), pause);
	}

	async function serveService(
		record: OpenRecord,
		request: IncomingMessage,
		response: ServerResponse,
	): Promise<void> {
		requestCount++;
		if (keepRequests) requests.push(record);
		inFlight++;
		maxInFlight = Math.max(maxInFlight, inFlight);
		response.once('close', () => inFlight--);

		if (faults.take(record, 'head').length > 0) {
			request.socket.resetAndDestroy();
			return;
		}
		const body = await readBody(request);
		if (body === undefined) return;
		record.setBody(body);
		setDate(response);

		const actions = faults.take(record, 'body');
		const processed = actions.every(accepts);
		const real = processed ? toWire(route(record)) : undefined;
		const outcome = spoilt(actions, real);
		const wait = totalDelay(actions);
		if (wait > 0) await pause(wait);
		if (outcome === 'silence') return;
		if (outcome === 'reset') {
			request.socket.resetAndDestroy();
			return;
		}
		if (response.destroyed) return;
		record.status = outcome.status;
		await write(response, outcome, pause);
	}

	const server = createServer((request, response) => {
		serve(request, response).catch((error: unknown) => {
			console.error('The simulator failed on', request.method, request.url, error);
			request.socket.destroy();
		});
	});
	// Idle connections stay open, so that no client runs into one that is just being closed.
	server.keepAliveTimeout = 0;
	server.requestTimeout = 0;
	server.headersTimeout = 0;
	server.listen({ port, host, backlog: BACKLOG });
	await once(server, 'listening');
	const address = server.address() as AddressInfo;

	const simulator: Simulator = {
		baseUrl: `http://${urlHost(address)}:${address.port}`,
		apiKey,
		headerName,
		extended,
		requests,
		requestsTo: (method, path) =>
			requests.filter(
				(request) =>
					request.method === method.toUpperCase() &&
					(typeof path === 'string'
						? request.path === path
						: request.path.search(path) >= 0),
			),
		messages: service.messages,
		messagesTo(number) {
			const wanted = parseNumber(number) ?? number;
			return service.messages.filter((message) => message.number === wanted);
		},
		faults,
		clock,
		get inFlight() {
			return inFlight;
		},
		get requestCount() {
			return requestCount;
		},
		get maxInFlight() {
			return maxInFlight;
		},
		reply: (from, text, replyOptions) => service.reply(from, text, replyOptions),
		stop: (from, stopOptions) => service.stop(from, stopOptions),
		bounce: (number, bounceOptions) => service.bounce(number, bounceOptions),
		setState: (snapshotId, state) => service.setState(snapshotId, state),
		service,
		reset() {
			requests.length = 0;
			service.reset();
			faults.clear();
			clock.reset();
			maxInFlight = inFlight;
			requestCount = 0;
		},
		async close() {
			const closed = once(server, 'close');
			closing.abort();
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
	const control = createControl(simulator);
	return simulator;
}

/** The host to call; all interfaces are reachable through the loopback one. */
function urlHost({ address, family }: AddressInfo): string {
	if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
	return family === 'IPv6' ? `[${address}]` : address;
}

function toWire({ status, json, chunks, headers = {} }: Answer): WireAnswer {
	const body = chunks ?? (json === undefined ? [] : [Buffer.from(JSON.stringify(json))]);
	return {
		status,
		headers: body.length > 0 ? { 'Content-Type': JSON_TYPE, ...headers } : headers,
		chunks: body,
	};
}

/** The answer under the faults that hit the request: delays change nothing, the last one may. */
function spoilt(
	actions: readonly FaultAction[],
	real: WireAnswer | undefined,
): WireAnswer | 'reset' | 'silence' {
	const last = actions.at(-1);
	if (last !== undefined) return spoil(last, real);
	if (real === undefined) throw new Error('A request without faults is always processed');
	return real;
}

function totalDelay(actions: readonly FaultAction[]): number {
	return actions.reduce((total, action) => total + (action.kind === 'delay' ? action.ms : 0), 0);
}

/** Writes an answer at the speed of the client. */
async function write(
	response: ServerResponse,
	answer: WireAnswer,
	pause: (ms: number) => Promise<void>,
): Promise<void> {
	const { status, headers, chunks, pauseMs } = answer;
	const length = chunks.reduce((total, chunk) => total + chunk.length, 0);
	// A 204 has neither a body nor headers about one.
	const lengthHeader = status === 204 ? {} : { 'Content-Length': length };
	response.writeHead(status, { ...headers, ...lengthHeader });
	if (pauseMs !== undefined) {
		const body = Buffer.concat(chunks);
		const half = Math.floor(body.length / 2);
		if (pauseMs === Infinity) {
			response.write(body.subarray(0, half), () => response.destroy());
			return;
		}
		response.write(body.subarray(0, half));
		await pause(pauseMs);
		if (response.destroyed) return;
		response.end(body.subarray(half));
		return;
	}
	for (const chunk of chunks.slice(0, -1)) {
		if (!response.write(chunk)) await drained(response);
		if (response.destroyed) return;
	}
	response.end(chunks.at(-1));
}

/** Resolves when there is room again, or when the client has gone. */
async function drained(response: ServerResponse): Promise<void> {
	if (response.destroyed) return;
	await new Promise<void>((resolve) => {
		const done = () => {
			response.off('drain', done);
			response.off('close', done);
			resolve();
		};
		response.on('drain', done);
		response.on('close', done);
	});
}

/** Records requests as they came over the socket. */
import type { IncomingMessage } from 'node:http';

/** One request as the simulator received it. */
export interface RecordedRequest {
	readonly method: string;
	/** The raw request target: path and query, undecoded. */
	readonly target: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly httpVersion: string;
	/** Name and value of each header, in order, names as written by the client. */
	readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
	/** The value of a header, whatever the case of its name. */
	header(name: string): string | undefined;
	/** The decoded body; empty until it has been received. */
	readonly body: Buffer;
	readonly bodyText: string;
	/** The body parsed as JSON. Throws a SyntaxError when it isn't JSON. */
	json(): any;
	/** Request line, headers as the client wrote them, and the body. */
	readonly raw: Buffer;
	/** By the simulator's clock, in ms. */
	readonly receivedAt: number;
	/** The status that was sent back; undefined when there was no answer. */
	status?: number;
}

/** The recorder's own view of a request: the body is set when it has been read. */
export interface OpenRecord extends RecordedRequest {
	setBody(body: Buffer): void;
}

/** Makes the record of a request whose head has arrived. */
export function recordRequest(request: IncomingMessage, receivedAt: number): OpenRecord {
	const target = request.url ?? '/';
	const question = target.indexOf('?');
	const headers: Array<[string, string]> = [];
	for (let index = 0; index < request.rawHeaders.length; index += 2) {
		headers.push([request.rawHeaders[index], request.rawHeaders[index + 1]]);
	}
	let body: Buffer = Buffer.alloc(0);
	return {
		method: request.method ?? '',
		target,
		path: question === -1 ? target : target.slice(0, question),
		query: new URLSearchParams(question === -1 ? '' : target.slice(question + 1)),
		httpVersion: request.httpVersion,
		headers,
		header(name) {
			const wanted = name.toLowerCase();
			return headers.find(([candidate]) => candidate.toLowerCase() === wanted)?.[1];
		},
		get body() {
			return body;
		},
		get bodyText() {
			return body.toString('utf8');
		},
		json() {
			return JSON.parse(body.toString('utf8'));
		},
		get raw() {
			const line = `${request.method} ${target} HTTP/${request.httpVersion}`;
			const fields = headers.map(([name, value]) => `${name}: ${value}`);
			const head = [line, ...fields, '', ''].join('\r\n');
			return Buffer.concat([Buffer.from(head, 'latin1'), body]);
		},
		receivedAt,
		status: undefined,
		setBody(received) {
			body = received;
		},
	};
}

/**
 * Reads the body of a request.
 * @returns the bytes, or undefined when the client went away before the end
 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	try {
		for await (const chunk of request) chunks.push(chunk as Buffer);
	} catch {
		return undefined;
	}
	return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}

/** Records requests as they came over the socket, byte for byte. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

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
	/** The exact bytes of head and body (with chunk framing, if any) as received so far. */
	readonly raw: Buffer;
	/** By the simulator's clock, in ms. */
	readonly receivedAt: number;
	/** The status that was sent back; undefined when there was no answer. */
	status?: number;
}

/** The bytes of one request, growing while they arrive. */
class RawBytes {
	private chunks: Buffer[] = [];

	append(chunk: Buffer): void {
		if (chunk.length > 0) this.chunks.push(chunk);
	}

	get bytes(): Buffer {
		if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)];
		return this.chunks[0];
	}
}

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/** Cuts the bytes of one connection, which may carry many requests, into requests. */
export class ConnectionTap {
	private pending: Buffer = Buffer.alloc(0);
	private readonly unclaimed: RawBytes[] = [];
	private current = new RawBytes();
	/** What the next bytes are. */
	private expected: 'head' | 'body' | 'chunkSize' | 'chunk' | 'trailer' = 'head';
	private remaining = 0;

	/** Must be called from the server's 'connection' event: the HTTP parser is attached by then. */
	constructor(socket: Socket) {
		// Before the parser's own listener, so that the bytes are here when 'request' is emitted.
		socket.prependListener('data', (chunk: Buffer) => this.feed(chunk));
	}

	/** The bytes of the next request of this connection; call it once per 'request' event. */
	claim(): RawBytes {
		const bytes = this.unclaimed.shift();
		if (bytes === undefined) throw new Error('The tap has seen no request on this connection');
		return bytes;
	}

	private feed(chunk: Buffer): void {
		this.pending = this.pending.length === 0 ? chunk : Buffer.concat([this.pending, chunk]);
		while (this.pending.length > 0 && this.step());
	}

	/** Consumes one element of the stream. False when more bytes are needed. */
	private step(): boolean {
		switch (this.expected) {
			case 'head':
				return this.readHead();
			case 'body':
			case 'chunk':
				return this.readCounted();
			case 'chunkSize':
			case 'trailer':
				return this.readLine();
		}
	}

	private take(length: number): Buffer {
		const taken = this.pending.subarray(0, length);
		this.pending = this.pending.subarray(length);
		return taken;
	}

	private readHead(): boolean {
		// Empty lines before a request line belong to no request (RFC 9112, 2.2).
		while (this.pending.subarray(0, 2).equals(LINE_END)) this.take(2);
		const end = this.pending.indexOf(HEAD_END);
		if (end === -1) return false;
		const head = this.take(end + HEAD_END.length);
		this.current = new RawBytes();
		this.current.append(head);
		this.unclaimed.push(this.current);
		const text = head.toString('latin1');
		this.remaining = Number(/^content-length:[ \t]*(\d+)/im.exec(text)?.[1] ?? 0);
		if (/^transfer-encoding:.*chunked/im.test(text)) this.expected = 'chunkSize';
		else if (this.remaining > 0) this.expected = 'body';
		return true;
	}

	private readCounted(): boolean {
		const bytes = this.take(Math.min(this.remaining, this.pending.length));
		this.current.append(bytes);
		this.remaining -= bytes.length;
		if (this.remaining === 0) this.expected = this.expected === 'body' ? 'head' : 'chunkSize';
		return true;
	}

	private readLine(): boolean {
		const end = this.pending.indexOf(LINE_END);
		if (end === -1) return false;
		const line = this.take(end + LINE_END.length);
		this.current.append(line);
		if (this.expected === 'chunkSize') {
			const size = parseInt(line.toString('latin1'), 16);
			this.remaining = size + LINE_END.length;
			this.expected = size === 0 ? 'trailer' : 'chunk';
		} else if (line.length === LINE_END.length) {
			this.expected = 'head';
		}
		return true;
	}
}

/** The recorder's own view of a request: the body is set when it has been read. */
export interface OpenRecord extends RecordedRequest {
	setBody(body: Buffer): void;
}

/** Makes the record of a request whose head has arrived. */
export function recordRequest(
	request: IncomingMessage,
	tap: ConnectionTap,
	receivedAt: number,
): OpenRecord {
	const raw = tap.claim();
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
			return raw.bytes;
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

import type { Answer } from './failure';

/** The most that is read of an answer: more could stop n8n. Sizes in bytes, after decompression. */
export const LIMITS = {
	record: 10_000_000,
	answer: 100_000_000,
	records: 2_000_000,
	depth: 100,
} as const;

/** An answer beyond a limit. It leaves open what the service has done. */
export class AnswerError extends Error {
	override readonly name = 'AnswerError';

	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
	}
}

/**
 * Reads the body of an answer, as far as it stays within the limits: beyond them, the connection is closed. An HTTP
 * status that is an answer by itself needs no body.
 *
 * @param signal ends the reading
 * @returns the body: parsed, a text where it is no JSON
 * @throws AnswerError, and what ends the connection
 */
export async function readBody(answer: Answer, signal: AbortSignal): Promise<Answer> {
	const { body, statusCode } = answer;
	if (!isStream(body)) return answer;
	const text = await decodeStream(body, signal);
	if (typeof text === 'string') return { ...answer, body: parse(text) };
	if (statusCode >= 200 && statusCode < 300) throw text;
	return { ...answer, body: undefined };
}

function isStream(body: unknown): body is AsyncIterable<Uint8Array> {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

async function decodeStream(
	body: AsyncIterable<Uint8Array>,
	signal: AbortSignal,
): Promise<string | AnswerError> {
	const decoder = new TextDecoder();
	const gauge = new Gauge();
	let text = '';
	// Whatever leaves this loop closes the connection.
	for await (const piece of body) {
		signal.throwIfAborted();
		gauge.add(piece);
		if (gauge.excess !== undefined) return beyond(gauge.excess);
		text += decoder.decode(piece, { stream: true });
	}
	return text + decoder.decode();
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Measures JSON as it arrives. A record is an entry of the outermost list, or the whole where that is no list. */
class Gauge {
	private depth = 0;
	private deepest = 0;
	private isList = false;
	private isInText = false;
	private isEscaped = false;
	private total = 0;
	private records = 0;
	private recordStart = 0;

	add(piece: Uint8Array): void {
		for (const byte of piece) {
			this.total++;
			if (this.isEscaped) this.isEscaped = false;
			else if (this.isInText) {
				if (byte === QUOTE) this.isInText = false;
				else if (byte === BACKSLASH) this.isEscaped = true;
			} else this.addToken(byte);
		}
	}

	/** The limit that the answer exceeds, in words; undefined for none. */
	get excess(): string | undefined {
		if (this.deepest > LIMITS.depth) return 'nested too deep';
		const isTooLarge =
			this.total - this.recordStart > LIMITS.record ||
			this.total > LIMITS.answer ||
			this.records > LIMITS.records;
		return isTooLarge ? 'too large' : undefined;
	}

	private addToken(byte: number): void {
		if (byte === QUOTE) this.isInText = true;
		else if (byte === COMMA) {
			if (this.depth !== 1 || !this.isList) return;
			this.records++;
			this.recordStart = this.total;
		} else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
			if (this.depth++ === 0) this.isList = byte === OPEN_LIST;
			this.deepest = Math.max(this.deepest, this.depth);
		} else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.depth--;
	}
}

function beyond(what: string): AnswerError {
	const { record, answer, records, depth } = LIMITS;
	return new AnswerError(
		`The answer of the service is ${what}`,
		`It was not read to its end: at most ${answer / 1e6} MB, ${records / 1e6} million records, ${record / 1e6} MB for a record and ${depth} levels are read. Check 'Base URL' of the credential, or ask the support of the service.`,
	);
}

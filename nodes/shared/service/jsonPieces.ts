import { asRecords } from './records';

/** Bytes of JSON that are parsed at once: a millisecond or two of work. */
const PIECE = 131_072;

const [QUOTE, COMMA, OPEN, CLOSE, BACKSLASH, OPEN_OBJECT, CLOSE_OBJECT] = [...'",[]\\{}'].map(
	(character) => character.charCodeAt(0),
);

/**
 * The records of a collection, some hundreds at a time: whoever reads a large one can make room for other
 * work in between. Together, the pieces are what parsing the whole would give.
 *
 * @param json the body of an answer, UTF-8
 * @param size of a piece, in bytes
 * @throws SyntaxError for what is no JSON, and for what is neither a list nor a record
 */
export function* jsonPieces(json: Uint8Array, size = PIECE): Generator<unknown[]> {
	let start = 0;
	let depth = 0;
	const isList = firstByte(json) === OPEN;
	const parse = (end: number, closed: string): unknown => {
		const text = new TextDecoder().decode(json.subarray(start, end));
		return JSON.parse(start === 0 ? text + closed : `[${text}${closed}`);
	};
	for (let at = 0; isList && at < json.length; at++) {
		switch (json[at]) {
			case QUOTE:
				for (at++; at < json.length && json[at] !== QUOTE; at++) {
					if (json[at] === BACKSLASH) at++;
				}
				break;
			case OPEN:
			case OPEN_OBJECT:
				depth++;
				break;
			case CLOSE:
			case CLOSE_OBJECT:
				depth--;
				break;
			case COMMA:
				if (depth !== 1 || at - start < size) break;
				yield notEmpty(parse(at, ']') as unknown[]);
				start = at + 1;
		}
	}
	const rest = asRecords(parse(json.length, ''));
	if (rest === undefined) throw new SyntaxError('Neither a list nor a record');
	yield start === 0 ? rest : notEmpty(rest);
}

/** A comma stands between two records. */
function notEmpty(records: unknown[]): unknown[] {
	if (records.length === 0) throw new SyntaxError('A record is missing');
	return records;
}

/** The first byte that is neither space nor a byte order mark. */
function firstByte(json: Uint8Array): number | undefined {
	return json.find((byte) => byte > 0x20 && ![0xef, 0xbb, 0xbf].includes(byte));
}

/** Answers of the service, with what they prove, and the API key, which nobody is to see. */
import type { FaultAction, RecordedRequest, SimMessage } from '../../simulator/index.mts';

/** With characters that are written differently in a URL. Its first letters occur nowhere else. */
export const KEY = 'Zq7!DEF(123)xyz+/=&42';

/** An answer of the service, or of what stands before it, to one request. */
export interface Answer {
	/** Without one, as the service does. */
	do?: FaultAction;
	/**
	 * It is evidence of what became of the message, by guarantee 5 of the design. If not, the message is unknown.
	 */
	evidence: boolean;
}

const json = (status: number, body: unknown, accept: boolean): FaultAction => ({
	kind: 'json',
	status,
	body,
	accept,
});
const page = (status: number, accept: boolean, headers = {}): FaultAction => ({
	kind: 'status',
	status,
	accept,
	headers,
});

/** By names that can be read in a counterexample: the answer, and whether the message was accepted. */
export const ANSWERS = {
	ok: { evidence: true },
	slow: { do: { kind: 'slowBody', ms: 3 }, evidence: true },

	'429': { do: { kind: 'tooManyRequests', retryAfter: 0 }, evidence: true },
	'503 Retry-After 0': { do: page(503, false, { 'Retry-After': '0' }), evidence: true },
	'400 code 12': { do: json(400, { code: 12, error: 'STOP' }, false), evidence: true },
	'400 code 19': { do: json(400, { code: 19, error: 'Fixed line' }, false), evidence: true },
	'400 code 20': { do: json(400, { code: '20', error: 'Sender' }, false), evidence: true },
	'402 code 71': { do: json(402, { code: 71, error: 'Credits' }, false), evidence: true },
	'200 code 12': { do: json(200, { code: 12, error: 'STOP' }, false), evidence: true },
	'500 code 31': { do: json(500, { code: 31, message: 'Characters' }, false), evidence: true },
	'401 code 72': { do: json(401, { code: 72, error: 'Key' }, false), evidence: true },
	'403 page': { do: page(403, false), evidence: true },
	'400 with the key': {
		do: json(400, { code: 4711, error: `apiKey=${percentEncoded(KEY)} or ${KEY}` }, false),
		evidence: true,
	},

	'reset, not accepted': { do: { kind: 'resetBeforeRead' }, evidence: false },
	'502 page, not accepted': { do: page(502, false), evidence: false },
	'504 code 504, not accepted': { do: json(504, { code: 504 }, false), evidence: false },

	'reset, accepted': { do: { kind: 'resetAfterAccept' }, evidence: false },
	'half a body, accepted': { do: { kind: 'truncatedJson', accept: true }, evidence: false },
	'200 page, accepted': { do: { kind: 'html200', accept: true }, evidence: false },
	'200 other types, accepted': { do: { kind: 'wrongTypes', accept: true }, evidence: false },
	'502 page, accepted': { do: page(502, true), evidence: false },
	'503 page, accepted': { do: page(503, true), evidence: false },
	'504 code 504, accepted': { do: json(504, { code: 504 }, true), evidence: false },
	'504 code 4, accepted': { do: json(504, { code: 4 }, true), evidence: false },
	'200 code 200, accepted': { do: json(200, { code: 200 }, true), evidence: false },
	'500 code 1000, accepted': {
		do: json(500, { code: 1000, error: 'Unknown' }, true),
		evidence: false,
	},
	'500 with text, accepted': {
		do: json(500, { status: 500, error: `Key ${percentEncoded(KEY)}` }, true),
		evidence: false,
	},
} as const satisfies Record<string, Answer>;

export type AnswerName = keyof typeof ANSWERS;

/** Those that people meet who follow the texts. */
export const FAULTS = [
	...(['reset, accepted', 'reset, not accepted', '502 page, not accepted'] as const),
	...(['500 code 1000, accepted', '200 page, accepted', '503 Retry-After 0'] as const),
	...(['401 code 72', '402 code 71'] as const),
];

/** Each character as in a URL, in lower case. */
function percentEncoded(text: string): string {
	return text.replace(/[^A-Za-z0-9]/g, (character) =>
		`%${character.charCodeAt(0).toString(16)}`.toLowerCase(),
	);
}

/** A request as it arrived. */
export interface Arrival {
	request: RecordedRequest;
	/** Tells lineage, run and item. */
	tag: string;
	answer: AnswerName;
	/** Set when the service accepted a message. */
	message?: SimMessage;
	/** Its execution had ended. */
	isLate: boolean;
	/** Requests of all kinds that were under way with it. */
	inFlight: number;
}

/** It tells that the message was accepted. */
export function isReceipt({ answer }: Pick<Arrival, 'answer'>): boolean {
	return answer === 'ok' || answer === 'slow';
}

/** Nobody can tell from the answer what became of the message. */
export function isDoubtful({ answer }: Arrival): boolean {
	return !ANSWERS[answer].evidence;
}

/**
 * Finds the API key, or the beginning of it, in a text, however it is written in a URL.
 *
 * @returns what stands around it; empty when it isn't there
 */
export function keyIn(text: string): string {
	const start = KEY.slice(0, 3);
	for (const spelled of [text, text.replace(/%(25)*([0-9a-f]{2})/gi, decoded)]) {
		const at = spelled.indexOf(start);
		if (at >= 0) return spelled.slice(Math.max(0, at - 80), at + 30);
	}
	return '';
}

const decoded = (_: string, __: string, hex: string) => String.fromCharCode(parseInt(hex, 16));

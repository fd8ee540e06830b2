import { forEach } from '../chunks';
import type { Answer } from './failure';

const MASK = '*****';
/** A shorter text is no key: it would be found in other words. */
export const SHORTEST_KEY = 8;
/** Of a key that is cut off. Fewer characters of it say nothing. */
const SHORTEST_START = 4;
/** Escapes of escapes that are followed. Bounded: hostile texts consist of nothing else. */
const DEEPEST = 16;

/** A printable character as URLs, JSON and other code write it, then as HTML does: by its code, or by a name. */
const ESCAPE =
	/(?:%|\\x|\\u00)([2-7][\da-f])|\\(["'\\/])|&#x0{0,6}([2-7][\da-f]);|&#0{0,6}(3[2-9]|[4-9]\d|1[01]\d|12[0-6]);|&(amp|lt|gt|quot|apos);/gi;
const NAMES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Quoted-printable, on its own: an equals sign often stands in front of the key itself. */
const MAIL_ESCAPE = /=([2-7][\da-f])/gi;

/** A text without one level of escapes. */
function decode(text: string): string {
	return text.replace(
		ESCAPE,
		(_, code?: string, sign?: string, hex = code, decimal = `0x${hex}`, name?: string) => {
			if (name !== undefined) return NAMES[name.toLowerCase()];
			return sign ?? String.fromCharCode(Number(decimal));
		},
	);
}

function decodeMail(text: string): string {
	return decode(text.replace(/=\r?\n/g, '').replace(MAIL_ESCAPE, '%$1'));
}

/** Redacts the API key in a text. */
export type Clean = (text: string) => string;

/**
 * A function that redacts the API key in texts, in any case: as it is, written with these escapes, also several times
 * over, in base64 or in hexadecimal, rounded as a number, and its start where a text is cut off (`…`). A text that
 * writes the key with escapes is decoded.
 *
 * @param key the credential's key; anything that can't be one leaves texts as they are
 */
export function cleanerOf(key: unknown): Clean {
	const secret = typeof key === 'string' ? key.trim() : '';
	if (secret.length < SHORTEST_KEY) return (text) => text;
	const pattern = patternOf(secret);
	const redact: Clean = (text) => text.replace(pattern, MASK);
	return (text) => {
		if (text.length < SHORTEST_START) return text;
		const redacted = redact(text);
		if (!/[%&\\=]/.test(redacted)) return redacted;
		return redactDecoded(redactDecoded(redacted, decode, redact), decodeMail, redact);
	};
}

/** Redacts a key that is written with escapes, also with escapes of escapes. A text without one stays as it is. */
function redactDecoded(text: string, decodeOnce: Clean, redact: Clean, levels = DEEPEST): string {
	const decoded = decodeOnce(text);
	if (levels === 0 || decoded === text) return text;
	const redacted = redact(decoded);
	const result = redactDecoded(redacted, decodeOnce, redact, levels - 1);
	return result === decoded ? text : result;
}

function patternOf(key: string): RegExp {
	const literals = [key, Buffer.from(key).toString('hex')];
	// In base64, a text looks different at each of three places, and its ends depend on what is beside it.
	for (const shift of [0, 1, 2]) {
		const bytes = Buffer.from('\0'.repeat(shift) + key);
		const [from, to] = [Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6)];
		for (const encoding of ['base64', 'base64url'] as const)
			literals.push(bytes.toString(encoding).slice(from, to));
	}
	const asNumber = String(Number(key));
	if (/^\d+$/.test(key) && asNumber.length >= SHORTEST_KEY) literals.push(asNumber);
	const characters = [...key].map(escapeForPattern);
	const start = characters.slice(0, SHORTEST_START).join('');
	const further = characters
		.slice(SHORTEST_START)
		.reduceRight((after, character) => `(?:${character}${after})?`, '');
	const cut = `${start}${further}(?=(?:[%&\\\\=][#\\w]{0,6})?…)`;
	return new RegExp([...literals.map(escapeForPattern), cut].join('|'), 'gi');
}

function escapeForPattern(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/**
 * An answer as all readers get it: the key redacted in headers, names and values of the body. A list of hundreds of
 * thousands of records is read with breaks for n8n's other work.
 *
 * @param answer its body is changed
 */
export async function receive(answer: Answer, clean: Clean): Promise<Answer> {
	const { body } = answer;
	const headers = cleanData({ ...answer.headers }, clean);
	if (!Array.isArray(body)) return { ...answer, headers, body: cleanData(body, clean) };
	await forEach(body.keys(), (at) => (body[at] = cleanData<unknown>(body[at], clean)));
	return { ...answer, headers };
}

/** Redacts names, texts and numbers anywhere in data. What has no key stays the same object. */
export function cleanData<T>(value: T, clean: Clean): T {
	if (typeof value === 'string') return clean(value) as T;
	if (typeof value === 'number') {
		const text = String(value);
		return clean(text) === text ? value : (MASK as T);
	}
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) {
		const parts = value.map((part) => cleanData<unknown>(part, clean));
		return parts.some((part, at) => part !== value[at]) ? (parts as T) : value;
	}
	let isChanged = false;
	const parts = Object.entries(value).map(([name, part]) => {
		const cleaned = [clean(name), cleanData<unknown>(part, clean)] as const;
		isChanged ||= cleaned[0] !== name || cleaned[1] !== part;
		return cleaned;
	});
	return isChanged ? (Object.fromEntries(parts) as T) : value;
}

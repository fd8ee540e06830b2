import { forEach } from '../chunks';
import type { Answer } from './failure';

const MASK = '*****';
/** A shorter text is no key: it would be found in other words. */
export const SHORTEST_KEY = 8;
/** Of a key that is cut off. Fewer characters of it say nothing. */
const SHORTEST_START = 4;
/** Escapes of escapes that are followed. Bounded: hostile texts consist of nothing else. */
const NESTED = '{1,16}';

const HTML_ENTITIES: Readonly<Record<string, string>> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": '(?:apos|#39|#x27)',
};

/** Redacts the API key in a text. */
export type Clean = (text: string) => string;

/**
 * A function that redacts the API key in texts: in any case, as it is sent, with any of its characters written
 * as in a URL (`%21`, once or several times over), in JSON (`\u0021`) or in HTML (`&amp;`), and its start where
 * a text is cut off (`…`).
 *
 * @param key the credential's key; anything that can't be one leaves texts as they are
 */
export function cleanerOf(key: unknown): Clean {
	const secret = typeof key === 'string' ? key.trim() : '';
	if (secret.length < SHORTEST_KEY) return (text) => text;
	const spellings = [...secret].map(anySpelling);
	const start = spellings.slice(0, SHORTEST_START).join('');
	const rest = spellings.slice(SHORTEST_START);
	const further = rest.reduceRight((after, spelling) => `(?:${spelling}${after})?`, '');
	const pattern = new RegExp(`${start}(?:${rest.join('')}|${further}(?=…))`, 'gi');
	return (text) => (text.length > SHORTEST_START ? text.replace(pattern, MASK) : text);
}

function anySpelling(character: string): string {
	const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
	const entity = HTML_ENTITIES[character];
	const spellings = [
		escapeForPattern(character),
		`%(?:25){0,16}${hex}`,
		`\\\\${NESTED}u00${hex}`,
		...(/["\\/]/.test(character) ? [`\\\\${NESTED}${escapeForPattern(character)}`] : []),
		...(entity === undefined ? [] : [`&${entity};`]),
	];
	return `(?:${spellings.join('|')})`;
}

function escapeForPattern(character: string): string {
	return character.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/**
 * An answer as all readers get it: the key redacted in headers, names and values of the body. A list of hundreds of
 * thousands of records is read with breaks for n8n's other work.
 *
 * @param answer its body is changed
 */
export async function receive(answer: Answer, clean: Clean): Promise<Answer> {
	const walk = (value: unknown): unknown => {
		if (typeof value === 'string') return clean(value);
		if (typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) {
			for (let at = 0; at < value.length; at++) value[at] = walk(value[at]);
			return value as unknown;
		}
		for (const [name, part] of Object.entries(value)) {
			const cleaned = walk(part);
			const cleanName = clean(name);
			if (cleanName === name && cleaned === part) continue;
			delete (value as Record<string, unknown>)[name];
			// An assignment to `__proto__` would not set a field.
			const field = { value: cleaned, enumerable: true, configurable: true, writable: true };
			Object.defineProperty(value, cleanName, field);
		}
		return value;
	};
	const { body } = answer;
	const headers = walk({ ...answer.headers }) as Answer['headers'];
	if (!Array.isArray(body)) return { ...answer, headers, body: walk(body) };
	await forEach(body.keys(), (at) => (body[at] = walk(body[at])));
	return { ...answer, headers };
}

/** Redacts texts anywhere in the data of an item. */
export function cleanData<T>(value: T, clean: Clean): T {
	if (typeof value === 'string') return clean(value) as T;
	if (Array.isArray(value)) return value.map((part) => cleanData<unknown>(part, clean)) as T;
	if (typeof value !== 'object' || value === null) return value;
	const parts = Object.entries(value).map(([name, part]) => [
		name,
		cleanData<unknown>(part, clean),
	]);
	return Object.fromEntries(parts) as T;
}

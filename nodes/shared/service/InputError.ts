import { isRounded } from './answers';
import { countOf, listOf } from './countOf';

/**
 * Input that cannot be sent. Thrown by every check in this folder before any request is made;
 * the caller adds the item and the field as the editor shows it.
 */
export class InputError extends Error {
	/**
	 * @param message what is wrong, in the user's words: one line, whatever is quoted in it
	 * @param description what to do about it
	 * @param problems of which it consists, where there are several
	 */
	constructor(
		message: string,
		readonly description?: string,
		readonly problems?: readonly InputError[],
	) {
		super(oneLine(message));
		this.name = 'InputError';
	}
}

/**
 * Reads the parts of an item, so that all of its mistakes can be corrected at once.
 *
 * @throws InputError with all of them: the first one, and the others in its advice
 */
export function readAll<T extends readonly unknown[]>(
	...parts: { [Part in keyof T]: () => T[Part] }
): T {
	const wrong: InputError[] = [];
	const values = parts.map((read) => {
		try {
			return read();
		} catch (error) {
			// n8n's errors of expressions have the same two texts.
			const { problems = [error] } = error as InputError;
			wrong.push(...(problems as InputError[]));
			return undefined;
		}
	});
	const [first, ...others] = wrong;
	if (first === undefined) return values as unknown as T;
	if (others.length === 0) throw first;
	const told = new Set([first.description]);
	const lines = others.map(({ message, description = '' }) => {
		const advice = told.has(description) ? '' : ` ${description}`;
		told.add(description);
		return `Also: ${message}.${advice}`;
	});
	throw new InputError(
		`${first.message}, and ${countOf(others.length, 'more problem')}`,
		[first.description, ...lines].filter(Boolean).join('\n'),
		wrong,
	);
}

/** Says in front of an error which of several parts it is about. @throws InputError */
export function inPart<T>(part: string, parts: number, read: () => T): T {
	try {
		return read();
	} catch (error) {
		const { message, description } = error as InputError;
		throw parts === 1 ? error : new InputError(`${part}: ${message}`, description);
	}
}

/** A short, safe rendering of a wrong value for an error text. */
export function show(value: unknown): string {
	if (value === undefined || value === null) return String(value);
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	const text = String(value);
	return `"${oneLine(text.length > 40 ? `${startOf(text, 40)}…` : text)}"`;
}

/** Control characters, line breaks of any kind, and marks that turn text around. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A text of somebody else as a part of one of ours: printable, and without lines of its own. */
export function oneLine(text: string): string {
	return text.replace(UNPRINTABLE, ' ');
}

/**
 * The start of a text that is too long, never cut in the middle of an emoji.
 *
 * @param most how many UTF-16 code units, as `length` counts
 */
export function startOf(text: string, most: number): string {
	return text.slice(0, most).replace(/\p{Cs}$/u, '');
}

/** A surrogate without the other one of its pair, as `isWellFormed` says. */
const HALF_CHARACTER = /\p{Cs}/u;

/**
 * Reads a parameter that has to be a text. Half of a character, which is what is left of an emoji when
 * a text is cut in the middle of it, is refused: in JSON, readers take every half for the same
 * replacement character, and in a URL, n8n writes it and the next character as a third one.
 *
 * @param field the field as the editor shows it
 * @throws InputError also for what `readText` refuses
 */
export function requireText(value: unknown, field: string): string {
	const text = readText(value, field);
	if (!HALF_CHARACTER.test(text)) return text;
	throw new InputError(
		`'${field}' has half of an emoji or of another character`,
		"The text was cut off in the middle of it. An expression such as {{ $json.text.slice(0, 20) }} counts halves; {{ [...String($json.text ?? '')].slice(0, 20).join('') }} counts characters.",
	);
}

/** Marks that come along with a paste, and that nobody sees. */
export const PASTED = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u;

/** A label or an ID without the spaces and pasted marks around it: with one, it would be another. */
export function trimmed(text: string): string {
	const isAround = (character = 'x') => character.trim() === '' || PASTED.test(character);
	let [start, end] = [0, text.length];
	while (isAround(text[start])) start++;
	while (end > start && isAround(text[end - 1])) end--;
	return text.slice(start, end);
}

/** Spaces, and what nobody sees at all, such as a zero-width space. */
const INVISIBLE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/**
 * A text that has to be there, without what `trimmed` leaves out.
 *
 * @param advice what to enter
 * @throws InputError as `requireText`, and where nothing is left that can be seen
 */
export function requireTrimmed(value: unknown, field: string, advice: string): string {
	const text = trimmed(requireText(value, field));
	if (!INVISIBLE.test(text)) return text;
	throw new InputError(`'${field}' is empty`, advice);
}

/** Advice on a number that `isRounded`. */
export const ROUNDED =
	'n8n rounds a number with more than 15 digits, so that it may be another one by now. Let the node before this one give it as text.';

/**
 * Reads a text whatever its characters. Numbers are taken as they are written, everything else that an
 * expression can give (object, list, null, undefined, true) is refused by name, as is a number that was rounded.
 *
 * @param field the field as the editor shows it
 * @throws InputError
 */
export function readText(value: unknown, field: string): string {
	if (typeof value === 'string') return value;
	if (isRounded(value)) {
		throw new InputError(`'${field}' is ${show(value)}, not an exact number`, ROUNDED);
	}
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	if (value === undefined || value === null) {
		throw new InputError(
			`'${field}' is empty`,
			'Its expression finds nothing. Check the name of the field in it.',
		);
	}
	throw new InputError(
		`'${field}' is ${show(value)}, not a text`,
		`The expression in '${field}' must return text. ${adviceOnParts(value)}`.trim(),
	);
}

/** How to reach a text in what isn't one, as CRMs give several phone numbers. */
function adviceOnParts(value: unknown): string {
	if (Array.isArray(value))
		return "Use one entry of the list, such as {{ $json.phone[0] }} or {{ $json.phone[0].value }}, or put a Split Out node before this one, with 'Include' set to All Other Fields, so that each entry has an item.";
	if (typeof value !== 'object') return '';
	const fields = Object.keys(value ?? {});
	return fields.length === 0
		? 'Use one field of the object, such as {{ $json.customer.phone }}.'
		: `Use one field of the object. It has ${listOf(fields.map(show), MOST_NAMED)}.`;
}

/** Advice for an expression that finds nothing. */
const CHECK_NAMES = /Check the names? of the fields? in it[^.]*\./;
const MOST_NAMED = 12;

/** Advice for a field that can be missing. */
const OR_DEFAULT = 'If the field can be missing or empty,';

/** @param written an expression with the default of a field */
export const orWrite = (written: string) => `${OR_DEFAULT} write {{ ${written} }}.`;

/**
 * The advice for one item: with the fields that there are beside that to check the name of one, and in a tool, with
 * the default of what n8n takes from `$fromAI`.
 *
 * @param json the input item
 */
export function adviceForItem(advice: string, json: object, isTool: boolean): string {
	const names = Object.keys(json).map((name) => `'${oneLine(name)}'`);
	const there = names.length === 0 ? 'no fields' : listOf(names, MOST_NAMED);
	const named = advice.replace(CHECK_NAMES, (check) => `${check} This item has ${there}.`);
	if (!isTool || !advice.includes(OR_DEFAULT)) return named;
	return `${named} If a model may leave it out, give $fromAI that default as its fourth argument.`;
}

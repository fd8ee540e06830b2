import {
	codePointsOf,
	findRefusedCharacters,
	replaceUnsupported,
	type MessageType,
	type RefusedCharacter,
	type Replacement,
} from './characters';
import { countOf, inWords, listOf } from './countOf';
import { InputError, readText, requireText, show } from './InputError';
import { splitLinks } from './links';
import { LONGEST_MESSAGE } from './segments';

/** Treatment of characters outside the service's set. */
export type UnsupportedCharacters = 'reject' | 'replace' | 'keep';

/** A text as the service would get it. */
export interface WrittenMessage {
	text: string;
	replacements: Replacement[];
	/** Its characters that the service would refuse. */
	refused: RefusedCharacter[];
}

/** Names of characters that nobody sees, for texts that say what was replaced. */
const INVISIBLE: Readonly<Record<string, string>> = {
	' ': 'space',
	'\t': 'tab',
	'\n': 'line break',
	'\u00a0': 'no-break space',
	'\u00ad': 'soft hyphen',
	'\u200b': 'zero-width space',
	'\u2028': 'line separator',
	'\u202f': 'narrow no-break space',
	'\ufeff': 'byte order mark',
};

/** Whether a character can be seen, unlike a zero-width space. */
export function isVisible(character: string): boolean {
	return /^[^\p{C}\p{Z}\p{M}]/u.test(character);
}

/** A character, or the name of one that nobody sees; a replacement without the spaces that keep it apart. */
function nameOf(text: string): string {
	const visible = text.trim();
	if (isVisible(visible)) return visible;
	return INVISIBLE[text] ?? codePointsOf(text);
}

/** Characters that are named in a text. */
const MOST_REFUSED = 5;
const MOST_REPLACED = 12;

/** Names refused characters and where they stand. */
export function describeRefused(refused: readonly RefusedCharacter[]): string {
	const named = refused.map(
		({ character, codePoint, position }) =>
			`${isVisible(character) ? character : codePoint} at ${position}`,
	);
	return listOf(named, MOST_REFUSED);
}

/** Code between double braces, as n8n writes expressions. */
const BRACES = /\{\{((?:[^{}]|\{(?!\{)|\}(?!\}))*)\}\}/g;
/** A field of n8n without braces: $json.name, $('Webhook').item. */
const BARE = /\$(?:json(?:\.\w|\[)|\(["'])\S{0,60}/;

/** An expression that is text: n8n has not put its value there, such as {{ $json.name }}, {{ name }} or $json.name. */
export function expressionIn(text: string): string | undefined {
	const isCode = ([, code]: RegExpExecArray) => /^[\s{]*[$\p{L}]|\$[\p{L}(]/u.test(code);
	return [...text.matchAll(BRACES)].find(isCode)?.[0] ?? BARE.exec(text)?.[0];
}

/** The text of a parameter that n8n takes as it is: all of it in Fixed mode, else what stands beside expressions. */
export function fixedPart(typed: string): string {
	return typed.startsWith('=') ? typed.replace(BRACES, ' ') : typed;
}

/** What to do about an expression without braces; empty for one with braces. */
export function adviceOnBraces(expression: string): string {
	if (expression.startsWith('{{')) return '';
	const [path = '$json.name'] =
		/^\$(?:json(?:\.\w+)+(?=[^\w.([]*$)|(?:now|today)\b.*)/s.exec(expression) ?? [];
	return `Write it in double braces: {{ ${path} }}. `;
}

/**
 * A text that somebody is to read, as it was written.
 *
 * @param instead what to write instead of an expression that is typed as text
 * @throws InputError for what is no text, for one that no SMS can hold, and for an expression in it
 */
export function requireMessage(value: unknown, instead = ''): string {
	const typed = readText(value, 'Message');
	requirePossible(typed);
	const expression = expressionIn(typed);
	if (expression !== undefined) {
		throw new InputError(
			`'Message' contains ${show(expression)} as text, so the recipient would read that`,
			`${instead}${adviceOnBraces(expression)}To put in a value of the input, 'Message' has to be an Expression, not Fixed. If an expression or a model gives it, the value itself has to be in the text, without braces.`,
		);
	}
	return typed;
}

function requirePossible({ length }: string): void {
	if (length <= LONGEST_MESSAGE) return;
	throw new InputError(
		`'Message' has ${inWords(length)} characters, which is more than an SMS can ever have`,
		`The maximum is ${inWords(LONGEST_MESSAGE)}. Shorten the text. If it is an expression, it may return a whole document instead of one field.`,
	);
}

/**
 * The text as the service would get it, and what it would refuse of it (interface document, section 8).
 *
 * @param typed as `requireMessage` gives it
 * @throws InputError for a text that no SMS can hold once its characters are replaced
 */
export function writeMessage(
	typed: string,
	type: MessageType,
	unsupported: UnsupportedCharacters,
): WrittenMessage {
	const written =
		unsupported === 'replace'
			? replaceUnsupported(typed, type)
			: { text: typed, replacements: [] };
	requirePossible(written.text);
	return { ...written, refused: findRefusedCharacters(written.text, type) };
}

/**
 * Writes a text that is to be sent. Characters that the service would refuse are no error here.
 *
 * @throws InputError as `writeMessage`, for an empty text, and with `keep` for half of a character
 */
export function writeFilledMessage(
	...[typed, type, unsupported]: Parameters<typeof writeMessage>
): WrittenMessage {
	if (unsupported === 'keep') requireText(typed, 'Message');
	const written = writeMessage(typed, type, unsupported);
	if (written.text.trim() !== '') return written;
	throw typed.trim() === ''
		? new InputError(
				"'Message' is empty",
				'Enter the text of the SMS. If it comes from a field, this field is empty for this item.',
			)
		: new InputError(
				"'Message' has no character that the service accepts",
				`Nothing would be left of it: ${describeReplacements(written.replacements)}. Write it in words: emoji and signs without a similar character are removed.`,
			);
}

/** @throws InputError for characters that the service refuses, unless they are to be kept */
export function requireAccepted(
	message: Pick<WrittenMessage, 'text' | 'refused'>,
	type: MessageType,
	unsupported: UnsupportedCharacters,
): void {
	const { refused } = message;
	if (unsupported === 'keep' || refused.length === 0) return;
	throw new InputError(
		`'Message' has characters that the service refuses in a ${type} message: ${describeRefused(refused)}`,
		unsupported === 'replace'
			? adviceOn(message, type)
			: "Remove them, or set 'Unsupported Characters' under Options to Replace.",
	);
}

/** Advice on characters that can't be replaced. */
function adviceOn(
	{ text, refused }: Pick<WrittenMessage, 'text' | 'refused'>,
	type: MessageType,
): string {
	if (refused.some(({ character }) => character === '\ufffd'))
		return 'In the place of each \ufffd, a letter was lost before this node. Read the file or the answer in its own encoding, such as UTF-8 or Windows-1252.';
	return (
		adviceOnAddresses(text, type) ||
		"The service doesn't support these characters, and there are no similar ones. Write it in other words or letters."
	);
}

/** Advice on an e-mail address that is refused in a text: a sentence, empty for none. */
export function adviceOnAddresses(text: string, type: MessageType): string {
	const refused = splitLinks(text).find(
		(piece) => piece.kind === 'address' && findRefusedCharacters(piece.text, type).length > 0,
	);
	if (refused === undefined) return '';
	return `With similar letters, the e-mail address ${refused.text} would be another one. Leave it out, or write another address or a link instead.`;
}

/**
 * The text as it is sent to the service.
 *
 * @throws InputError as `writeFilledMessage` and `requireAccepted`
 */
export function prepareMessage(
	...[typed, type, unsupported]: Parameters<typeof writeMessage>
): Omit<WrittenMessage, 'refused'> {
	const { refused, ...message } = writeFilledMessage(typed, type, unsupported);
	requireAccepted({ ...message, refused }, type, unsupported);
	return message;
}

/** The replacements as a short text: `’ → ', ë → e, 🎄 removed`. Empty for nothing. */
export function describeReplacements(replacements: readonly Replacement[]): string {
	const named = replacements.map(({ character, replacement }) =>
		replacement === ''
			? `${nameOf(character)} removed`
			: `${nameOf(character)} → ${nameOf(replacement)}`,
	);
	return listOf([...new Set(named)], MOST_REPLACED);
}

/** A line above the results, as each of them has of its own. @returns undefined where nothing was replaced */
export function noteOnReplacements(
	messages: ReadonlyArray<{ replacements: readonly Replacement[] }>,
): string | undefined {
	const replaced = messages.filter(({ replacements }) => replacements.length > 0);
	if (replaced.length === 0) return undefined;
	const all = replaced.flatMap(({ replacements }) => replacements);
	return `Characters that the service doesn't accept were replaced in ${countOf(replaced.length, 'message')} (${describeReplacements(all)}).`;
}

/** The field of a result that names the replacements in its message. */
export function replacedIn(replacements: readonly Replacement[]): { replacements?: string } {
	return replacements.length === 0 ? {} : { replacements: describeReplacements(replacements) };
}

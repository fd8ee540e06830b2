import {
	findRefusedCharacters,
	replaceUnsupported,
	type MessageType,
	type RefusedCharacter,
	type Replacement,
} from './characters';
import { InputError, requireText } from './InputError';

/** What to do with characters outside the service's set. */
export type UnsupportedCharacters = 'reject' | 'replace' | 'keep';

/** A message text ready to send. */
export interface MessageText {
	text: string;
	replacements: Replacement[];
}

/** Names refused characters and where they stand, at most five of them. */
export function describeRefused(refused: RefusedCharacter[]): string {
	const named = refused
		.slice(0, 5)
		.map(({ character, codePoint, position }) =>
			/^[\p{C}\p{Z}\p{M}]/u.test(character)
				? `${codePoint} at ${position}`
				: `${character} at ${position}`,
		)
		.join(', ');
	return refused.length > 5 ? `${named} and ${refused.length - 5} more` : named;
}

/**
 * A text that somebody is to read.
 *
 * @throws InputError for what is no text, and for an object written into it
 */
export function requireMessage(value: unknown, field = 'Message'): string {
	const typed = requireText(value, field);
	if (!typed.includes('[object Object]')) return typed;
	throw new InputError(
		`'${field}' contains [object Object]`,
		`An expression inside of '${field}' gives an object. Pick one field of it, such as {{ $json.customer.name }}.`,
	);
}

/**
 * The text as it goes to the service, under the rules of interface document, section 8.
 *
 * @throws InputError for what requireMessage refuses, for an empty text, and for characters that the service refuses unless `keep`
 */
export function prepareMessage(
	value: unknown,
	type: MessageType,
	unsupported: UnsupportedCharacters,
	field = 'Message',
): MessageText {
	const typed = requireMessage(value, field);
	const { text, replacements } =
		unsupported === 'replace'
			? replaceUnsupported(typed, type)
			: { text: typed, replacements: [] };
	if (text.trim() === '') {
		throw new InputError(
			typed.trim() === ''
				? `'${field}' is empty`
				: `'${field}' has no character that the service accepts`,
			'Write the text of the SMS.',
		);
	}
	const refused = unsupported === 'keep' ? [] : findRefusedCharacters(text, type);
	if (refused.length > 0) {
		throw new InputError(
			`'${field}' has characters that the service refuses in a ${type} message: ${describeRefused(refused)}`,
			unsupported === 'replace'
				? 'These letters have no readable stand-in in the alphabet of the service. Rewrite the text.'
				: "Take them out, or set 'Unsupported Characters' under Options to Replace.",
		);
	}
	return { text, replacements };
}

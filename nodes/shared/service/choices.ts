import type { MessageType } from './characters';
import { InputError, show } from './InputError';
import type { UnsupportedCharacters } from './message';

/** The options that were added, by name. */
export type Options = Readonly<Record<string, unknown>>;

/**
 * One of a fixed set of values.
 *
 * @param field the field as the editor shows it
 * @throws InputError for a value that only an expression can give
 */
export function readChoice<T extends string>(
	value: unknown,
	choices: readonly T[],
	field: string,
): T {
	const choice = choices.find((candidate) => candidate === value);
	if (choice !== undefined) return choice;
	const named = [choices.slice(0, -1).join(', '), choices.at(-1)].join(' or ');
	throw new InputError(`'${field}' is ${show(value)}`, `It is either ${named}.`);
}

/** @throws InputError for a value that only an expression can give */
export function parseMessageType(value: unknown, field = 'Message Type'): MessageType {
	return readChoice(value, ['marketing', 'notification'], field);
}

/**
 * An option as it was given. One that was not added gives undefined; one whose expression finds
 * nothing is refused: without its date, a message would leave at once.
 *
 * @param field the option as the editor shows it
 * @param orElse what to do where the field can be missing
 * @throws InputError
 */
export function readOption(
	options: Options,
	name: string,
	field: string,
	orElse = "If the field can be missing, write {{ $json.field ?? '' }}.",
): unknown {
	if (!(name in options)) return undefined;
	const value = options[name];
	if (value !== undefined && value !== null) return value;
	throw new InputError(
		`'${field}' is ${show(value)}`,
		`The expression in '${field}' is empty for this item. Check the name of the field in it. ${orElse}`,
	);
}

/**
 * An option that is on or off.
 *
 * @throws InputError for a value that only an expression can give, such as the text "yes"
 */
export function readSwitch(
	options: Options,
	name: string,
	field: string,
	byDefault = false,
): boolean {
	return parseSwitch(readOption(options, name, field) ?? byDefault, field);
}

/** @throws InputError for what is neither true nor false, as an expression can give */
export function parseSwitch(value: unknown, field: string): boolean {
	if (typeof value === 'boolean') return value;
	throw new InputError(`'${field}' is ${show(value)}`, 'It is either true or false.');
}

/** @throws InputError */
export function readUnsupported(options: Options): UnsupportedCharacters {
	const field = 'Unsupported Characters';
	const value = readOption(options, 'unsupportedCharacters', field) ?? 'replace';
	return readChoice(value, ['reject', 'replace', 'keep'], field);
}

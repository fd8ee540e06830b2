import type { MessageType } from './characters';
import { eitherOf } from './countOf';
import { InputError, orWrite, show } from './InputError';
import type { UnsupportedCharacters } from './messageText';

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
	throw new InputError(`'${field}' is ${show(value)}`, `It is either ${eitherOf(choices)}.`);
}

/** An option that is one of a fixed set of values; its default where it was not added. @throws InputError */
export function readOptionChoice<T extends string>(
	options: Options,
	name: string,
	choices: readonly [byDefault: T, ...others: T[]],
	field: string,
): T {
	const [byDefault] = choices;
	const value = readOption(options, name, field, orDefault(byDefault)) ?? byDefault;
	return readChoice(value, choices, field);
}

/** @throws InputError for a value that only an expression can give */
export function parseMessageType(value: unknown, field = 'Message Type'): MessageType {
	return readChoice(value, ['marketing', 'notification'], field);
}

/**
 * Advice on an option whose field can be missing, or empty as a cell is.
 *
 * @param isZero whether 0 is a value of its own
 */
export function orDefault(value: string | number | boolean, isZero = false): string {
	const fallback = typeof value === 'string' ? `'${value}'` : `${value}`;
	return orWrite(`${isZero ? '$json.field === 0 ? 0 : ' : ''}$json.field || ${fallback}`);
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
	orElse = orDefault(''),
): unknown {
	return name in options ? requireGiven(options[name], field, orElse) : undefined;
}

/** @throws InputError for a value that an expression didn't find */
function requireGiven(value: unknown, field: string, orElse: string): unknown {
	if (value !== undefined && value !== null) return value;
	throw new InputError(
		`'${field}' is empty`,
		`Its expression finds nothing for this item. Check the name of the field in it. ${orElse}`,
	);
}

/**
 * An option that is on or off.
 *
 * @throws InputError as `parseSwitch`
 */
export function readSwitch(
	options: Options,
	name: string,
	field: string,
	byDefault = false,
): boolean {
	return name in options ? parseSwitch(options[name], field) : byDefault;
}

/**
 * A field that is on or off. Models, forms and spreadsheets write it as a text or a number.
 *
 * @throws InputError for anything else
 */
export function parseSwitch(value: unknown, field: string): boolean {
	const given = requireGiven(value, field, orDefault(false));
	if (isOn(given)) return true;
	if (isOff(given)) return false;
	throw new InputError(
		`'${field}' is ${show(value)}`,
		`It is either true or false. ${orDefault(false)}`,
	);
}

/** Whether a field says yes, in any of these ways. */
export const isOn = isOneOf('true', 'yes', 'on', '1', 'oui', 'vrai');
/** Whether a field says no. */
export const isOff = isOneOf('false', 'no', 'off', '0', 'non', 'faux');

function isOneOf(...words: string[]): (value: unknown) => boolean {
	return (value) =>
		['string', 'number', 'boolean'].includes(typeof value) &&
		words.includes(String(value).trim().toLowerCase());
}

/** A field for a number. */
interface Amount {
	/** As the editor shows it. */
	field: string;
	isAllowed: (amount: number) => boolean;
	/** Which numbers can be entered, as a sentence. */
	advice: string;
	/** Shown in the advice for a field that is missing. */
	byDefault: number;
}

/**
 * A number, or a text of one.
 *
 * @throws InputError for anything else: an empty text is not 0, and true is not 1
 */
export function parseAmount(
	value: unknown,
	{ field, isAllowed, advice, byDefault }: Amount,
): number {
	const orElse = orDefault(byDefault, byDefault !== 0 && isAllowed(0));
	const given = requireGiven(value, field, orElse);
	const isWritten = typeof given === 'string' && /^[+-]?\d+(?:\.\d*)?$/.test(given.trim());
	const amount = typeof given === 'number' || isWritten ? Number(given) : Number.NaN;
	if (Number.isFinite(amount) && isAllowed(amount)) return amount;
	throw new InputError(`'${field}' is ${show(value)}`, `${advice} ${orElse}`);
}

/** An option for a number; its default where it was not added. @throws InputError as `parseAmount` */
export function readAmount(options: Options, name: string, amount: Amount): number {
	return name in options ? parseAmount(options[name], amount) : amount.byDefault;
}

/** @throws InputError */
export function readUnsupported(options: Options): UnsupportedCharacters {
	const ways = ['replace', 'reject', 'keep'] as const;
	return readOptionChoice(options, 'unsupportedCharacters', ways, 'Unsupported Characters');
}

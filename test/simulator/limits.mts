/** The limits of the interface document (section 8 and the field types of section 2), as checks. */
import { Refusal } from './errors.mts';

export type MessageKind = 'marketing' | 'notification';
export type FieldType = 'STRING' | 'DATE' | 'BOOLEAN' | 'NUMBER';

export const FIELD_TYPES: readonly FieldType[] = ['STRING', 'DATE', 'BOOLEAN', 'NUMBER'];
export const DATE_FORMATS: readonly string[] = ['dd/MM/yyyy', 'dd/MM', 'MM/yyyy'];

/** Interface document section 8, plus the space, which the table leaves out but every text has. */
const ALLOWED_CHARACTERS = new Set(
	'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789' +
		'@£_!$#èé%ù&ìò()*:+;,<-=ÑñÅ.>Üüå/?à|^{}~"\\\' ',
);
const CURRENCY: Record<MessageKind, string> = { marketing: '€', notification: '¤' };

/** Milliseconds: anything smaller is a time in seconds (or from before 1974). */
const SMALLEST_MILLISECONDS = 1e11;

/**
 * Reads a phone number as the service does: national (0600000000) or international
 * (+33600000000), spaces and dots allowed.
 * @returns the number in E.164, or undefined when it is not a number
 */
export function parseNumber(input: string): string | undefined {
	const compact = input.replace(/[ .]/g, '');
	if (/^0[1-9]\d{8}$/.test(compact)) return `+33${compact.slice(1)}`;
	return /^\+[1-9]\d{6,14}$/.test(compact) ? compact : undefined;
}

/** The national format of a French number in E.164; any other number stays as it is. */
export function toNational(number: string): string {
	return number.startsWith('+33') ? `0${number.slice(3)}` : number;
}

/**
 * Takes a recipient from a request.
 * @returns the number in E.164
 * @throws {Refusal} code 10 when there is none, 11 when it is no phone number
 */
export function requireNumber(value: unknown): string {
	if (value === undefined || value === null || value === '') throw new Refusal(10);
	const number = typeof value === 'string' ? parseNumber(value) : undefined;
	if (number === undefined) throw new Refusal(11);
	return number;
}

/**
 * Takes a message text from a request.
 * @throws {Refusal} code 30 without a text, 31 with a character outside of the allowed set
 */
export function requireText(value: unknown, kind: MessageKind, lineBreaks: boolean): string {
	if (typeof value !== 'string' || value === '') throw new Refusal(30);
	for (const character of value) {
		const allowed =
			ALLOWED_CHARACTERS.has(character) ||
			character === CURRENCY[kind] ||
			(lineBreaks && (character === '\n' || character === '\r'));
		if (!allowed) throw new Refusal(31, `Invalid characters in message: ${character}`);
	}
	return value;
}

/**
 * Takes an object from a request.
 * @throws {Refusal} with `code` when it is anything else
 */
export function requireObject(value: unknown, code: number | undefined): Record<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new Refusal(code);
	}
	return value as Record<string, unknown>;
}

/**
 * Takes a custom sender: 3 to 11 alphanumeric characters, not all digits.
 * @returns the sender, or undefined when the request has none
 * @throws {Refusal} code 20 (characters), 21 (too short), 22 (too long) or 23 (digits only)
 */
export function optionalSender(value: unknown): string | undefined {
	if (value === undefined) return undefined;
	if (typeof value !== 'string' || /[^A-Za-z0-9]/.test(value)) throw new Refusal(20);
	if (value.length < 3) throw new Refusal(21);
	if (value.length > 11) throw new Refusal(22);
	if (/^\d+$/.test(value)) throw new Refusal(23);
	return value;
}

/**
 * Takes a scheduled time: an integer, milliseconds since the Unix epoch.
 * @throws {Refusal} with `code` when it is anything else (null and empty strings included)
 */
export function optionalDate(value: unknown, code: number): number | undefined {
	if (value === undefined) return undefined;
	if (!Number.isSafeInteger(value) || (value as number) < SMALLEST_MILLISECONDS) {
		throw new Refusal(code);
	}
	return value as number;
}

/**
 * Takes a text that may be left out.
 * @throws {Refusal} with `code` when it is there but is not a text
 */
export function optionalText(value: unknown, code: number): string | undefined {
	if (value === undefined) return undefined;
	if (typeof value !== 'string') throw new Refusal(code);
	return value;
}

/**
 * Checks the value of a contact in a column (interface document 2.3, 2.4): a string that holds a
 * text, a date in the column's format, 0 or 1, or a number.
 * @throws {Refusal} code 61 for a date that isn't one, no code for the others
 */
export function requireAttribute(value: unknown, type: FieldType, format: string): string {
	if (typeof value !== 'string') throw new Refusal(undefined, 'Attribute values are strings');
	if (type === 'DATE' && !isDate(value, format)) throw new Refusal(61);
	if (type === 'BOOLEAN' && value !== '0' && value !== '1') {
		throw new Refusal(undefined, 'A BOOLEAN value is 0 or 1');
	}
	if (type === 'NUMBER' && !/^[+-]?\d+([.,]\d+)?$/.test(value)) {
		throw new Refusal(undefined, 'A NUMBER value is a number');
	}
	return value;
}

function isDate(value: string, format: string): boolean {
	const pattern = format.replace('dd', '(?<day>\\d{2})').replace('MM', '(?<month>\\d{2})');
	const match = new RegExp(`^${pattern.replace('yyyy', '(?<year>\\d{4})')}$`).exec(value);
	if (match?.groups === undefined) return false;
	// 2000 is a leap year: 29/02 is a birthday in the format without a year.
	const year = Number(match.groups.year ?? '2000');
	const month = Number(match.groups.month);
	const day = Number(match.groups.day ?? '1');
	const date = new Date(Date.UTC(year, month - 1, day));
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

import { isMissing, isRounded } from './answers';
import { isCellError } from './cellError';
import { isOff, isOn } from './choices';
import { isMoment, isoIn, momentOf, readDate, type WrittenDate } from './date';
import { InputError, requireText, ROUNDED, show } from './InputError';
import type { Column, DateFormat } from './lists';

/**
 * The value of a contact in a column, as the service takes it: a string that holds a text, a date in
 * the column's format, 0 or 1, or a number (interface document 2.3, 2.4).
 *
 * @param value what a field or an expression gives
 * @param timeZone IANA name of the workflow's time zone, in which moments become dates
 * @returns undefined for nothing (undefined, null, empty text): the column stays empty
 * @throws InputError naming the column and what it takes
 */
export function writeColumnValue(
	column: Column,
	value: unknown,
	timeZone: string,
): string | undefined {
	if (isMissing(typeof value === 'string' ? value.trim() : value)) return undefined;
	return WRITERS[column.type](column, value, timeZone);
}

const WRITERS = { STRING: writeText, NUMBER: writeNumber, BOOLEAN: writeBoolean, DATE: writeDate };

/**
 * A value that the list holds, as a contact can be added with it (interface document 2.4: values are strings).
 *
 * @returns the empty text for nothing
 * @throws InputError for what is no such value: an object, a text in a column of numbers
 */
export function rewriteColumnValue(column: Column, value: unknown, timeZone: string): string {
	const isAsItIs =
		typeof value === 'string' &&
		(column.type === 'STRING' ||
			(column.type === 'NUMBER' && /^\s*[+-]?\d+([.,]\d+)?\s*$/.test(value)) ||
			(column.type === 'DATE' && column.format === undefined));
	return isAsItIs ? value : (writeColumnValue(column, value, timeZone) ?? '');
}

/**
 * A value in a form in which equal ones are the same text, whether the service has stored it or an item
 * gives it: 5, "5" and "5.0", or "Dupont" and "Dupont " (whether the service keeps a space at the end is not
 * shown). Empty for nothing.
 */
export function comparableValue(column: Column, value: unknown, timeZone: string): string {
	const text = writtenOrAsItIs(column, value, timeZone).normalize().trim();
	if (column.type !== 'NUMBER') return text;
	const [, sign, digits, decimals = ''] = /^([+-]?)(\d+)(?:[.,](\d*))?$/.exec(text) ?? [];
	if (digits === undefined) return text;
	const whole = digits.replace(/^0+(?=\d)/, '');
	const number = [whole, decimals.replace(/(?<!0)0+$/, '')].filter(Boolean).join('.');
	return sign === '-' && number !== '0' ? `-${number}` : number;
}

/** A stored value may not be one that the column takes now. */
function writtenOrAsItIs(column: Column, value: unknown, timeZone: string): string {
	try {
		return writeColumnValue(column, value, timeZone) ?? '';
	} catch {
		return typeof value === 'object' ? JSON.stringify(value) : String(value);
	}
}

function refuse(
	{ name }: Column,
	value: unknown,
	expected: string,
	advice = 'Check the value, or the expression that gives it.',
): InputError {
	return new InputError(`Column '${name}' is ${show(value)}, not ${expected}`, advice);
}

function refuseRounded(column: Column, value: unknown): void {
	if (isRounded(value)) throw refuse(column, value, 'an exact number', ROUNDED);
}

const OF_A_CELL =
	'It is an error of the spreadsheet that it comes from. Correct the cell, or leave it empty.';

function writeText(column: Column, value: unknown): string {
	if (typeof value === 'string') {
		if (isCellError(value)) throw refuse(column, value, 'a text', OF_A_CELL);
		return requireText(value, column.name);
	}
	refuseRounded(column, value);
	if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
		return String(value);
	}
	const date = isMoment(value) ? value.toJSON() : null;
	if (date !== null) return date;
	throw refuse(column, value, 'a text');
}

function writeNumber(column: Column, value: unknown): string {
	// 1 234,50 as well as 1234.50. With three digits after it, a comma may separate thousands.
	const text = String(value)
		.trim()
		.replace(/[\s\u00a0\u202f]/g, '');
	const plain = /^[+-]?\d+,(\d{1,2}|\d{4,})$/.test(text) ? text.replace(',', '.') : text;
	const isNumber =
		(typeof value === 'number' || typeof value === 'string') &&
		/^[+-]?\d+(\.\d+)?$/.test(plain);
	if (/^[+-]?\d{1,3},\d{3}$/.test(text)) {
		const meant = `${text.replace(',', '')} or ${text.replace(',', '.')}`;
		throw refuse(column, value, `a number of one meaning: it may be ${meant}`);
	}
	if (!isNumber) throw refuse(column, value, 'a number, such as 1234 or 12.5');
	refuseRounded(column, value);
	return plain;
}

function writeBoolean(column: Column, value: unknown): string {
	if (isOn(value)) return '1';
	if (isOff(value)) return '0';
	throw refuse(column, value, 'yes (true, 1) or no (false, 0)');
}

const EXAMPLE = { year: 1990, month: 12, day: 24 };

function writeDate(column: Column, value: unknown, timeZone: string): string {
	// Where the service doesn't say the format, it is the one with all parts.
	const { format = 'dd/MM/yyyy' } = column;
	const date = readDate(value);
	const isDate = typeof date === 'object';
	const written = isDate ? inFormat(dayOf(date, timeZone), format) : undefined;
	if (written !== undefined) return written;
	const expected = `a date in the format ${format}, such as ${inFormat(EXAMPLE, format)}, or an ISO date`;
	throw refuse(column, value, expected, isDate ? undefined : date || undefined);
}

/**
 * The day of a date. Midnight on its own clocks is how databases and CRMs write a day, mostly in UTC: that day is kept.
 * Any other moment becomes the day that it is in the time zone.
 */
function dayOf(date: WrittenDate, timeZone: string): WrittenDate {
	if (date.offset === undefined || date.time === 0) return date;
	return readDate(isoIn(momentOf(date, timeZone)!, timeZone)) as WrittenDate;
}

/** Undefined where the format asks for more than there is. */
function inFormat({ year, month, day }: WrittenDate, format: DateFormat): string | undefined {
	const given: Readonly<Record<string, number | undefined>> = { dd: day, MM: month, yyyy: year };
	const parts = format.split('/');
	if (parts.some((part) => given[part] === undefined)) return undefined;
	return parts.map((part) => String(given[part]).padStart(part.length, '0')).join('/');
}

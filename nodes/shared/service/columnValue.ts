import { toMilliseconds } from './date';
import { InputError, requireText, show } from './InputError';
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
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string' && value.trim() === '') return undefined;
	switch (column.type) {
		case 'STRING':
			return writeText(column, value);
		case 'NUMBER':
			return writeNumber(column, value);
		case 'BOOLEAN':
			return writeBoolean(column, value);
		case 'DATE':
			return writeDate(column, value, timeZone);
	}
}

function refuse({ name }: Column, value: unknown, expected: string): InputError {
	return new InputError(
		`The value of column '${name}' is ${show(value)}, not ${expected}`,
		`Check the value or the expression for '${name}'.`,
	);
}

function writeText(column: Column, value: unknown): string {
	if (typeof value === 'string') return requireText(value, column.name);
	if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
		return String(value);
	}
	if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
	const { isLuxonDateTime, toISO } = value as { isLuxonDateTime?: boolean; toISO?: () => string };
	if (isLuxonDateTime === true && toISO) return toISO.call(value);
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
	if (!isNumber) throw refuse(column, value, 'a number such as 12 or 12.5');
	return plain;
}

const YES = new Set(['1', 'true', 'yes', 'oui', 'vrai', 'on']);
const NO = new Set(['0', 'false', 'no', 'non', 'faux', 'off']);

function writeBoolean(column: Column, value: unknown): string {
	const text = typeof value === 'object' ? '' : String(value).trim().toLowerCase();
	if (YES.has(text)) return '1';
	if (NO.has(text)) return '0';
	throw refuse(column, value, 'yes (true, 1) or no (false, 0)');
}

/** A calendar date as far as a format needs it. */
interface CalendarDate {
	year?: number;
	month: number;
	day?: number;
}

const EXAMPLES: Readonly<Record<DateFormat, string>> = {
	'dd/MM/yyyy': '24/12/1990',
	'dd/MM': '24/12',
	'MM/yyyy': '12/1990',
};

function writeDate(column: Column, value: unknown, timeZone: string): string {
	// Where the service doesn't say the format, it is the one with all parts.
	const { format = 'dd/MM/yyyy' } = column;
	const date = readDate(value, timeZone);
	const written = date && isOnCalendar(date) ? inFormat(date, format) : undefined;
	if (written !== undefined) return written;
	throw refuse(
		column,
		value,
		`a date in the format ${format}, such as ${EXAMPLES[format]}, or an ISO date`,
	);
}

function readDate(value: unknown, timeZone: string): CalendarDate | undefined {
	if (typeof value === 'string') {
		const text = value.trim();
		const full = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text);
		if (full) return { day: Number(full[1]), month: Number(full[2]), year: Number(full[3]) };
		const dayAndMonth = /^(\d{1,2})\/(\d{1,2})$/.exec(text);
		if (dayAndMonth) return { day: Number(dayAndMonth[1]), month: Number(dayAndMonth[2]) };
		const monthAndYear = /^(\d{1,2})\/(\d{4})$/.exec(text) ?? /^(\d{4})-(\d{2})$/.exec(text);
		if (monthAndYear) {
			const [year, month] = [monthAndYear[1], monthAndYear[2]].sort(
				(a, b) => b.length - a.length,
			);
			return { month: Number(month), year: Number(year) };
		}
		// Without an offset there is nothing to convert.
		const local = /^(\d{4})-(\d{2})-(\d{2})([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?)?$/.exec(text);
		if (local) {
			return { year: Number(local[1]), month: Number(local[2]), day: Number(local[3]) };
		}
	}
	// A small number is no moment: a year, a day, the serial number of a spreadsheet.
	if (
		Number.isFinite(Number(value)) &&
		typeof value !== 'object' &&
		Math.abs(Number(value)) < 1e9
	) {
		return undefined;
	}
	const time = toMilliseconds(value, timeZone);
	if (time === undefined || !Number.isFinite(time)) return undefined;
	return dateAt(time, timeZone);
}

function dateAt(time: number, timeZone: string): CalendarDate {
	const parts = new Intl.DateTimeFormat('en-US', {
		timeZone,
		calendar: 'gregory',
		year: 'numeric',
		month: 'numeric',
		day: 'numeric',
	}).formatToParts(time);
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
	return { year: of('year'), month: of('month'), day: of('day') };
}

/** False for 30 February. Without a year, 29 February is a birthday like any other. */
function isOnCalendar({ year = 2000, month, day = 1 }: CalendarDate): boolean {
	const date = new Date(Date.UTC(2000, month - 1, day));
	date.setUTCFullYear(year, month - 1, day);
	return month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

function inFormat({ year, month, day }: CalendarDate, format: DateFormat): string | undefined {
	const two = (part: number) => String(part).padStart(2, '0');
	const four = (part: number) => String(part).padStart(4, '0');
	switch (format) {
		case 'dd/MM/yyyy':
			if (day === undefined || year === undefined) return undefined;
			return `${two(day)}/${two(month)}/${four(year)}`;
		case 'dd/MM':
			return day === undefined ? undefined : `${two(day)}/${two(month)}`;
		case 'MM/yyyy':
			return year === undefined ? undefined : `${two(month)}/${four(year)}`;
	}
}

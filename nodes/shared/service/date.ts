import { isMissing } from './answers';
import { CELL_ERROR, isCellError } from './cellError';
import { InputError, show } from './InputError';
import { lettersOf } from './lists';
import { remember } from './remember';

/** The time of a date, and its offset: T09:30:15.250+01:00, " à 9h30", " 9:30 PM", " 00:00:00 UTC". */
const TIME = String.raw`(?:(?:,? (?:(?:à|at) )?|T)(?<hour>\d{1,2}(?=:| ?h| ?[ap]\.?m)|\d\d)(?: ?h|(?= ?[ap]\.?m)|(?::| ?h ?)?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?)(?: ?(?<half>[ap])\.?m\.?)?(?: ?(?:(?<utc>Z|UTC|GMT)|(?<sign>[+-])(?<hours>\d\d)(?::?(?<minutes>\d\d))?))?)?`;
/** ISO 8601, and dates as people write them. Where the year comes last, the day comes first. */
const FORMS = [
	String.raw`(?<year>\d{4})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})${TIME}`,
	String.raw`(?<day>\d{1,2})(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<year>\d{4})${TIME}`,
	String.raw`(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)${TIME}`,
	String.raw`(?<day>\d{1,2})[-/](?<month>\d{1,2})`,
	String.raw`(?<month>\d{1,2})[-/](?<year>\d{4})`,
	String.raw`(?<year>\d{4})[-/](?<month>\d{1,2})`,
].map((form) => new RegExp(`^${form}$`, 'i'));
/** The same with the name of the month: "24 décembre 2030 9h30", "Thu, Dec 24, 2030 9:30 AM". */
const NAMED = [
	/^(?:(?<weekday>\p{L}+)\.?,? )?(?<day>\d{1,2})(?:st|nd|rd|th|er)?\.?[ -](?<month>\p{L}+)\.?,?[ -](?<year>\d{4})/iu,
	/^(?:(?<weekday>\p{L}+)\.?,? )?(?<month>\p{L}+)\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})/iu,
];
/** A date whose day could be its month. */
const EITHER_WAY = /^(?:0?[1-9]|1[0-2])([-/])(?:0?[1-9]|1[0-2])\1\d{4}/;
/** Characters of a date in any form. */
const LONGEST = 60;
/** The end of the year 2199: beyond are microseconds, digits without separators or another mistake. */
const LATEST = Date.UTC(2200, 0) - 1;
export const MINUTE = 60_000;
const DAY = 86_400_000;
/** Days since 1899 from 1982 to 2173, as spreadsheets store dates. */
const SERIAL = { from: 30_000, to: 100_000 };
/** A smaller number of milliseconds is in the years around 1970: it may be seconds as well. */
const LEAST_MILLISECONDS = 1e11;
const LEAST_SECONDS = 1e8;
const EXAMPLE = 'the year, the month, the day and the time, such as 2030-12-24T09:30.';

/** A date as a value shows it. */
export interface WrittenDate {
	year?: number;
	/** From 1. */
	month: number;
	day?: number;
	/** Milliseconds since midnight; undefined for a date without a time. */
	time?: number;
	/** How far its clocks are ahead of UTC, in milliseconds; undefined where it doesn't say. */
	offset?: number;
}

/** A moment that somebody chose. */
export interface ChosenMoment {
	/** Milliseconds since the Unix epoch (interface document, section 8). */
	moment: number;
	/** The value that was given, for errors. */
	given: unknown;
	/** IANA name of the workflow's time zone, in which it was read. */
	timeZone: string;
	/** The field as the editor shows it. */
	field: string;
	/** For the advice, what to do instead of picking a later date, where an empty field doesn't stand for now. */
	orElse?: string;
}

/**
 * Reads the moment at which a message is to be sent.
 *
 * @param value a date as n8n's fields and expressions give it: text without an offset (read in the time zone), text
 *   with an offset, a Date, a Luxon DateTime, or milliseconds
 * @returns undefined for an empty field
 * @throws InputError for an invalid date
 */
export function readMoment(
	value: unknown,
	how: Pick<ChosenMoment, 'timeZone' | 'orElse'> & Partial<Pick<ChosenMoment, 'field'>>,
): ChosenMoment | undefined {
	if (isMissing(value)) return undefined;
	const { field = 'Send At', timeZone, orElse } = how;
	const written = readDate(value);
	const isDate = typeof written === 'object';
	const moment = isDate ? momentOf(written, timeZone) : undefined;
	const given = typeof value === 'object' && moment ? new Date(moment).toISOString() : value;
	if (moment !== undefined && moment <= LATEST) return { ...how, moment, given, field };
	const orEmpty = orElse === undefined ? ' To send now, leave the field empty.' : '';
	throw new InputError(
		`'${field}' ${show(given)} is not a date`,
		`${isDate ? '' : written} Write ${EXAMPLE}${orEmpty}`.trim(),
	);
}

/**
 * A date in the past is refused, but not at once: an earlier try of the request may have been accepted before its date
 * passed. Up to a minute ago is now, as `$now` is when it is read.
 *
 * @param now milliseconds
 * @returns nothing for now; with `expired`, why a request that was not accepted yet can't be made
 */
export function dueAt(
	chosen: ChosenMoment | undefined,
	now: number,
): { date?: number; expired?: InputError } {
	if (chosen === undefined) return {};
	const { moment: date, given, field, timeZone, orElse } = chosen;
	if (date > now) return { date };
	if (date >= now - MINUTE && orElse === undefined) return {};
	const zone = isLocal(given) ? `It is in the workflow's time zone (${timeZone}). ` : '';
	const expired = new InputError(
		`'${field}' ${show(given)} is in the past`,
		`${zone}Pick a later date, ${orElse ?? 'or leave the field empty to send now'}.`,
	);
	return { date, expired };
}

/**
 * Names of a moment, one of which another moment shares that is less than half a minute away: an expression with `$now`
 * gives each item another one.
 */
export function namesOfMoment(moment: number): string[] {
	const minutes = moment / MINUTE;
	return [`in ${Math.floor(minutes)}`, `about ${Math.round(minutes)}`];
}

/** Whether a date is read on the workflow's clocks: it doesn't say on which. */
export function isLocal(given: unknown): boolean {
	const written = readDate(given);
	return typeof written === 'object' && written.offset === undefined;
}

/** What to say about values of 'Send At' that could mean something else. */
export const DATE_DOUBTS = {
	midnight: (found: string) =>
		`'Send At' without a time is midnight: ${found}. For another time, write it behind the day, such as 2030-12-24T09:30.`,
	dayFirst: (found: string) =>
		`'Send At' is read with the day before the month: ${found}. ${adviceOnMonthFirst(found)}`,
};

/** Of a moment that an expression made of a text in another format. */
const NO_FORMAT =
	"Its text has another format than the one in which the expression reads it: compare the two, such as 'M/d/yyyy H:mm' for 12/24/2030 09:30.";

/** A date with the year last, as Luxon reads it with these tokens. */
const YEAR_LAST = /^\d+([-/.])\d+\1\d{4}(?: \d+:\d\d(?::\d\d)?(?: [AP]M)?)?(?= \(|$)/i;

/** @param text begins with the date, for its format */
function adviceOnMonthFirst(text: string): string {
	const [date = '1/1/2030'] = YEAR_LAST.exec(text) ?? [];
	const half = / [AP]M$/i;
	const tokens = ['M', 'd', 'yyyy', half.test(date) ? 'h' : 'H', 'mm', 'ss'];
	const format = date.replace(half, ' a').replaceAll(/\d+/g, () => tokens.shift()!);
	return `If the month comes first in all items, write {{ DateTime.fromFormat($json.date, '${format}') }}, with your field in place of date, here or in an Edit Fields node before this one.`;
}

/** Values of 'Send At' that could mean something else: a day without a time, a day that could be the month. */
export function doubtsAboutDate(value: unknown): { midnight: string[]; dayFirst: string[] } {
	const text = plainText(value);
	const written = readDate(text);
	return {
		midnight: typeof written === 'object' && written.time === undefined ? [text] : [],
		dayFirst: EITHER_WAY.test(text) ? [text] : [],
	};
}

/**
 * Reads a date: Send At, and the values of columns.
 *
 * @returns the date as it is written, on the calendar; or advice on a value that is none, which may be empty
 */
export function readDate(value: unknown): WrittenDate | string {
	if (typeof value === 'object' && !isMoment(value)) {
		return 'Use a date in it, such as {{ $json.start.dateTime }} or {{ $json.dates[0] }}.';
	}
	const given = isMoment(value) ? value.toJSON() : value;
	if (given === null || given === 'Invalid DateTime') return NO_FORMAT;
	const written = plainText(given);
	const text = NAMED.reduce((date, form) => date.replace(form, withNumber), written);
	const parts = FORMS.map((form) => form.exec(text)?.groups).find(Boolean);
	if (parts !== undefined) return fromParts(parts, text);
	if (isCellError(text)) return CELL_ERROR;
	const isNumber = typeof value === 'number' || /^-?\d+([.,]\d+)?$/.test(text);
	return isNumber ? fromNumber(Number(text.replace(',', '.'))) : adviceOnWeekday(written);
}

/** A text without invisible characters, with plain digits, dashes and spaces. */
function plainText(value: unknown): string {
	const text = String(value).trim();
	if (text.length > LONGEST) return '';
	return text
		.normalize('NFKC')
		.replace(/\p{Cf}/gu, '')
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(/\s+/g, ' ')
		.trim();
}

/** Names of months, from 1, or of days of the week, from Sunday as 0, in English and French. */
const namesOf = remember((part: string) => {
	const names = new Map<string, number>();
	for (const locale of ['en-US', 'en-GB', 'fr'])
		for (const style of ['long', 'short']) {
			const format = new Intl.DateTimeFormat(locale, { [part]: style, timeZone: 'UTC' });
			// The firsts of a year's months are on all days of the week.
			for (let month = 0; month < 12; month++) {
				const first = new Date(Date.UTC(2026, month));
				names.set(
					lettersOf(format.format(first)),
					part === 'month' ? month + 1 : first.getUTCDay(),
				);
			}
		}
	return names;
});

type NamedParts = Record<string, string | undefined>;

/** A date with the name of its month, and perhaps of its day of the week. @returns undefined where that is no month */
function readNamed({ weekday, day, month, year }: NamedParts) {
	const number = namesOf('month').get(lettersOf(month ?? ''));
	if (number === undefined) return undefined;
	const date = new Date(midnightOf(Number(year), number, Number(day)));
	const given = namesOf('weekday').get(lettersOf(weekday ?? ''));
	const isThatDay = weekday === undefined || given === date.getUTCDay();
	return { written: `${year}-${number}-${day}`, date, given, isThatDay };
}

/** The match of a date with its month as a number, unchanged where a name is no month, or not that day of the week. */
function withNumber(match: string, ...more: unknown[]): string {
	const named = readNamed(more.at(-1) as NamedParts);
	return named?.isThatDay === true ? named.written : match;
}

/** @returns an empty text where no other day of the week is the mistake */
function adviceOnWeekday(text: string): string {
	const parts = NAMED.map((form) => form.exec(text)?.groups).find(Boolean);
	const named = parts && readNamed(parts);
	if (named?.given === undefined || named.isThatDay) return '';
	// Such as 31 February.
	if (named.date.getUTCDate() !== Number(parts!.day)) return '';
	const actual = named.date.toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' });
	return `This day is a ${actual}. Correct it, or leave the day of the week out.`;
}

/** A Date, or a DateTime of Luxon, which n8n's expressions use. As JSON, both are ISO dates, or null where they are invalid. */
export function isMoment(value: unknown): value is { toJSON: () => string | null } {
	const { isLuxonDateTime } = (value ?? {}) as { isLuxonDateTime?: boolean };
	return value instanceof Date || isLuxonDateTime === true;
}

function fromNumber(number: number): WrittenDate | string {
	if (number >= SERIAL.from && number < SERIAL.to) {
		return `This is a date as a spreadsheet stores it, in days since 1899: format its column there as text and enter the date again, or calculate the date with {{ DateTime.fromISO('1899-12-30').plus({ days: ${number} }) }}, with your field in place of ${number}.`;
	}
	const size = Math.abs(number);
	if (size >= LEAST_SECONDS && size < LEAST_MILLISECONDS) {
		return 'This looks like a time in seconds instead of milliseconds: multiply it by 1,000.';
	}
	return size >= LEAST_MILLISECONDS && size <= LATEST ? readDate(new Date(number)) : '';
}

function fromParts(parts: Record<string, string | undefined>, text: string): WrittenDate | string {
	const given = Object.entries(parts).map(([name, part]) => [name, part && Number(part)]);
	const numbers = Object.fromEntries(given) as Record<string, number | undefined>;
	const { year, month = 0, day, hour } = numbers;
	const { minute = 0, second = 0, hours = 0, minutes = 0 } = numbers;
	const half = parts.half?.toLowerCase();
	// Without a year, 29 February is a birthday like any other.
	if (!isOnCalendar(year ?? 2000, month, day ?? 1)) {
		const isMonthFirst = day !== undefined && day <= 12 && month > 12 && month <= 31;
		return isMonthFirst
			? `There is no such day: the day comes before the month, as in 24/12/2030. ${adviceOnMonthFirst(text)}`
			: `There is no such ${day === undefined ? 'month' : 'day'} on the calendar.`;
	}
	if (half !== undefined && EITHER_WAY.test(text)) {
		return `It isn't clear whether the day or the month comes first. ${adviceOnMonthFirst(text)}`;
	}
	const isOnTwelve = half === undefined || (hour! > 0 && hour! <= 12);
	if (
		!isOnTwelve ||
		(hour ?? 0) > 23 ||
		minute > 59 ||
		second > 59 ||
		hours > 23 ||
		minutes > 59
	) {
		return 'There is no such time.';
	}
	const date: WrittenDate = { year, month, day };
	if (hour !== undefined) {
		const milliseconds = Number((parts.fraction ?? '').padEnd(3, '0').slice(0, 3));
		const hourOfDay = half === undefined ? hour : (hour % 12) + (half === 'p' ? 12 : 0);
		date.time = ((hourOfDay * 60 + minute) * 60 + second) * 1_000 + milliseconds;
	}
	if ((parts.utc ?? parts.sign) !== undefined) {
		date.offset = (parts.sign === '-' ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
	}
	return date;
}

/**
 * Milliseconds since the Unix epoch; a day begins at midnight.
 *
 * @param timeZone IANA name, for a date without an offset
 * @returns undefined where the year or the day is missing
 */
export function momentOf(date: WrittenDate, timeZone: string): number | undefined {
	const { year, month, day, time = 0, offset } = date;
	if (year === undefined || day === undefined) return undefined;
	const wall = midnightOf(year, month, day) + time;
	return offset === undefined ? onClocks(wall, timeZone) : wall - offset;
}

/** Whether there is such a day. Not 30 February, which JavaScript would turn into 2 March. */
function isOnCalendar(year: number, month: number, day: number): boolean {
	const date = new Date(midnightOf(year, month, day));
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** In UTC. Date.UTC takes the year 50 for 1950. */
function midnightOf(year: number, month: number, day: number): number {
	return new Date(0).setUTCFullYear(year, month - 1, day);
}

/**
 * The moment at which the clocks of a zone show a time. An hour that comes twice when clocks go back is the
 * first of the two; one that is left out when they go forward is the hour after. That is what calendars do
 * (RFC 5545, 3.3.5).
 */
function onClocks(wall: number, timeZone: string): number {
	const before = offsetAt(wall - DAY, timeZone);
	const after = offsetAt(wall + DAY, timeZone);
	const later = wall - Math.min(before, after);
	const earlier = wall - Math.max(before, after);
	return earlier + offsetAt(earlier, timeZone) === wall ? earlier : later;
}

/** Making a format takes longer than using it thousands of times. */
const formatIn = remember(
	(timeZone: string) =>
		new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' }),
);

/** The offset of a zone's clocks at this moment, as ISO 8601 writes it: +01:00; empty or +00:00 for UTC. */
function writtenOffset(time: number, timeZone: string): string {
	// Such as 11/23/2026, GMT+01:00
	return formatIn(timeZone).format(time).split('GMT')[1];
}

/** How far the zone's clocks are ahead of UTC at this moment, in milliseconds. */
export function offsetAt(time: number, timeZone: string): number {
	const offset = writtenOffset(time, timeZone);
	// With seconds in the nineteenth century.
	const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number);
	const milliseconds = ((hours * 60 + minutes) * 60 + seconds) * 1_000;
	return offset.startsWith('-') ? -milliseconds : milliseconds;
}

/** A moment for people, on the clocks of a time zone: `23 Nov, 03:00`, with the year where it isn't this one. */
export function showDate(time: number, timeZone: string, now = Date.now()): string {
	const yearOf = (moment: number) => isoIn(moment, timeZone).slice(0, 4);
	return new Intl.DateTimeFormat('en-GB', {
		timeZone,
		day: 'numeric',
		month: 'short',
		...(yearOf(time) === yearOf(now) ? {} : { year: 'numeric' }),
		hour: '2-digit',
		minute: '2-digit',
		hourCycle: 'h23',
	}).format(time);
}

/** A moment as an ISO 8601 date with the offset of a time zone: `2026-11-23T03:00:00.000+01:00`. */
export function isoIn(time: number, timeZone: string): string {
	const offset = offsetAt(time, timeZone);
	const wall = new Date(time + offset).toISOString();
	return offset === 0 ? wall : wall.slice(0, -1) + writtenOffset(time, timeZone);
}

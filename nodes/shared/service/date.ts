import { InputError, show } from './InputError';

/**
 * ISO 8601, extended or basic: 2030-12-24T09:30:15.250+01:00, 20301224T0930+01. Without an offset, it is a
 * time on the clocks of a zone.
 */
const ISO =
	/^(?<year>\d{4})(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)(?:[T ](?<hour>\d\d)(?<colon>:?)(?<minute>\d\d)(?:\k<colon>(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:\s?(?<utc>Z)|\s?(?<sign>[+-])(?<hours>\d\d)(?::?(?<minutes>\d\d))?)?)?$/i;
/** As people write dates in Europe: 24/12/2030 09:30, 24.12.2030, 24-12-2030 à 9h30. */
const WRITTEN =
	/^(?<day>\d{1,2})(?<mark>[/.-])(?<month>\d{1,2})\k<mark>(?<year>\d{4})(?:(?:,? | à |T)(?<hour>\d{1,2})[:h](?<minute>\d\d)(?::(?<second>\d\d))?)?$/;
/** The end of the year 2199: beyond are microseconds, digits without separators or another mistake. */
const LATEST = Date.UTC(2200, 0) - 1;
const DAY = 86_400_000;
/** Days since 1899 from 1982 to 2173, as spreadsheets store dates. */
const SERIAL = { from: 30_000, to: 100_000 };
const ADVICE = 'Pick a date, or enter an ISO date such as 2030-12-24T09:30.';

/**
 * The moment at which a message is to be sent, in milliseconds since the Unix epoch (interface
 * document, section 8). A date in the past is refused, but not at once: the request may have been
 * accepted, by an earlier try, before its date passed.
 *
 * @param value a date as n8n's fields and expressions give it: text without an offset (read in
 *   `timeZone`), text with an offset, a Date, a Luxon DateTime, or milliseconds
 * @param timeZone IANA name of the workflow's time zone
 * @param now milliseconds
 * @param orElse what to do instead of picking a later date, for the advice
 * @returns nothing when the field is empty; with `expired`, why a request that was not accepted yet
 *   can't be made
 * @throws InputError for an invalid date
 */
export function readSendDate(
	value: unknown,
	timeZone: string,
	now: number,
	field = 'Send At',
	orElse = 'or leave the field empty to send now',
): { date?: number; expired?: InputError } {
	if (value === undefined || value === null || value === '') return {};
	const date = toMilliseconds(value, timeZone, [ISO, WRITTEN]);
	const mistake = mistakeOf(value);
	if (mistake !== undefined || date === undefined || !(date <= LATEST)) {
		const [what, advice] = mistake ?? ['is not a date', ADVICE];
		throw new InputError(`'${field}' ${show(value)} ${what}`, advice);
	}
	if (date >= now) return { date };
	const given = typeof value === 'object' ? new Date(date).toISOString() : value;
	const expired = new InputError(
		`'${field}' ${show(given)} is in the past`,
		`It is in the workflow's time zone (${timeZone}). Pick a later date, ${orElse}.`,
	);
	return { date, expired };
}

/** Mistakes that have advice of their own. */
function mistakeOf(value: unknown): [what: string, advice: string] | undefined {
	if (typeof value === 'object' && !isMoment(value)) {
		const part =
			'Use a date in it, such as {{ $json.start.dateTime }} or {{ $json.dates[0] }}.';
		return ['is not a date', `${part} ${ADVICE}`];
	}
	const text = String(value).trim().slice(0, LONGEST);
	const { day, month } = WRITTEN.exec(text)?.groups ?? {};
	if (day !== month && Number(day) <= 12 && Number(month) <= 12) {
		const how = 'Write the year, the month and the day, such as 2030-12-24T09:30.';
		return ['can be read in two ways: its day can be its month', how];
	}
	const number = /^\d+([.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : NaN;
	if (number >= SERIAL.from && number < SERIAL.to) {
		return [
			'is a date as a spreadsheet stores it, in days since 1899',
			`Format the column as text and enter the date again, or calculate the date with {{ DateTime.fromISO('1899-12-30').plus({ days: ${text.replace(',', '.')} }) }}, with your field in place of ${text}.`,
		];
	}
	if (number < 1e8 && !isBasic(number)) return ['is not a date', ADVICE];
	if (number < 1e11 && !isBasic(number)) {
		return [
			'looks like a time in seconds instead of milliseconds',
			`Multiply it by 1,000. ${ADVICE}`,
		];
	}
	return undefined;
}

/** Characters of a date in any form. */
const LONGEST = 60;

/** A Date, or a DateTime of Luxon, which n8n's expressions use. */
function isMoment(value: unknown): value is Date | { toMillis: () => number } {
	const { toMillis } = (value ?? {}) as { toMillis?: unknown };
	return value instanceof Date || typeof toMillis === 'function';
}

/** A day in digits alone, 20301224. The same in milliseconds would be early in 1970. */
function isBasic(number: number): boolean {
	return Number.isInteger(number) && number > 19_000_000 && number < 22_000_000;
}

/**
 * Milliseconds since the Unix epoch, or undefined for anything but a date.
 *
 * @param forms of dates in texts
 */
export function toMilliseconds(
	value: unknown,
	timeZone: string,
	forms = [ISO],
): number | undefined {
	if (isMoment(value)) {
		return Math.trunc(value instanceof Date ? value.getTime() : value.toMillis());
	}
	if (typeof value === 'number' && !isBasic(value)) return Math.trunc(value);
	if (typeof value === 'object') return undefined;
	return readText(String(value).trim(), timeZone, forms);
}

function readText(text: string, timeZone: string, forms: readonly RegExp[]): number | undefined {
	if (text.length > LONGEST) return undefined;
	if (/^\d{9,}$/.test(text)) return Number(text);
	const form = forms.find((candidate) => candidate.test(text));
	const parts = form?.exec(text)?.groups;
	if (parts === undefined) return undefined;
	const of = (part: string) => Number(parts[part] ?? 0);
	const [year, month, day, hour, minute] = ['year', 'month', 'day', 'hour', 'minute'].map(of);
	const isTime = hour <= 23 && minute <= 59 && of('second') <= 59;
	if (!isTime || !isOnCalendar(year, month, day)) return undefined;
	const milliseconds = Number((parts.fraction ?? '').padEnd(3, '0').slice(0, 3));
	const wall = Date.UTC(year, month - 1, day, hour, minute, of('second'), milliseconds);
	if (parts.utc === undefined && parts.sign === undefined) return onClocks(wall, timeZone);
	if (of('hours') > 23 || of('minutes') > 59) return undefined;
	const offset = of('hours') * 60 + of('minutes');
	return wall - (parts.sign === '-' ? -offset : offset) * 60_000;
}

/**
 * Whether there is such a day. Not 30 February, which JavaScript would turn into 2 March.
 *
 * @param month from 1
 */
export function isOnCalendar(year: number, month: number, day: number): boolean {
	const date = new Date(0);
	// Date.UTC takes the year 50 for 1950.
	date.setUTCFullYear(year, month - 1, day);
	return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
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

const formats = new Map<string, Intl.DateTimeFormat>();

/** The offset of a zone's clocks at this moment, as ISO 8601 writes it: +01:00; empty or +00:00 for UTC. */
function writtenOffset(time: number, timeZone: string): string {
	// Making a format takes longer than using it thousands of times.
	const format =
		formats.get(timeZone) ??
		new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
	formats.set(timeZone, format);
	// Such as 11/23/2026, GMT+01:00
	return format.format(time).split('GMT')[1];
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
	const yearOf = (moment: number) =>
		new Date(moment + offsetAt(moment, timeZone)).getUTCFullYear();
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

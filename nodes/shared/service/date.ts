import { InputError, show } from './InputError';

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?$/;
const ABSOLUTE =
	/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})$/i;
/** The end of the year 9999: beyond are microseconds or another mistake. */
const LATEST = Date.UTC(10_000, 0) - 1;
const DAY = 86_400_000;
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
	const date = toMilliseconds(value, timeZone);
	if (date === undefined || !(date <= LATEST)) {
		throw new InputError(`'${field}' ${show(value)} is not a date`, ADVICE);
	}
	if (Number.isFinite(Number(value)) && typeof value !== 'object' && date < 1e11) {
		throw new InputError(
			`'${field}' ${show(value)} looks like a time in seconds instead of milliseconds`,
			`Multiply it by 1,000. ${ADVICE}`,
		);
	}
	if (date >= now) return { date };
	const given = typeof value === 'object' ? new Date(date).toISOString() : value;
	const expired = new InputError(
		`'${field}' ${show(given)} is in the past`,
		`It is in the workflow's time zone (${timeZone}). Pick a later date, ${orElse}.`,
	);
	return { date, expired };
}

/** Milliseconds since the Unix epoch, or undefined for what is no date. */
export function toMilliseconds(value: unknown, timeZone: string): number | undefined {
	if (typeof value === 'number') return Math.trunc(value);
	if (value instanceof Date) return value.getTime();
	if (typeof value === 'object' && value !== null) {
		const { toMillis } = value as { toMillis?: unknown }; // Luxon, which n8n's expressions use
		return typeof toMillis === 'function' ? (toMillis.call(value) as number) : undefined;
	}
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	if (/^\d{9,}$/.test(text)) return Number(text);
	if (ABSOLUTE.test(text)) {
		if (!startsOnCalendar(text)) return undefined;
		const time = Date.parse(
			text
				.replace(/^(.{10}) /, '$1T')
				.replace(' ', '')
				.replace(',', '.'),
		);
		return Number.isNaN(time) ? undefined : time;
	}
	return startsOnCalendar(text) ? localTime(text, timeZone) : undefined;
}

function startsOnCalendar(text: string): boolean {
	const [year, month, day] = text.slice(0, 10).split('-').map(Number);
	return isOnCalendar(year, month, day);
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

function localTime(text: string, timeZone: string): number | undefined {
	const match = LOCAL.exec(text);
	if (!match) return undefined;
	const [year, month, day, hour, minute, second] = match
		.slice(1, 7)
		.map((part) => Number(part ?? 0));
	if (hour > 23 || minute > 59 || second > 59) return undefined;
	const milliseconds = Number((match[7] ?? '0').padEnd(3, '0').slice(0, 3));
	const wall = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds);
	// An hour that comes twice when clocks go back is the first of the two; one that is left out when
	// they go forward is the hour after. That is what calendars do (RFC 5545, 3.3.5).
	const before = offsetAt(wall - DAY, timeZone);
	const after = offsetAt(wall + DAY, timeZone);
	const later = wall - Math.min(before, after);
	const earlier = wall - Math.max(before, after);
	return earlier + offsetAt(earlier, timeZone) === wall ? earlier : later;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes longer than using it thousands of times. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
	let format = formats.get(timeZone);
	if (format === undefined) {
		format = new Intl.DateTimeFormat('en-US', {
			timeZone,
			hourCycle: 'h23',
			year: 'numeric',
			month: 'numeric',
			day: 'numeric',
			hour: 'numeric',
			minute: 'numeric',
			second: 'numeric',
		});
		formats.set(timeZone, format);
	}
	return format;
}

/** How far the zone's clocks are ahead of UTC at this moment, in milliseconds. */
export function offsetAt(time: number, timeZone: string): number {
	const parts = formatOf(timeZone).formatToParts(time);
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
	const wall = Date.UTC(
		of('year'),
		of('month') - 1,
		of('day'),
		of('hour'),
		of('minute'),
		of('second'),
	);
	return wall - Math.floor(time / 1000) * 1000;
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
	if (offset === 0) return new Date(time).toISOString();
	const minutes = Math.round(Math.abs(offset) / 60_000);
	const two = (number: number) => String(number).padStart(2, '0');
	const wall = new Date(time + offset).toISOString().slice(0, -1);
	return `${wall}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

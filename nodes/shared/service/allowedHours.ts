import { readChoice, readOption, readSwitch, type Options } from './choices';
import { offsetAt } from './date';
import { isFrenchHoliday, type CalendarDay } from './holidays';
import { InputError, requireText, show } from './InputError';

/** The days of the week, in the order of JavaScript's getUTCDay. */
const WEEK = [
	'sunday',
	'monday',
	'tuesday',
	'wednesday',
	'thursday',
	'friday',
	'saturday',
] as const;
export type Weekday = (typeof WEEK)[number];

/** When messages may be sent, by the clocks of a time zone. */
export interface AllowedHours {
	/** Minutes since midnight; messages are sent from here on. */
	from: number;
	/** Minutes since midnight; nothing is sent from here on. Below `from`: on the next day. */
	to: number;
	/** The days on which the hours begin. */
	days: ReadonlySet<Weekday>;
	/** Nothing is sent on a public holiday of France. */
	closedOnHolidays: boolean;
	/** What becomes of a message at another time. */
	otherwise: 'schedule' | 'refuse';
}

/** Fields of the form, as errors name them. */
export const OUTSIDE = 'Outside These Hours';
export const HOLIDAYS = 'Closed on Holidays';

const MINUTE = 60_000;
const MINUTES_OF_DAY = 1_440;
const DAY = MINUTES_OF_DAY * MINUTE;
/** Days: more than any row of public holidays on the same day of the week. */
const LONGEST_SEARCH = 100;
/** No country changes its clocks there and back in so short a time. Milliseconds. */
const BETWEEN_CHANGES = 21 * DAY;

/**
 * The option Allowed Hours: one group `hours` with `from` and `to` as HH:mm, `days`, `holidays` and
 * `otherwise`.
 *
 * @returns undefined when the option is not there, or has no group
 * @throws InputError for an invalid time, for hours of no length and for a week without days
 */
export function readAllowedHours(options: Options): AllowedHours | undefined {
	const option = readOption(options, 'allowedHours', 'Allowed Hours');
	const group = (option as { hours?: Options } | undefined)?.hours;
	if (group === undefined || group === null) return undefined;
	const from = readTime(group, 'from', 'From');
	const to = readTime(group, 'to', 'To');
	if (from === to) {
		throw new InputError(
			"'Allowed Hours' begin and end at the same time",
			"For the whole day, write 00:00 in 'From' and 24:00 in 'To'.",
		);
	}
	const otherwise = readOption(group, 'otherwise', OUTSIDE) ?? 'schedule';
	return {
		from,
		to,
		days: readDays(readOption(group, 'days', 'Days')),
		closedOnHolidays: readSwitch(group, 'holidays', HOLIDAYS),
		otherwise: readChoice(otherwise, ['schedule', 'refuse'], OUTSIDE),
	};
}

/** Minutes since midnight: 08:00, 8:00, 8h, 8h30. */
function readTime(group: Options, name: 'from' | 'to', field: string): number {
	const text = requireText(readOption(group, name, field), field).trim();
	const [, hours, minutes, otherMinutes] = /^(\d{1,2})(?::(\d{2})|h(\d{2})?)$/i.exec(text) ?? [];
	const time = Number(hours) * 60 + Number(minutes ?? otherMinutes ?? 0);
	const isTime = Number(minutes ?? otherMinutes ?? 0) < 60;
	const last = name === 'to' ? MINUTES_OF_DAY : MINUTES_OF_DAY - 1;
	if (isTime && time <= last) return time;
	throw new InputError(
		`'${field}' of 'Allowed Hours' is not a time of the day: ${show(text)}`,
		`Write it like 08:00, from 00:00 to ${name === 'to' ? '24:00' : '23:59'}.`,
	);
}

function readDays(value: unknown): ReadonlySet<Weekday> {
	const named: unknown[] =
		typeof value === 'string' ? value.split(',').map((day) => day.trim()) : asList(value);
	const days = named
		.filter((day) => day !== '')
		.map((day) =>
			readChoice(typeof day === 'string' ? day.toLowerCase() : day, WEEK_FROM_MONDAY, 'Days'),
		);
	if (days.length > 0) return new Set(days);
	throw new InputError(
		"'Allowed Hours' have no days",
		"Choose at least one day of the week in 'Days'.",
	);
}

const WEEK_FROM_MONDAY: readonly Weekday[] = [...WEEK.slice(1), WEEK[0]];

function asList(value: unknown): unknown[] {
	return Array.isArray(value) ? (value as unknown[]) : value === undefined ? [] : [value];
}

/**
 * The first moment from `time` on at which messages may leave: `time` itself, or the beginning of a
 * minute. Hours that go past midnight belong to the day on which they begin; a public holiday is closed
 * from midnight to midnight. Right on the days on which clocks are changed, too: an hour that is left out is
 * skipped, and one that comes twice is allowed twice.
 *
 * @param time milliseconds
 * @param timeZone IANA name
 * @throws InputError when there is none
 */
export function nextAllowed(hours: AllowedHours, time: number, timeZone: string): number {
	const offset = offsetAt(time, timeZone);
	const wall = wallClock(time, offset);
	if (isOpen(hours, wall)) return time;
	const { day, minute } = nextOpening(hours, wall);
	const opening = day * DAY + minute * MINUTE - offset;
	const start = Math.floor(time / MINUTE) * MINUTE;
	const seen = Math.min(opening, start + BETWEEN_CHANGES);
	if (offsetAt(seen, timeZone) !== offset) {
		return nextAllowed(hours, changeOfClocks(start, seen, offset, timeZone), timeZone);
	}
	return seen === opening ? opening : nextAllowed(hours, seen, timeZone);
}

/**
 * The same in all of several time zones at once.
 *
 * @param zones IANA names, at least one
 * @returns undefined where there is none in the next hundred days
 * @throws InputError when there is none in one of them
 */
export function nextAllowedInAll(
	hours: AllowedHours,
	time: number,
	zones: readonly string[],
): number | undefined {
	const end = time + LONGEST_SEARCH * DAY;
	for (let candidate = time; candidate <= end; ) {
		const next = Math.max(...zones.map((zone) => nextAllowed(hours, candidate, zone)));
		if (next === candidate) return next;
		candidate = next;
	}
	return undefined;
}

/** What a clock and a calendar on the wall show. */
interface Wall {
	/** Since 1 January 1970. */
	day: number;
	/** Since midnight. */
	minute: number;
}

function wallClock(time: number, offset: number): Wall {
	const day = Math.floor((time + offset) / DAY);
	return { day, minute: Math.floor((time + offset - day * DAY) / MINUTE) };
}

function isOpen(
	{ from, to, days, closedOnHolidays }: AllowedHours,
	{ day, minute }: Wall,
): boolean {
	const today = days.has(weekdayOf(day));
	const yesterday = days.has(weekdayOf(day - 1));
	const inHours =
		from < to
			? today && minute >= from && minute < to
			: (today && minute >= from) || (yesterday && minute < to);
	return inHours && !(closedOnHolidays && isFrenchHoliday(calendarDay(day)));
}

/** 1 January 1970 was a Thursday. */
function weekdayOf(day: number): Weekday {
	return WEEK[(((day + 4) % 7) + 7) % 7];
}

function calendarDay(day: number): CalendarDay {
	const date = new Date(day * DAY);
	return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** The next opening of closed hours: at `from` or, where a holiday or a day ends, at midnight. */
function nextOpening(hours: AllowedHours, { day, minute }: Wall): Wall {
	const sameDay = { day, minute: hours.from };
	if (hours.from > minute && isOpen(hours, sameDay)) return sameDay;
	for (let later = day + 1; later <= day + LONGEST_SEARCH; later++) {
		for (const opening of [0, hours.from]) {
			const wall = { day: later, minute: opening };
			if (isOpen(hours, wall)) return wall;
		}
	}
	throw new InputError(
		"'Allowed Hours' never come",
		"Choose more days, or other hours, under 'Allowed Hours'.",
	);
}

/** The first minute after `start` and up to `end` at which the clocks show another offset. */
function changeOfClocks(start: number, end: number, offset: number, timeZone: string): number {
	let before = 0;
	let after = Math.ceil((end - start) / MINUTE);
	while (after - before > 1) {
		const middle = Math.floor((before + after) / 2);
		if (offsetAt(start + middle * MINUTE, timeZone) === offset) before = middle;
		else after = middle;
	}
	return start + after * MINUTE;
}

import {
	orDefault,
	readChoice,
	readOption,
	readOptionChoice,
	readSwitch,
	type Options,
} from './choices';
import { MINUTE, offsetAt } from './date';
import { isFrenchHoliday } from './holidays';
import { InputError, requireText, show } from './InputError';

/** In the order of a week. */
export const WEEK = [
	'monday',
	'tuesday',
	'wednesday',
	'thursday',
	'friday',
	'saturday',
	'sunday',
] as const;
export type Weekday = (typeof WEEK)[number];

/** The hours of a week in which messages may be sent. */
export interface AllowedHours {
	/** Minutes since midnight; messages are sent from here on. */
	from: number;
	/** Minutes since midnight; nothing is sent from here on. Below `from`: on the next day. */
	to: number;
	/** The days on which the hours begin. */
	days: ReadonlySet<Weekday>;
	/** Nothing is sent on a public holiday of France. */
	closedOnHolidays: boolean;
	/** A message at another time is kept by the service, or refused. */
	otherwise: 'schedule' | 'refuse';
	/** The clocks that count. */
	timeZone: 'workflow' | 'recipient';
}

/** Fields of the form, as errors name them. */
export const OUTSIDE = 'Outside These Hours';
export const HOLIDAYS = 'Closed on Holidays';
export const TIME_ZONE = 'Time Zone';

const QUARTER = 15 * MINUTE;
const MINUTES_OF_DAY = 1_440;
const DAY = MINUTES_OF_DAY * MINUTE;
/** Longer than any row of public holidays on the same day of the week. */
const LONGEST_SEARCH = 100 * DAY;

/**
 * The option Allowed Hours: one group `hours` with `from` and `to` as HH:mm, `days`, `holidays`,
 * `otherwise` and `timeZone`.
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
	return {
		from,
		to,
		days: readDays(readOption(group, 'days', 'Days', orDefault(WEEK.slice(0, 6).join()))),
		closedOnHolidays: readSwitch(group, 'holidays', HOLIDAYS),
		otherwise: readOptionChoice(group, 'otherwise', ['schedule', 'refuse'], OUTSIDE),
		timeZone: readOptionChoice(group, 'timeZone', ['workflow', 'recipient'], TIME_ZONE),
	};
}

/** Minutes since midnight: 08:00, 8:00, 8h, 8h30. */
function readTime(group: Options, name: 'from' | 'to', field: string): number {
	const orElse = orDefault(name === 'from' ? '08:00' : '20:00');
	const text = requireText(readOption(group, name, field, orElse), field).trim();
	const [, hours, minutes = '0'] = /^(\d{1,2})(?:h|:(?=\d))(\d{2})?$/i.exec(text) ?? [];
	const time = Number(hours) * 60 + Number(minutes);
	const last = name === 'to' ? MINUTES_OF_DAY : MINUTES_OF_DAY - 1;
	if (Number(minutes) < 60 && time <= last) return time;
	throw new InputError(
		`'${field}' of 'Allowed Hours' is not a time of the day: ${show(text)}`,
		`Write it like 08:00, from 00:00 to ${name === 'to' ? '24:00' : '23:59'}.`,
	);
}

function readDays(value: unknown): ReadonlySet<Weekday> {
	const listed: unknown[] = typeof value === 'string' ? value.split(',') : [value].flat();
	const days = listed
		.map((day) => (typeof day === 'string' ? day.trim().toLowerCase() : (day ?? '')))
		.filter((day) => day !== '')
		.map((day) => readChoice(day, WEEK, 'Days'));
	if (days.length > 0) return new Set(days);
	throw new InputError(
		"'Allowed Hours' have no days",
		"Choose at least one day of the week in 'Days'.",
	);
}

/**
 * The first moment from `time` on at which messages may be sent: `time` itself, or the beginning of a minute at which
 * it is allowed in all of the time zones. Hours that go past midnight belong to the day on which they begin; a public
 * holiday is closed from midnight to midnight. On the days on which clocks change, an hour that is left out is skipped,
 * and one that comes twice is allowed twice.
 *
 * @param time milliseconds
 * @param zones IANA names, at least one
 * @returns undefined where the hours of the zones don't meet in the next hundred days
 */
export function nextAllowed(
	hours: AllowedHours,
	time: number,
	zones: readonly string[],
): number | undefined {
	const end = time + LONGEST_SEARCH;
	let moment = time;
	while (moment <= end) {
		const next = Math.max(...zones.map((zone) => openingFrom(hours, moment, zone)));
		if (next === moment) return moment;
		moment = next;
	}
	return undefined;
}

/**
 * This moment, if it is in the hours. Otherwise, the next one that may be: the next midnight or beginning of the hours, as
 * far as the clocks of the zone don't change.
 */
function openingFrom(hours: AllowedHours, moment: number, zone: string): number {
	const offset = offsetAt(moment, zone);
	const day = Math.floor((moment + offset) / DAY);
	const minute = Math.floor((moment + offset - day * DAY) / MINUTE);
	if (isOpen(hours, day, minute)) return moment;
	const next = minute < hours.from ? hours.from : MINUTES_OF_DAY;
	const opening = day * DAY + next * MINUTE - offset;
	// Clocks change at quarters of an hour.
	const quarter = Math.floor(moment / QUARTER + 1) * QUARTER;
	return offsetAt(opening, zone) === offset ? opening : quarter;
}

/** @param day since 1 January 1970, on the calendar of the zone, as `minute` is on its clocks */
function isOpen({ from, to, days, closedOnHolidays }: AllowedHours, day: number, minute: number) {
	const today = days.has(weekdayOf(day));
	const yesterday = days.has(weekdayOf(day - 1));
	const inHours =
		from < to
			? today && minute >= from && minute < to
			: (today && minute >= from) || (yesterday && minute < to);
	return inHours && !(closedOnHolidays && isFrenchHoliday(day * DAY));
}

/** 1 January 1970 was a Thursday. */
function weekdayOf(day: number): Weekday {
	return WEEK[(day + 3) % WEEK.length];
}

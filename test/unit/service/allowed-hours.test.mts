/** Allowed hours: design ("Parameters"). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	nextAllowed,
	readAllowedHours,
	type AllowedHours,
	type Weekday,
} from '../../../nodes/shared/service/allowedHours.ts';
import { momentOf, readDate, type WrittenDate } from '../../../nodes/shared/service/date.ts';
import { refusalOf } from '../refusal.mts';

const MINUTE = 60_000;
const PARIS = 'Europe/Paris';
const WEEK = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ') as Weekday[];
const isAllowed = (hours: AllowedHours, time: number, timeZone: string) =>
	nextAllowed(hours, time, [timeZone]) === time;
const WORKDAYS = WEEK.slice(0, 5);

/** Zones with odd offsets, changes by half an hour, at midnight, and of the southern half. */
const ZONES =
	'Europe/Paris UTC America/New_York America/St_Johns America/Havana America/Santiago ' +
	'Australia/Lord_Howe Africa/Casablanca Africa/Cairo Asia/Kathmandu Asia/Beirut ' +
	'Pacific/Chatham Pacific/Kiritimati Indian/Reunion';

const group = (more: object = {}) => ({
	allowedHours: {
		hours: {
			from: '08:00',
			to: '20:00',
			days: WORKDAYS,
			holidays: true,
			otherwise: 'schedule',
			...more,
		},
	},
});
const hours = (more: object = {}) => readAllowedHours(group(more))!;
const at = (local: string, timeZone = PARIS) => momentOf(readDate(local) as WrittenDate, timeZone)!;

/** Made once for each zone: that takes longer than reading a clock. */
const clocks = new Map<string, { wall: Intl.DateTimeFormat; offset: Intl.DateTimeFormat }>();
function clockOf(timeZone: string) {
	const clock = clocks.get(timeZone) ?? {
		wall: new Intl.DateTimeFormat('sv-SE', {
			timeZone,
			dateStyle: 'short',
			timeStyle: 'short',
		}),
		offset: new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }),
	};
	clocks.set(timeZone, clock);
	return clock;
}

/** A moment as a clock on the wall shows it, with its offset: 2026-03-29T03:00+02:00. */
function shown(time: number, timeZone = PARIS): string {
	const clock = clockOf(timeZone);
	const parts = clock.wall.format(time);
	const offset = clock.offset
		.formatToParts(time)
		.find(({ type }) => type === 'timeZoneName')!
		.value.replace('GMT', '');
	return `${parts.replace(' ', 'T')}${offset}`;
}

describe('the option', () => {
	test('as the form gives it', () => {
		expect(hours()).toEqual({
			from: 480,
			to: 1200,
			days: new Set(WORKDAYS),
			closedOnHolidays: true,
			otherwise: 'schedule',
			timeZone: 'workflow',
		});
	});

	test.each([{}, { allowedHours: {} }, { allowedHours: { hours: undefined } }])(
		'that is not set: %j',
		(options) => expect(readAllowedHours(options)).toBeUndefined(),
	);

	test.each([
		['08:00', 480],
		['8:05', 485],
		['00:00', 0],
		['23:59', 1439],
		['8h', 480],
		['8H30', 510],
		[' 9:00 ', 540],
	])('from %s', (from, minutes) => expect(hours({ from }).from).toBe(minutes));

	test('to 24:00, which is the end of the day', () => {
		expect(hours({ to: '24:00' }).to).toBe(1440);
	});

	test('days as a text', () => {
		expect(hours({ days: 'Monday, sunday' }).days).toEqual(new Set(['monday', 'sunday']));
	});

	test.each<[what: string, more: object, says: string]>([
		['no time', { from: 'noon' }, "'From'"],
		['an hour too late', { from: '24:00' }, "'From'"],
		['minutes that are none', { to: '20:60' }, "'To'"],
		['later than the end of the day', { to: '24:01' }, "'To'"],
		['a bare number', { from: 8 }, "'From'"],
		['nothing', { to: '' }, "'To'"],
		['an expression that gives nothing', { to: null }, "'To'"],
		['no length', { from: '08:00', to: '08:00' }, 'begin and end at the same time'],
		['no length at midnight', { from: '00:00', to: '00:00' }, 'begin and end'],
		['no day', { days: [] }, 'have no day'],
		['no day in the text', { days: ' , ' }, 'have no day'],
		['a day that is none', { days: ['monday', 'lundi'] }, "'Days'"],
		['a day that is a number', { days: [1] }, "'Days'"],
		['another way out', { otherwise: 'drop' }, "'Outside These Hours'"],
		['holidays as a word', { holidays: 'maybe' }, "'Closed on Holidays'"],
		['another time zone', { timeZone: 'Paris' }, "'Time Zone'"],
		['no time zone', { timeZone: null }, "'Time Zone'"],
	])('%s is refused', (_, more, says) => {
		const { message, description } = refusalOf(() => hours(more));
		expect(message).toContain(says);
		expect(description).toBeTruthy();
	});
});

describe('the next allowed minute', () => {
	test.each<[more: object, moment: string, next: string]>([
		// 2026-01-15 is a Thursday.
		[{}, '2026-01-15T07:59:30', '2026-01-15T08:00+01:00'],
		[{}, '2026-01-15T20:00', '2026-01-16T08:00+01:00'],
		[{}, '2026-01-16T20:00', '2026-01-19T08:00+01:00'],
		[{}, '2026-01-17T12:00', '2026-01-19T08:00+01:00'],
		// 1 May 2026 is a Friday; Whit Monday is 25 May.
		[{}, '2026-04-30T21:00', '2026-05-04T08:00+02:00'],
		[{ holidays: false }, '2026-04-30T21:00', '2026-05-01T08:00+02:00'],
		[{}, '2026-05-23T09:00', '2026-05-26T08:00+02:00'],
		// Christmas and New Year's Day fall on the same day of the week.
		[{ days: ['friday'] }, '2026-12-24T12:00', '2027-01-08T08:00+01:00'],
		[{ days: ['sunday'] }, '2026-01-15T12:00', '2026-01-18T08:00+01:00'],
		// Past midnight: the hours belong to the day on which they begin.
		[{ from: '22:00', to: '06:00' }, '2026-01-15T12:00', '2026-01-15T22:00+01:00'],
		[{ from: '22:00', to: '06:00' }, '2026-01-17T06:00', '2026-01-19T22:00+01:00'],
		[{ from: '22:00', to: '06:00' }, '2026-01-18T23:00', '2026-01-19T22:00+01:00'],
		[{ from: '22:00', to: '06:00' }, '2026-01-19T05:00', '2026-01-19T22:00+01:00'],
		[
			{ from: '22:00', to: '06:00', days: ['sunday'] },
			'2026-01-18T07:00',
			'2026-01-18T22:00+01:00',
		],
		// 14 July 2026 is a Tuesday: closed from midnight to midnight.
		[{ from: '22:00', to: '06:00' }, '2026-07-14T00:00', '2026-07-15T00:00+02:00'],
		// The whole day.
		[{ from: '00:00', to: '24:00' }, '2026-01-17T12:00', '2026-01-19T00:00+01:00'],
		// 29 March 2026: from 02:00 to 03:00 there is no time.
		[{ from: '02:00', to: '02:30', days: WEEK }, '2026-03-28T12:00', '2026-03-30T02:00+02:00'],
		[{ from: '02:30', to: '05:00', days: WEEK }, '2026-03-29T01:59', '2026-03-29T03:00+02:00'],
		[{ from: '06:00', days: WEEK }, '2026-03-28T21:00', '2026-03-29T06:00+02:00'],
		// 25 October 2026: from 02:00 to 03:00 comes twice.
		[{ from: '02:00', to: '02:30', days: WEEK }, '2026-10-24T12:00', '2026-10-25T02:00+02:00'],
		[{ from: '06:00', days: WEEK }, '2026-10-24T21:00', '2026-10-25T06:00+01:00'],
	])('%j at %s', (more, moment, next) => {
		expect(shown(nextAllowed(hours(more), at(moment), [PARIS])!)).toBe(next);
	});

	test('an hour that comes twice is allowed twice', () => {
		const early = hours({ from: '02:00', to: '02:30', days: WEEK });
		const first = at('2026-10-25T02:00');
		const between = first + 45 * MINUTE;
		expect(shown(nextAllowed(early, between, [PARIS])!)).toBe('2026-10-25T02:00+01:00');
	});

	test('a moment that is allowed stays what it is, to the millisecond', () => {
		const moment = at('2026-01-15T12:34:56.789');
		expect(nextAllowed(hours(), moment, [PARIS])).toBe(moment);
	});

	test('the time zone is the one that is given', () => {
		const moment = Date.UTC(2026, 0, 15, 7, 30);
		expect(isAllowed(hours(), moment, PARIS)).toBe(true);
		expect(isAllowed(hours(), moment, 'Europe/London')).toBe(false);
		const next = nextAllowed(hours(), moment, ['America/Guadeloupe'])!;
		expect(shown(next, 'America/Guadeloupe')).toBe('2026-01-15T08:00-04:00');
	});

	const zone = fc.constantFrom(...ZONES.split(' '));
	const moment = fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2036, 0) });
	const minutes = fc.integer({ min: 0, max: 1439 });
	const anyHours: fc.Arbitrary<AllowedHours> = fc
		.record({
			from: minutes,
			to: fc.integer({ min: 0, max: 1440 }),
			days: fc.subarray(WEEK, { minLength: 1 }).map((days) => new Set(days)),
			closedOnHolidays: fc.boolean(),
			otherwise: fc.constant('schedule' as const),
			timeZone: fc.constant('workflow' as const),
		})
		.filter(({ from, to }) => from !== to);

	test('is allowed, not before the moment, and none before it is', () => {
		fc.assert(
			fc.property(
				anyHours,
				moment,
				zone,
				fc.float({ min: 0, max: 1, noNaN: true }),
				(h, time, z, part) => {
					const next = nextAllowed(h, time, [z])!;
					expect(nextAllowed(h, next, [z])).toBe(next);
					expect(next).toBeGreaterThanOrEqual(time);
					if (next === time) return;
					expect(next % MINUTE).toBe(0);
					expect(isAllowed(h, next - 1, z)).toBe(false);
					const between = Math.floor(time + (next - time) * Math.min(part, 0.999_999));
					expect(isAllowed(h, Math.min(between, next - 1), z)).toBe(false);
					expect(nextAllowed(h, between, [z])).toBe(next);
				},
			),
			{ numRuns: 1_500 },
		);
	});
});

describe('in several time zones at once', () => {
	const COUNTRIES = {
		'United States': ['America/New_York', 'America/Los_Angeles', 'Pacific/Honolulu'],
		'New Zealand': ['Pacific/Auckland', 'Pacific/Chatham'],
		Australia: ['Australia/Sydney', 'Australia/Lord_Howe', 'Australia/Perth'],
		Chile: ['America/Santiago', 'America/Punta_Arenas', 'Pacific/Easter'],
		France: [PARIS],
	};
	const everyDay = (from: string, to: string, more: object = {}) =>
		hours({ from, to, days: WEEK, holidays: false, ...more });
	const next = (h: AllowedHours, moment: string, zones: readonly string[]) => {
		const found = nextAllowed(h, Date.parse(moment), zones);
		return found && new Date(found).toISOString().slice(0, 16);
	};

	test.each<
		[moment: string, from: string, to: string, country: keyof typeof COUNTRIES, next: string]
	>([
		['2026-01-15T12:00:00Z', '08:00', '20:00', 'United States', '2026-01-15T18:00'],
		['2026-01-16T00:59:00Z', '08:00', '20:00', 'United States', '2026-01-16T00:59'],
		['2026-01-16T01:00:00Z', '08:00', '20:00', 'United States', '2026-01-16T18:00'],
		['2026-07-15T12:00:00Z', '08:00', '20:00', 'United States', '2026-07-15T18:00'],
		// Clocks go back in New York on 1 November: its evening begins an hour later.
		['2026-11-01T00:00:00Z', '08:00', '20:00', 'United States', '2026-11-01T18:00'],
		['2026-11-02T00:30:00Z', '08:00', '20:00', 'United States', '2026-11-02T00:30'],
		// Across midnight: 22:00 in Honolulu is 03:00 in New York.
		['2026-01-15T12:00:00Z', '22:00', '06:00', 'United States', '2026-01-16T08:00'],
		['2026-01-15T00:00:00Z', '08:00', '20:00', 'New Zealand', '2026-01-15T00:00'],
		['2026-01-15T06:30:00Z', '08:00', '20:00', 'New Zealand', '2026-01-15T19:00'],
		['2026-01-15T06:30:00Z', '08:00', '20:00', 'France', '2026-01-15T07:00'],
	])('from %s, %s to %s in %s: %s', (moment, from, to, country, expected) =>
		expect(next(everyDay(from, to), moment, COUNTRIES[country])).toBe(expected),
	);

	test.each<[from: string, to: string, more: object]>([
		['09:00', '12:00', {}],
		['23:00', '03:00', {}],
		['08:00', '12:00', { days: ['monday'], holidays: true }],
	])('never from %s to %s %j in the United States', (from, to, more) =>
		expect(
			nextAllowed(
				everyDay(from, to, more),
				Date.UTC(2026, 0, 15),
				COUNTRIES['United States'],
			),
		).toBeUndefined(),
	);

	/** A clock on a wall there shows a time within the hours. */
	function isOnTheWall({ from, to, days }: AllowedHours, time: number, zone: string): boolean {
		const [date, clock] = shown(time, zone).split(/T|[+-]\d\d:\d\d$/);
		const minute = Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
		const today = WEEK[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7];
		const before = WEEK[(WEEK.indexOf(today) + 6) % 7];
		return from < to
			? days.has(today) && from <= minute && minute < to
			: (days.has(today) && from <= minute) || (days.has(before) && minute < to);
	}

	/** Days on which clocks change somewhere, and others. */
	const DAYS =
		'2026-01-15 2026-03-07 2026-03-28 2026-04-04 2026-04-23 2026-09-05 2026-10-03 2026-10-24 2026-11-01';
	const quarter = fc.integer({ min: 0, max: 95 }).map((count) => count * 15);

	test('is the first quarter of an hour at which the walls of each zone show the hours', () => {
		fc.assert(
			fc.property(
				fc.record({
					from: quarter,
					to: quarter,
					days: fc.subarray(WEEK, { minLength: 1 }),
				}),
				fc.constantFrom(
					...Object.values(COUNTRIES),
					...ZONES.split(' ').map((one) => [one]),
				),
				fc.constantFrom(...DAYS.split(' ')),
				fc.integer({ min: 0, max: 2_880 }),
				({ from, to, days }, zones, day, minute) => {
					fc.pre(from !== to);
					const h = { ...everyDay('00:00', '24:00'), from, to, days: new Set(days) };
					const time = Date.parse(day) + minute * MINUTE;
					const found = nextAllowed(h, time, zones);
					// Offsets are whole quarters of an hour, and so are these hours.
					const end = Math.min(found ?? Infinity, time + 8 * 1_440 * MINUTE);
					const isOpen = (at: number) => zones.every((zone) => isOnTheWall(h, at, zone));
					for (let at = time; at < end; at += 15 * MINUTE) {
						expect(isOpen(Math.max(at - (at % (15 * MINUTE)), time))).toBe(false);
					}
					if (found !== undefined) expect(isOpen(found)).toBe(true);
				},
			),
			{ numRuns: 250 },
		);
	});
});

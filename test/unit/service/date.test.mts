/** Dates: milliseconds since the Unix epoch (interface document, section 8), read in a time zone. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { doubtsAboutDate, dueAt, readMoment } from '../../../nodes/shared/service/date.ts';
import { refusalOf } from '../refusal.mts';

/** The date of a request that was not accepted before. */
function parseSendDate(
	value: unknown,
	timeZone: string,
	now: number,
	orElse?: string,
): number | undefined {
	const { date, expired } = dueAt(readMoment(value, { timeZone, orElse }), now);
	if (expired) throw expired;
	return date;
}

const NOW = Date.UTC(2029, 0, 1);

/** The moment as UTC text, which is easier to check by eye. */
function read(value: unknown, timeZone = 'Europe/Paris', now = NOW): string {
	const time = parseSendDate(value, timeZone, now);
	return time === undefined ? 'unset' : new Date(time).toISOString();
}

test.each([undefined, null, ''])('%j is no date at all', (value) => {
	expect(read(value)).toBe('unset');
});

/** Text without an offset is read in the workflow's time zone. */
const LOCAL: Record<string, Array<[text: string, moment: string]>> = {
	'Europe/Paris': [
		['2030-12-24T09:30:00', '2030-12-24T08:30:00.000Z'],
		['2030-12-24T09:30', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30', '2030-12-24T08:30:00.000Z'],
		['  2030-12-24 09:30:15 ', '2030-12-24T08:30:15.000Z'],
		['2030-12-24T09:30:15.5', '2030-12-24T08:30:15.500Z'],
		['2030-12-24T09:30:15,123456', '2030-12-24T08:30:15.123Z'],
		['2030-12-24', '2030-12-23T23:00:00.000Z'],
		['2030-07-14T09:30', '2030-07-14T07:30:00.000Z'],
		// The basic form
		['20301224', '2030-12-23T23:00:00.000Z'],
		['20301224T0930', '2030-12-24T08:30:00.000Z'],
		['20301224T093015', '2030-12-24T08:30:15.000Z'],
		// As people write dates: where the year comes last, the day comes first
		['24/12/2030 09:30', '2030-12-24T08:30:00.000Z'],
		['24/12/2030', '2030-12-23T23:00:00.000Z'],
		['24/12/2030 à 9h30', '2030-12-24T08:30:00.000Z'],
		['24/12/2030, 09:30:15', '2030-12-24T08:30:15.000Z'],
		['05/06/2031 09:30', '2031-06-05T07:30:00.000Z'],
		['1.2.2030', '2030-01-31T23:00:00.000Z'],
		['5-6-2031 9h', '2031-06-05T07:00:00.000Z'],
		['24/12/2030 at 09:30', '2030-12-24T08:30:00.000Z'],
		['24/12/2030 09:30:15.250', '2030-12-24T08:30:15.250Z'],
		// On twelve hours
		['24/12/2030 9:30 PM', '2030-12-24T20:30:00.000Z'],
		['24/12/2030 9:30pm', '2030-12-24T20:30:00.000Z'],
		['2030-12-24 12:30:15 a.m.', '2030-12-23T23:30:15.000Z'],
		['2030-12-24 at 12 PM', '2030-12-24T11:00:00.000Z'],
		// With the name of the month, in English or French
		['24 décembre 2030 à 9h30', '2030-12-24T08:30:00.000Z'],
		['mardi 1er février 2033', '2033-01-31T23:00:00.000Z'],
		['24 déc. 2030 09:30', '2030-12-24T08:30:00.000Z'],
		['24 août 2031 à 21 h 30', '2031-08-24T19:30:00.000Z'],
		['24 août 2031 à 9 h', '2031-08-24T07:00:00.000Z'],
		['24 août 2031', '2031-08-23T22:00:00.000Z'],
		['Dec 24, 2030 9:30 AM', '2030-12-24T08:30:00.000Z'],
		['Tuesday, December 24th, 2030 at 9:30 AM', '2030-12-24T08:30:00.000Z'],
		['24-DEC-2030', '2030-12-23T23:00:00.000Z'],
		['5 Sept 2031, 08:00', '2031-09-05T06:00:00.000Z'],
		['Tue, 24 Dec 2030 09:30:00 +0100', '2030-12-24T08:30:00.000Z'],
		['Tue, 24 Dec 2030 08:30:00 GMT', '2030-12-24T08:30:00.000Z'],
		// The year first, in any notation
		['2030-3-4', '2030-03-03T23:00:00.000Z'],
		['2030/12/24 09:30', '2030-12-24T08:30:00.000Z'],
		['2030.12.24', '2030-12-23T23:00:00.000Z'],
		// As phones and word processors write dashes, spaces and digits, with what nobody sees
		['2030\u201112\u201124', '2030-12-23T23:00:00.000Z'],
		['24–12–2030 09:30', '2030-12-24T08:30:00.000Z'],
		['24/12/2030\u00a009:30', '2030-12-24T08:30:00.000Z'],
		['24/12/2030\u202f à  9h30', '2030-12-24T08:30:00.000Z'],
		['\u200e24/12/2030\u200b', '2030-12-23T23:00:00.000Z'],
		['\ufeff2030-12-24T09:30', '2030-12-24T08:30:00.000Z'],
		['２４／１２／２０３０', '2030-12-23T23:00:00.000Z'],
		// Clocks go forward: the hour that is left out is the hour after, never an hour too early.
		['2030-03-31T02:00', '2030-03-31T01:00:00.000Z'],
		['2030-03-31T02:30', '2030-03-31T01:30:00.000Z'],
		// Clocks go back: of the two, the first one.
		['2030-10-27T02:30', '2030-10-27T00:30:00.000Z'],
	],
	'America/New_York': [
		['2030-12-24T09:30', '2030-12-24T14:30:00.000Z'],
		['2030-07-04T09:30', '2030-07-04T13:30:00.000Z'],
		['24/12/2030 09:30', '2030-12-24T14:30:00.000Z'],
		['2030-03-10T02:30', '2030-03-10T07:30:00.000Z'],
		['2030-11-03T01:30', '2030-11-03T05:30:00.000Z'],
	],
	'Australia/Sydney': [
		['2030-01-24T09:30', '2030-01-23T22:30:00.000Z'],
		['2030-10-06T02:30', '2030-10-05T16:30:00.000Z'],
		['2030-04-07T02:30', '2030-04-06T15:30:00.000Z'],
	],
	'Australia/Lord_Howe': [
		['2030-10-06T02:15', '2030-10-05T15:45:00.000Z'],
		['2030-04-07T01:45', '2030-04-06T14:45:00.000Z'],
	],
	UTC: [
		['2030-12-24T09:30', '2030-12-24T09:30:00.000Z'],
		['2032-02-29T12:00', '2032-02-29T12:00:00.000Z'],
		['29/02/2032', '2032-02-29T00:00:00.000Z'],
	],
	'Asia/Kathmandu': [['2030-12-24T09:30', '2030-12-24T03:45:00.000Z']],
	'Pacific/Kiritimati': [['2030-12-24T09:30', '2030-12-23T19:30:00.000Z']],
};

describe.each(Object.entries(LOCAL))('on the clocks of %s', (timeZone, rows) => {
	test.each(rows)('%s', (text, moment) => expect(read(text, timeZone)).toBe(moment));
});

describe('around a change of clocks', () => {
	test('outside of the hours that are left out or come twice, clocks show what was typed', () => {
		const zones = ['Europe/Paris', 'America/New_York', 'Australia/Sydney', 'Africa/Casablanca'];
		for (const timeZone of zones) {
			const clock = new Intl.DateTimeFormat('sv-SE', {
				timeZone,
				dateStyle: 'short',
				timeStyle: 'medium',
			});
			for (let time = Date.UTC(2030, 0, 1); time < Date.UTC(2031, 0, 1); time += 5_400_000) {
				const typed = clock.format(time); // such as 2030-03-31 12:00:00
				const parsed = parseSendDate(typed, timeZone, NOW)!;
				expect(clock.format(parsed)).toBe(typed);
				expect(parsed).toBeLessThanOrEqual(time); // the first, where there are two
			}
		}
	});
});

describe('text with an offset is a moment, whatever the time zone', () => {
	test.each([
		['2030-12-24T09:30:00Z', '2030-12-24T09:30:00.000Z'],
		['2030-12-24 09:30:00z', '2030-12-24T09:30:00.000Z'],
		['2030-12-24T09:30:00.250Z', '2030-12-24T09:30:00.250Z'],
		['2030-12-24T09:30:00,25Z', '2030-12-24T09:30:00.250Z'],
		['2030-12-24T09:30:00+01:00', '2030-12-24T08:30:00.000Z'],
		['2030-12-24T09:30:00+0100', '2030-12-24T08:30:00.000Z'],
		['2030-12-24T09:30:00.000+05:45', '2030-12-24T03:45:00.000Z'],
		['2030-12-24T09:30:00 +01:00', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30 -0500', '2030-12-24T14:30:00.000Z'],
		['2030-12-24T09:30:00+01', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30-03', '2030-12-24T12:30:00.000Z'],
		['20301224T093000Z', '2030-12-24T09:30:00.000Z'],
		['20301224T0930+01', '2030-12-24T08:30:00.000Z'],
		['20301224T093000+0100', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30:00 UTC', '2030-12-24T09:30:00.000Z'],
		['2030-12-24T09:30:00\u221205:00', '2030-12-24T14:30:00.000Z'],
		['24/12/2030 09:30+01:00', '2030-12-24T08:30:00.000Z'],
	])('%s', (text, moment) => {
		for (const timeZone of ['Europe/Paris', 'America/New_York', 'Asia/Tokyo']) {
			expect(read(text, timeZone)).toBe(moment);
		}
	});
});

/** Advice of the error for a date. */
const adviceFor = (value: unknown, now = NOW) =>
	refusalOf(() => parseSendDate(value, 'Europe/Paris', now)).description ?? '';

describe('values of expressions', () => {
	const time = Date.UTC(2030, 11, 24, 8, 30);

	test('a Date', () => expect(parseSendDate(new Date(time), 'UTC', NOW)).toBe(time));

	const require = createRequire(import.meta.url);
	const { DateTime } = createRequire(require.resolve('n8n-workflow'))('luxon') as {
		DateTime: Record<
			'fromISO',
			(text: string, options?: object) => { plus(by: object): unknown }
		>;
	};

	test('a DateTime of the Luxon that n8n uses', () => {
		const inParis = DateTime.fromISO('2030-12-24T09:30', { zone: 'Europe/Paris' });
		expect(parseSendDate(inParis, 'America/New_York', NOW)).toBe(time);
		expect(() => parseSendDate(DateTime.fromISO('nonsense'), 'UTC', NOW)).toThrowError(
			/is not a date/,
		);
	});

	// 24 December 2029 is 47476 in Excel, Google Sheets and LibreOffice; half past nine is 0.395833 of a day.
	test.each([
		[47476, '2029-12-24T00:00'],
		['47476', '2029-12-24T00:00'],
		[47476.395833, '2029-12-24T09:30'],
		['47476,395833', '2029-12-24T09:30'],
	])(
		'the date %j of a spreadsheet is refused, with an expression that reads it',
		(serial, moment) => {
			const advice = adviceFor(serial);
			const [, text, days] = /fromISO\('([\d-]+)'\)\.plus\(\{ days: ([\d.]+) \}\)/.exec(
				advice,
			)!;
			const zone = 'Europe/Paris';
			const calculated = DateTime.fromISO(text, { zone }).plus({ days: Number(days) });
			const date = parseSendDate(calculated, zone, NOW)!;
			expect(Math.abs(date - parseSendDate(moment, zone, NOW)!)).toBeLessThan(1_000);
			expect(Number.isInteger(date)).toBe(true);
		},
	);

	test('milliseconds, as a number and as a text', () => {
		expect(parseSendDate(time, 'Asia/Tokyo', NOW)).toBe(time);
		expect(parseSendDate(String(time), 'Asia/Tokyo', NOW)).toBe(time);
		expect(parseSendDate(time + 0.75, 'Asia/Tokyo', NOW)).toBe(time);
		expect(read(20301224, 'UTC')).toBe('2030-12-24T00:00:00.000Z');
	});

	test('up to a minute ago is now, unless nothing would be sent then', () => {
		for (const ago of [0, 1, 1_500, 60_000]) {
			expect(read(NOW - ago)).toBe('unset');
			const orElse = 'or do something else';
			const moment = readMoment(NOW - ago, { timeZone: 'UTC', orElse });
			expect(dueAt(moment, NOW).date).toBe(NOW - ago);
		}
		expect(() => read(NOW - 60_001)).toThrowError('is in the past');
		expect(() => parseSendDate(NOW - 1, 'UTC', NOW, 'or do something else')).toThrowError(
			'is in the past',
		);
	});
});

describe('what is refused', () => {
	/** By what the error says; texts in one line are separated by ` | `. */
	const BAD: Record<string, unknown[]> = {
		'is not a date': [
			...'tomorrow | 12/24/2030 | 31/04/2030 | 24/12/30 | 24/12/2030 21:30 PM | 24/12/2030 0:30 AM'.split(
				' | ',
			),
			...'24/12/2030 25:00 | 24/12.2030 | 2030-1224 | 2030-02-30 | 2030-02-30T09:00:00Z | 20300230'.split(
				' | ',
			),
			...'2030-02-29T09:00 | 2030-04-31 09:00 | 2030-13-01T09:00 | 2030-00-10 | 2030-01-00'.split(
				' | ',
			),
			...'2030-12-24T24:00 | 2030-12-24T25:00 | 2030-12-24T09:60 | 2030-12-24T09:30:60 | 2030'.split(
				' | ',
			),
			...'2030-12-24T09:30:00+25:00 | 09:30 | Invalid DateTime | 20301224093000'.split(' | '),
			...[
				'  ',
				{},
				['2030-12-24'],
				true,
				NaN,
				Infinity,
				new Date('x'),
				1_924_331_400_000_000,
			],
			...[1_924_331_400, '1924331400', 47476, '47476.5', 32874, 73050, '24/12', '12/2030'],
			...'31 avril 2030 | Monday 24 Dec 2030 | Not 24 Dec 2030 | Dec 2030 | 24 Dezember 2030 | le 24 | 5/6/2031 9:30 AM'.split(
				' | ',
			),
			...['2030-12', 'now', 'immediately', 'demain', '05/06/31', '2030-24-12'],
			...[9e15, 2030, 5, 20301224093000, '2'.repeat(100_000), { start: { dateTime: 'x' } }],
		],
		'is in the past': [
			...'2028-12-31T23:58 | 2028-12-31T23:58:59Z | 24/12/2020'.split(' | '),
			...[new Date(NOW - 60_001), NOW - 60_001],
		],
	};
	const rows = Object.entries(BAD).flatMap(([says, values]) =>
		values.map((value) => [value, says] as const),
	);
	test.each(rows)('%j %s', (value, says) => {
		const attempt = () => parseSendDate(value, 'UTC', NOW);
		expect(attempt).toThrowError(InputError);
		expect(attempt).toThrowError(/^'Send At' /);
		expect(attempt).toThrowError(says);
	});

	test.each<[value: unknown, advice: string]>([
		[{ dateTime: '2030-12-24' }, 'Use a date in it, such as {{ $json.start.dateTime }}'],
		[['2030-12-24'], 'or {{ $json.dates[0] }}.'],
		...[1_924_331_400, '1924331400'].map((seconds): [unknown, string] => [
			seconds,
			'in seconds instead of milliseconds: multiply it by 1,000. Write the year',
		]),
		...[47476, '47476.5', 32874, 73050].map((serial): [unknown, string] => [
			serial,
			'as a spreadsheet stores it, in days since 1899: format its column',
		]),
		...[
			['12/24/2030', 'M/d/yyyy'],
			['12-24-2030', 'M-d-yyyy'],
			['12/24/2030 09:30', 'M/d/yyyy H:mm'],
			['12/24/2030 9:30:15', 'M/d/yyyy H:mm:ss'],
			['12/24/2030 9:30 AM', 'M/d/yyyy h:mm a'],
			['12/24/2030T09:30Z', 'M/d/yyyy'],
		].map(([american, format]): [unknown, string] => [
			american,
			`the day comes before the month, as in 24/12/2030. If the month comes first in all items, write {{ DateTime.fromFormat($json.date, '${format}') }}, with your field in place of date`,
		]),
		...[new Date(NaN), 'Invalid DateTime'].map((unread): [unknown, string] => [
			unread,
			'another format than the one in which the expression reads it',
		]),
		[
			'5/6/2031 9:30 PM',
			"It isn't clear whether the day or the month comes first. If the month comes first in all items, write {{ DateTime.fromFormat($json.date, 'M/d/yyyy h:mm a') }}",
		],
		['31/04/2030', 'There is no such day on the calendar.'],
		['Wednesday, December 24, 2030 9:30 AM', 'This day is a Tuesday.'],
		['lundi 24 décembre 2030', 'This day is a Tuesday.'],
		['#N/A', 'It is an error of a spreadsheet.'],
		['#REF!', 'Correct the cell.'],
		['2030-12-24T25:00', 'There is no such time.'],
		...['now', 'immediately', 'asap', 'maintenant', 'tomorrow'].map(
			(word): [unknown, string] => [
				word,
				'Write the year, the month, the day and the time, such as 2030-12-24T09:30. To send now, leave the field empty.',
			],
		),
	])('%j has advice', (value, advice) => expect(adviceFor(value)).toContain(advice));

	test('what is past depends on the time zone, and the advice names it', () => {
		const now = Date.UTC(2030, 0, 1, 12);
		expect(read('2030-01-01T08:00', 'America/New_York', now)).toBe('2030-01-01T13:00:00.000Z');
		expect(adviceFor('2030-01-01T08:00', now)).toContain('Europe/Paris');
		for (const own of ['2020-01-01T08:00Z', new Date(0), 1_500_000_000_000])
			expect(adviceFor(own)).toBe('Pick a later date, or leave the field empty to send now.');
	});
});

describe('how a date is read says a hint, where something else could be meant', () => {
	test.each<[value: unknown, doubts: object]>([
		['2030-12-24', { midnight: ['2030-12-24'], dayFirst: [] }],
		['24.12.2030', { midnight: ['24.12.2030'], dayFirst: [] }],
		['20301224', { midnight: ['20301224'], dayFirst: [] }],
		['5 Mar 2031', { midnight: ['5 Mar 2031'], dayFirst: [] }],
		['05/06/2031', { midnight: ['05/06/2031'], dayFirst: ['05/06/2031'] }],
		['5-6-2031 09:30', { midnight: [], dayFirst: ['5-6-2031 09:30'] }],
		...[
			...['2030-12-24T00:00', '24/12/2030 0h', '24/12/2030 09:30', '2030-05-06T09:30'],
			...['5.6.2031 09:30', '', undefined, 1_924_331_400_000, new Date(NOW)],
		].map((plain): [unknown, object] => [plain, { midnight: [], dayFirst: [] }]),
	])('%j', (value, doubts) => expect(doubtsAboutDate(value)).toEqual(doubts));
});

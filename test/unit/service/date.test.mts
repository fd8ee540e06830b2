/** Dates: milliseconds since the Unix epoch (interface document, section 8), read in a time zone. */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { readSendDate, toMilliseconds } from '../../../nodes/shared/service/date.ts';

/** The date of a request that was not accepted before. */
function parseSendDate(...given: Parameters<typeof readSendDate>): number | undefined {
	const { date, expired } = readSendDate(...given);
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

describe("text without an offset is read in the workflow's time zone", () => {
	test.each([
		['2030-12-24T09:30:00', 'Europe/Paris', '2030-12-24T08:30:00.000Z'],
		['2030-12-24T09:30', 'Europe/Paris', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30', 'Europe/Paris', '2030-12-24T08:30:00.000Z'],
		['  2030-12-24 09:30:15 ', 'Europe/Paris', '2030-12-24T08:30:15.000Z'],
		['2030-12-24T09:30:15.5', 'Europe/Paris', '2030-12-24T08:30:15.500Z'],
		['2030-12-24T09:30:15,123456', 'Europe/Paris', '2030-12-24T08:30:15.123Z'],
		['2030-12-24', 'Europe/Paris', '2030-12-23T23:00:00.000Z'],
		['2030-07-14T09:30', 'Europe/Paris', '2030-07-14T07:30:00.000Z'],
		['2030-12-24T09:30', 'UTC', '2030-12-24T09:30:00.000Z'],
		['2030-12-24T09:30', 'America/New_York', '2030-12-24T14:30:00.000Z'],
		['2030-07-04T09:30', 'America/New_York', '2030-07-04T13:30:00.000Z'],
		['2030-12-24T09:30', 'Asia/Kolkata', '2030-12-24T04:00:00.000Z'],
		['2030-12-24T09:30', 'Asia/Kathmandu', '2030-12-24T03:45:00.000Z'],
		['2030-01-24T09:30', 'Australia/Sydney', '2030-01-23T22:30:00.000Z'],
		['2030-07-24T09:30', 'Australia/Sydney', '2030-07-23T23:30:00.000Z'],
		['2030-12-24T09:30', 'Pacific/Auckland', '2030-12-23T20:30:00.000Z'],
		['2030-12-24T09:30', 'Pacific/Kiritimati', '2030-12-23T19:30:00.000Z'],
		['2030-12-24T09:30', 'America/Sao_Paulo', '2030-12-24T12:30:00.000Z'],
		['2032-02-29T12:00', 'UTC', '2032-02-29T12:00:00.000Z'],
	])('%s in %s', (text, timeZone, moment) => {
		expect(read(text, timeZone)).toBe(moment);
	});
});

describe('around a change of clocks', () => {
	test.each([
		// Clocks go forward: the hour that is left out is the hour after, never an hour too early.
		['Europe/Paris', '2030-03-31T01:59', '2030-03-31T00:59:00.000Z'],
		['Europe/Paris', '2030-03-31T02:00', '2030-03-31T01:00:00.000Z'],
		['Europe/Paris', '2030-03-31T02:30', '2030-03-31T01:30:00.000Z'],
		['Europe/Paris', '2030-03-31T03:00', '2030-03-31T01:00:00.000Z'],
		['America/New_York', '2030-03-10T01:59', '2030-03-10T06:59:00.000Z'],
		['America/New_York', '2030-03-10T02:30', '2030-03-10T07:30:00.000Z'],
		['America/New_York', '2030-03-10T03:00', '2030-03-10T07:00:00.000Z'],
		['Australia/Sydney', '2030-10-06T02:30', '2030-10-05T16:30:00.000Z'],
		['Australia/Lord_Howe', '2030-10-06T02:15', '2030-10-05T15:45:00.000Z'],
		// Clocks go back: of the two, the first one.
		['Europe/Paris', '2030-10-27T01:59', '2030-10-26T23:59:00.000Z'],
		['Europe/Paris', '2030-10-27T02:30', '2030-10-27T00:30:00.000Z'],
		['Europe/Paris', '2030-10-27T03:00', '2030-10-27T02:00:00.000Z'],
		['America/New_York', '2030-11-03T00:59', '2030-11-03T04:59:00.000Z'],
		['America/New_York', '2030-11-03T01:30', '2030-11-03T05:30:00.000Z'],
		['America/New_York', '2030-11-03T02:00', '2030-11-03T07:00:00.000Z'],
		['Australia/Sydney', '2030-04-07T02:30', '2030-04-06T15:30:00.000Z'],
		['Australia/Lord_Howe', '2030-04-07T01:45', '2030-04-06T14:45:00.000Z'],
		// The rest of these days, on both sides.
		['Europe/Paris', '2030-03-31T12:00', '2030-03-31T10:00:00.000Z'],
		['Europe/Paris', '2030-03-30T12:00', '2030-03-30T11:00:00.000Z'],
		['Europe/Paris', '2030-10-27T12:00', '2030-10-27T11:00:00.000Z'],
		['Europe/Paris', '2030-10-26T12:00', '2030-10-26T10:00:00.000Z'],
		['America/New_York', '2030-03-10T12:00', '2030-03-10T16:00:00.000Z'],
		['America/New_York', '2030-11-02T12:00', '2030-11-02T16:00:00.000Z'],
	])('%s %s', (timeZone, text, moment) => {
		expect(read(text, timeZone)).toBe(moment);
	});

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
		['2030-12-24T09:30Z', '2030-12-24T09:30:00.000Z'],
		['2030-12-24 09:30:00z', '2030-12-24T09:30:00.000Z'],
		['2030-12-24T09:30:00.250Z', '2030-12-24T09:30:00.250Z'],
		['2030-12-24T09:30:00,25Z', '2030-12-24T09:30:00.250Z'],
		['2030-12-24T09:30:00+01:00', '2030-12-24T08:30:00.000Z'],
		['2030-12-24T09:30:00+0100', '2030-12-24T08:30:00.000Z'],
		['2030-12-24T09:30:00-05:00', '2030-12-24T14:30:00.000Z'],
		['2030-12-24T09:30:00.000+05:45', '2030-12-24T03:45:00.000Z'],
		['2030-12-24T09:30:00 +01:00', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30:00 +01:00', '2030-12-24T08:30:00.000Z'],
		['2030-12-24 09:30 -0500', '2030-12-24T14:30:00.000Z'],
	])('%s', (text, moment) => {
		for (const timeZone of ['Europe/Paris', 'America/New_York', 'Asia/Tokyo']) {
			expect(read(text, timeZone)).toBe(moment);
		}
	});
});

describe('values of expressions', () => {
	const time = Date.UTC(2030, 11, 24, 8, 30);

	test('a Date', () => expect(parseSendDate(new Date(time), 'UTC', NOW)).toBe(time));

	test('a DateTime of the Luxon that n8n uses', () => {
		const require = createRequire(import.meta.url);
		const workflow = createRequire(require.resolve('n8n-workflow'));
		const { DateTime } = workflow('luxon') as {
			DateTime: { fromISO: (text: string, options?: object) => unknown };
		};
		const inParis = DateTime.fromISO('2030-12-24T09:30', { zone: 'Europe/Paris' });
		expect(parseSendDate(inParis, 'America/New_York', NOW)).toBe(time);
		expect(() => parseSendDate(DateTime.fromISO('nonsense'), 'UTC', NOW)).toThrowError(
			/is not a date/,
		);
	});

	test('milliseconds, as a number and as a text', () => {
		expect(parseSendDate(time, 'Asia/Tokyo', NOW)).toBe(time);
		expect(parseSendDate(String(time), 'Asia/Tokyo', NOW)).toBe(time);
		expect(parseSendDate(time + 0.75, 'Asia/Tokyo', NOW)).toBe(time);
	});

	test('this very moment is not in the past', () => {
		expect(parseSendDate(NOW, 'UTC', NOW)).toBe(NOW);
	});
});

describe('what is refused', () => {
	test.each<[what: string, value: unknown, says: RegExp]>([
		['words', 'tomorrow', /"tomorrow" is not a date/],
		['a French date', '24/12/2030 09:30', /is not a date/],
		['an American date', '12/24/2030', /is not a date/],
		['English words', 'Dec 24, 2030 9:30 AM', /is not a date/],
		['30 February', '2030-02-30', /"2030-02-30" is not a date/],
		['30 February with an offset', '2030-02-30T09:00:00Z', /is not a date/],
		['29 February of another year', '2030-02-29T09:00', /is not a date/],
		['31 April', '2030-04-31 09:00', /is not a date/],
		['month 13', '2030-13-01T09:00', /is not a date/],
		['month 0', '2030-00-10', /is not a date/],
		['day 0', '2030-01-00', /is not a date/],
		['hour 24', '2030-12-24T24:00', /is not a date/],
		['hour 25', '2030-12-24T25:00', /is not a date/],
		['minute 60', '2030-12-24T09:60', /is not a date/],
		['second 60', '2030-12-24T09:30:60', /is not a date/],
		['an offset that is none', '2030-12-24T09:30:00+25:00', /is not a date/],
		['a time alone', '09:30', /is not a date/],
		['a year alone', '2030', /is not a date/],
		['spaces', '  ', /is not a date/],
		['an object', {}, /an object is not a date/],
		['a list', ['2030-12-24'], /a list is not a date/],
		['true', true, /"true" is not a date/],
		['NaN', NaN, /is not a date/],
		['Infinity', Infinity, /is not a date/],
		['an invalid Date', new Date('x'), /is not a date/],
		['seconds', 1_924_331_400, /looks like a time in seconds instead of milliseconds/],
		['seconds as a text', '1924331400', /looks like a time in seconds/],
		['microseconds', 1_924_331_400_000_000, /is not a date/],
		['more than a Date can hold', 9e15, /is not a date/],
		['the past, in the zone', '2028-12-31T23:59', /"2028-12-31T23:59" is in the past/],
		['the past, with an offset', '2028-12-31T23:59:59Z', /is in the past/],
		['the past as a Date', new Date(NOW - 1), /"2028-12-31T23:59:59.999Z" is in the past/],
		['the past in milliseconds', NOW - 1, /is in the past/],
	])('%s', (_, value, says) => {
		expect(() => parseSendDate(value, 'UTC', NOW)).toThrowError(says);
		expect(() => parseSendDate(value, 'UTC', NOW)).toThrowError(/^'Send At' /);
		expect(() => parseSendDate(value, 'UTC', NOW)).toThrowError(InputError);
	});

	test('what is past depends on the time zone, and the advice names it', () => {
		const now = Date.UTC(2030, 0, 1, 12);
		expect(read('2030-01-01T08:00', 'America/New_York', now)).toBe('2030-01-01T13:00:00.000Z');
		const attempt = () => parseSendDate('2030-01-01T08:00', 'Europe/Paris', now);
		expect(attempt).toThrowError(InputError);
		try {
			attempt();
		} catch (error) {
			expect((error as InputError).description).toContain('Europe/Paris');
		}
	});

	test('the field is named as the editor shows it', () => {
		expect(() => parseSendDate('x', 'UTC', NOW, 'Date')).toThrowError(/^'Date' /);
	});
});

test('the bare conversion knows no past', () => {
	expect(toMilliseconds('1999-12-31T23:00:00', 'Europe/Paris')).toBe(Date.UTC(1999, 11, 31, 22));
	expect(toMilliseconds('nonsense', 'UTC')).toBeUndefined();
	expect(toMilliseconds(null, 'UTC')).toBeUndefined();
});

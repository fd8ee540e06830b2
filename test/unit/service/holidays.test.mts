/** French public holidays: Code du travail, L3133-1; Easter by tables. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { easterSunday, isFrenchHoliday } from '../../../nodes/shared/service/holidays.ts';

const DAY = 86_400_000;
const written = (midnight: number) => new Date(midnight).toISOString().slice(0, 10);
const weekday = (midnight: number) => new Date(midnight).getUTCDay();
const year = fc.integer({ min: 1600, max: 4000 });
/** All days of a year that are one. */
function frenchHolidays(one: number): number[] {
	const days = Array.from({ length: 366 }, (_, day) => Date.UTC(one, 0, 1 + day));
	return days.filter((day) => new Date(day).getUTCFullYear() === one && isFrenchHoliday(day));
}

describe('Easter Sunday', () => {
	// Published dates, the earliest and the latest possible ones among them.
	const DATES =
		'1818-03-22 1943-04-25 1954-04-18 1981-04-19 2000-04-23 2008-03-23 2011-04-24 ' +
		'2019-04-21 2024-03-31 2025-04-20 2026-04-05 2027-03-28 2028-04-16 2029-04-01 ' +
		'2030-04-21 2038-04-25 2049-04-18 2076-04-19 2285-03-22';
	test.each(DATES.split(' '))('%s', (date) => {
		expect(written(easterSunday(Number(date.slice(0, 4))))).toBe(date);
	});

	test('is a Sunday between 22 March and 25 April', () => {
		fc.assert(
			fc.property(year, (any) => {
				const easter = easterSunday(any);
				expect(weekday(easter)).toBe(0);
				const day = written(easter).slice(5);
				expect(day >= '03-22' && day <= '04-25').toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});

	/** The table of the Gregorian calendar: the Sunday after the full moon of the epact. */
	test('is the Sunday after the ecclesiastical full moon', () => {
		fc.assert(
			fc.property(year, (any) => {
				const century = Math.floor(any / 100);
				const golden = any % 19;
				const solar = century - Math.floor(century / 4);
				const lunar = Math.floor((8 * century + 13) / 25);
				let moon = (19 * golden + solar - lunar + 15) % 30;
				if (moon === 29 || (moon === 28 && golden > 10)) moon--;
				const full = Date.UTC(any, 2, 21 + moon);
				const days = (easterSunday(any) - full) / DAY;
				expect(days).toBeGreaterThanOrEqual(1);
				expect(days).toBeLessThanOrEqual(7);
			}),
			{ numRuns: 2_000 },
		);
	});
});

describe('the public holidays', () => {
	test.each([
		[2026, '01-01 04-06 05-01 05-08 05-14 05-25 07-14 08-15 11-01 11-11 12-25'],
		// Ascension on 1 May: ten different days
		[2008, '01-01 03-24 05-01 05-08 05-12 07-14 08-15 11-01 11-11 12-25'],
	])('of %s', (one, days) => {
		const holidays = frenchHolidays(one).map((day) => written(day).slice(5));
		expect(holidays.join(' ')).toBe(days);
	});

	test.each(['2026-04-05', '2026-04-03', '2026-12-26', '2026-05-24', '2026-12-24', '2026-11-02'])(
		'%s is none',
		(date) => {
			expect(isFrenchHoliday(Date.parse(date))).toBe(false);
		},
	);

	test('are eleven, on the days of the week that they have', () => {
		fc.assert(
			fc.property(year, (any) => {
				const holidays = frenchHolidays(any);
				const ascension = written(easterSunday(any) + 39 * DAY).slice(5);
				// Ascension can fall on 1 May or 8 May.
				const meets = ['05-01', '05-08'].includes(ascension);
				expect(holidays).toHaveLength(meets ? 10 : 11);
				const days = holidays.map(weekday);
				expect(days.filter((day) => day === 1).length).toBeGreaterThanOrEqual(2);
				expect(days).toContain(4);
			}),
			{ numRuns: 500 },
		);
	});
});

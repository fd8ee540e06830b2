/** A day of the Gregorian calendar; months count from 1. */
export interface CalendarDay {
	year: number;
	month: number;
	day: number;
}

const DAY = 86_400_000;

/** The public holidays of France that have a date (Code du travail, L3133-1): month and day. */
const FIXED: ReadonlyArray<readonly [month: number, day: number]> = [
	[1, 1],
	[5, 1],
	[5, 8],
	[7, 14],
	[8, 15],
	[11, 1],
	[11, 11],
	[12, 25],
];
/** Days after Easter Sunday: Easter Monday, Ascension, Whit Monday. */
const AFTER_EASTER = [1, 39, 50];

/**
 * Easter Sunday by the Gregorian computus (the anonymous algorithm that Meeus gives in "Astronomical
 * Algorithms", chapter 8).
 *
 * @param year from 1583
 */
export function easterSunday(year: number): CalendarDay {
	const golden = year % 19;
	const century = Math.floor(year / 100);
	const ofCentury = year % 100;
	const moonShift = Math.floor((8 * century + 13) / 25);
	const epact = (19 * golden + century - Math.floor(century / 4) - moonShift + 15) % 30;
	const weekday =
		(32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
	const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
	const count = epact + weekday - 7 * late + 114;
	return { year, month: Math.floor(count / 31), day: (count % 31) + 1 };
}

/**
 * Whether all of France has a public holiday on this day. Those of some departments only (Good Friday
 * and 26 December in Alsace and Moselle, the abolition of slavery overseas) are not meant.
 */
export function isFrenchHoliday(day: CalendarDay): boolean {
	const afterEaster = (toTime(day) - toTime(easterSunday(day.year))) / DAY;
	return (
		AFTER_EASTER.includes(afterEaster) ||
		FIXED.some(([month, date]) => month === day.month && date === day.day)
	);
}

function toTime({ year, month, day }: CalendarDay): number {
	return Date.UTC(year, month - 1, day);
}

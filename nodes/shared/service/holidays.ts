const DAY = 86_400_000;

/** The public holidays of France that have a date (Code du travail, L3133-1): month and day. */
const FIXED = ['01-01', '05-01', '05-08', '07-14', '08-15', '11-01', '11-11', '12-25'];
/** Days after Easter Sunday: Easter Monday, Ascension, Whit Monday. */
const AFTER_EASTER = [1, 39, 50];

/**
 * Easter Sunday by the Gregorian computus (the anonymous algorithm that Meeus gives in "Astronomical
 * Algorithms", chapter 8).
 *
 * @param year from 1583
 * @returns its midnight in UTC, in milliseconds
 */
export function easterSunday(year: number): number {
	const golden = year % 19;
	const century = Math.floor(year / 100);
	const ofCentury = year % 100;
	const moonShift = Math.floor((8 * century + 13) / 25);
	const epact = (19 * golden + century - Math.floor(century / 4) - moonShift + 15) % 30;
	const weekday =
		(32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
	const late = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
	const count = epact + weekday - 7 * late + 114;
	return Date.UTC(year, Math.floor(count / 31) - 1, (count % 31) + 1);
}

/**
 * Whether all of France has a public holiday on this day. Those of some departments only (Good Friday
 * and 26 December in Alsace and Moselle, the abolition of slavery overseas) are not meant.
 *
 * @param midnight of the day in UTC, in milliseconds
 */
export function isFrenchHoliday(midnight: number): boolean {
	const date = new Date(midnight);
	const afterEaster = (midnight - easterSunday(date.getUTCFullYear())) / DAY;
	return AFTER_EASTER.includes(afterEaster) || FIXED.includes(date.toISOString().slice(5, 10));
}

import { countriesOn } from './countries';
import { candidatesOf, isPossible, phoneOf } from './phone';
import { remember } from './remember';

/** A region of the CLDR, as Node.js knows it: the second form from version 22 on, and TypeScript knows neither. */
interface Region extends Intl.Locale {
	timeZones?: string[];
	getTimeZones?: () => string[];
}

/** Where the numbers of a country are used otherwise than the CLDR has its zones. */
const OTHERS: Readonly<Record<string, (zones: string[]) => string[]>> = {
	TR: (zones) => [...zones, 'Asia/Famagusta'], // northern Cyprus
	UA: (zones) => zones.filter((zone) => zone !== 'Europe/Simferopol'),
	XK: () => ['Europe/Belgrade'],
	AC: () => ['Atlantic/St_Helena'],
	TA: () => ['Atlantic/St_Helena'],
};
const DAY = 86_400_000;

/**
 * The time zones in which the owner of a number may be at home, also for mobile numbers: with those of the territories
 * that have the same numbers.
 *
 * @param number as `canonicalNumber` gives it
 * @returns IANA names, one for each clock; undefined if it isn't the number of a country
 */
export function zonesOf(number: string): readonly string[] | undefined {
	const phone = phoneOf(number);
	if (phone === undefined || !isPossible(phone)) return undefined;
	const { country, countryCallingCode } = phone;
	const countries = country === undefined ? countriesOn(countryCallingCode) : candidatesOf(phone);
	const zones = clocksOf(...countries);
	return zones.length === 0 ? undefined : zones;
}

/** One zone for each clock of the countries, as clocks change within two years. */
const clocksOf = remember((...countries: string[]): readonly string[] => {
	const zones = new Map<string, string>();
	for (const zone of countries.flatMap(zonesOfCountry)) {
		const clock = clockOf(zone);
		if (!zones.has(clock)) zones.set(clock, zone);
	}
	return [...zones.values()];
});

function zonesOfCountry(code: string): string[] {
	const region: Region = new Intl.Locale(`und-${code}`);
	const zones = region.getTimeZones?.() ?? region.timeZones ?? [];
	return OTHERS[code]?.(zones) ?? zones;
}

/** The offsets of a zone in the next two years, week by week. */
function clockOf(timeZone: string): string {
	const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
	const now = Date.now();
	const weeks = Array.from({ length: 105 }, (_, week) => now + week * 7 * DAY);
	return weeks.map((moment) => format.format(moment).split(', ')[1]).join();
}

import { countriesOn } from './countries';
import { candidatesOf, ownerOf, readPhone } from './phone';

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
const CLOCKS = new Map<string, readonly string[]>();

/**
 * The time zones in which the owner of a number may be at home, also for mobile numbers: with those of the territories
 * that have the same numbers.
 *
 * @param number as `canonicalNumber` gives it
 * @returns IANA names, one for each clock; undefined for what isn't the number of a country
 */
export function zonesOf(number: string): readonly string[] | undefined {
	const phone = number.startsWith('+') ? readPhone(number) : undefined;
	if (!phone?.isPossible) return undefined;
	const owner = phone.country === undefined ? undefined : ownerOf(phone);
	const countries =
		owner === undefined ? countriesOn(phone.callingCode) : candidatesOf(phone, owner);
	return countries.length === 0 ? undefined : clocksOf(countries);
}

/** One zone for each clock, as their days off and changes are within two years. */
function clocksOf(countries: readonly string[]): readonly string[] | undefined {
	const key = countries.join();
	let zones = CLOCKS.get(key);
	if (zones === undefined) {
		const byClock = new Map<string, string>();
		for (const zone of countries.flatMap(zonesOfCountry)) {
			const clock = clockOf(zone);
			if (!byClock.has(clock)) byClock.set(clock, zone);
		}
		zones = [...byClock.values()];
		CLOCKS.set(key, zones);
	}
	return zones.length === 0 ? undefined : zones;
}

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

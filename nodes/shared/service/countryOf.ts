import { COUNTRIES, DEFAULT_COUNTRY, findCountry, type Country } from './countries';
import { OVERSEAS_CODES } from './frenchPlan';

/** Area codes of Canada (Canadian Numbering Administrator). */
const CANADA =
	/^(204|226|236|249|250|257|263|289|306|343|354|36[578]|38[27]|403|416|418|428|43[178]|450|468|474|506|514|519|548|579|58[147]|60[04]|613|639|647|672|683|705|709|742|753|778|78[02]|807|819|825|867|873|879|90[25]|942)/;
/**
 * Area codes of the other countries and territories that share +1 (North American Numbering Plan
 * Administrator): the Caribbean, Bermuda, and those of the United States overseas.
 */
const NEITHER =
	/^(242|246|264|268|284|340|345|441|473|649|658|664|67[01]|684|721|758|767|784|787|8[024]9|86[89]|876|939)/;

/** A calling code is never the beginning of another one (ITU-T E.164). */
const BY_CALLING_CODE = new Map([
	...COUNTRIES.map((country) => [country.callingCode, country] as const),
	...OVERSEAS_CODES.map((code) => [code, findCountry(DEFAULT_COUNTRY)!] as const),
]);
const LONGEST_CODE = 3;

/**
 * The country of a phone number, by its calling code. Numbers of +1 are told apart by their area code. All
 * of +262, +508, +590, +594 and +596 are French, as in Default Country. A territory that has neither a code
 * nor an area code of its own goes with the country that it shares them with, such as Jersey.
 *
 * @param number as `canonicalNumber` gives it
 * @returns undefined for a country that isn't on the list of Default Country: also for all of +7
 */
export function countryOf(number: string): Country | undefined {
	const [, digits] = /^\+(\d+)$/.exec(number) ?? [];
	if (digits === undefined) return undefined;
	if (digits.startsWith('1')) return inNorthAmerica(digits.slice(1));
	for (let length = 1; length <= LONGEST_CODE; length++) {
		const country = BY_CALLING_CODE.get(digits.slice(0, length));
		if (country !== undefined) return country;
	}
	return undefined;
}

/** @param significant what follows +1: ten digits, of which the first is neither 0 nor 1 */
function inNorthAmerica(significant: string): Country | undefined {
	if (!/^[2-9]\d{9}$/.test(significant) || NEITHER.test(significant)) return undefined;
	return findCountry(CANADA.test(significant) ? 'CA' : 'US');
}

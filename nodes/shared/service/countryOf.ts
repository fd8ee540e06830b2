import { COUNTRIES, DEFAULT_COUNTRY, findCountry, type Country } from './countries';
import { OVERSEAS_CODES } from './frenchPlan';

/** Area codes of Canada (Canadian Numbering Administrator). */
const CANADA =
	'204 226 236 249 250 257 263 289 306 343 354 365 367 368 382 387 403 416 418 428 431 437 438 450 468 474 506 514 519 548 579 581 584 587 600 604 613 639 647 672 683 705 709 742 753 778 780 782 807 819 825 867 873 879 902 905 942';
/**
 * Area codes of the other countries and territories that share +1 (North American Numbering Plan
 * Administrator): the Caribbean, Bermuda, and those of the United States overseas.
 */
const NEITHER =
	'242 246 264 268 284 340 345 441 473 649 658 664 670 671 684 721 758 767 784 787 809 829 849 868 869 876 939';

/** The numbers that begin alike. */
export interface Range {
	callingCode: string;
	/** The country whose rules its numbers follow; undefined for those that aren't on the list. */
	plan?: Country;
	/** The country that they belong to. */
	country?: Country;
}

const FRANCE = findCountry(DEFAULT_COUNTRY);
const UNITED_STATES = findCountry('US');

function areas(codes: string, country?: Country): Array<[prefix: string, Range]> {
	const range = { callingCode: '1', plan: UNITED_STATES, country };
	return codes.split(' ').map((code) => [`1${code}`, range]);
}

/** By the digits that they begin with. The United States has the areas of +1 that no one else has. */
const RANGES = new Map<string, Range>([
	...COUNTRIES.filter(({ code }) => code !== 'CA').map((country): [string, Range] => [
		country.callingCode,
		{ callingCode: country.callingCode, plan: country, country },
	]),
	...OVERSEAS_CODES.map((callingCode): [string, Range] => [
		callingCode,
		{ callingCode, plan: FRANCE, country: FRANCE },
	]),
	...areas(CANADA, findCountry('CA')),
	...areas(NEITHER),
]);
const LONGEST_PREFIX = 4;

/** Country codes of one and two digits (ITU-T E.164, list of assigned codes); all others have three. */
const CALLING_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9]\d\d)/;

/**
 * The range of a number, by the longest prefix.
 *
 * @param number digits behind a +
 */
export function rangeOf(number: string): Range {
	const digits = number.slice(1, 16);
	for (let length = LONGEST_PREFIX; length > 0; length--) {
		const range = RANGES.get(digits.slice(0, length));
		if (range !== undefined) return range;
	}
	return { callingCode: CALLING_CODE.exec(digits)?.[0] ?? '' };
}

/** Whether a country has such a number. The digits are those behind its country code. */
export function isNumberOf(country: Country, digits: string): boolean {
	const { length, keepsZero, plan } = country;
	const [fewest, most] = length;
	if (digits.length < fewest || digits.length > most) return false;
	if (plan !== undefined) return plan.test(digits);
	if (digits.startsWith('0') && keepsZero !== true) return false;
	return (mobileLength(country, digits) ?? digits.length) === digits.length;
}

/** How many digits a mobile number that begins like these has; undefined where they begin otherwise. */
export function mobileLength({ length, mobile }: Country, digits: string): number | undefined {
	if (mobile === undefined) return undefined;
	const [fewest, most] = length;
	for (let count = fewest; count <= most; count++) {
		if (mobile.test(digits.slice(0, count).padEnd(count, '0'))) return count;
	}
	return undefined;
}

/**
 * The country of a phone number, by its calling code. Numbers of +1 are told apart by their area code. All
 * of +262, +508, +590, +594 and +596 are French, as in Default Country. A territory that has neither a code
 * nor an area code of its own goes with the country that it shares them with, such as Jersey.
 *
 * @param number as `canonicalNumber` gives it
 * @returns undefined for a country that isn't on the list of Default Country: also for all of +7
 */
export function countryOf(number: string): Country | undefined {
	if (!/^\+\d+$/.test(number)) return undefined;
	const { callingCode, country } = rangeOf(number);
	if (callingCode !== '1') return country;
	// A number of +1 that can't be one says nothing of its area.
	return /^[2-9]\d{9}$/.test(number.slice(2)) ? country : undefined;
}

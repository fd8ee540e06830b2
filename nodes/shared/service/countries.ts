import { examples, metadata, Metadata } from './vendor/libphonenumber';

/** A country or territory with phone numbers. */
export interface Country {
	/** ISO 3166-1 alpha-2. */
	code: string;
	name: string;
	/** Digits after the + (ITU-T E.164). */
	callingCode: string;
	/** A mobile number that the library shows as an example, in international format. */
	example: string;
}

const NAMES = new Intl.DisplayNames('en', { type: 'region' });
const PLANS = new Metadata(metadata);

/** The countries whose national numbers are understood, by name. */
export const COUNTRIES: readonly Country[] = PLANS.getCountries()
	.map((code) => {
		const callingCode = planOf(code).callingCode();
		const example = `+${callingCode}${examples[code]}`;
		return { code, name: NAMES.of(code) ?? code, callingCode, example };
	})
	.sort((one, other) => one.name.localeCompare(other.name, 'en'));

const BY_CODE = new Map(COUNTRIES.map((country) => [country.code, country]));

/** The country of a credential that names none. */
export const DEFAULT_COUNTRY = 'FR';
export const FRANCE = BY_CODE.get(DEFAULT_COUNTRY)!;

/** The country of an ISO 3166-1 alpha-2 code, in any case. */
export function findCountry(code: string): Country | undefined {
	return BY_CODE.get(code.trim().toUpperCase());
}

/** @param code of a country, or a calling code for the main country that has it */
export function planOf(code: string) {
	return PLANS.selectNumberingPlan(code).numberingPlan;
}

/** The countries that share a calling code, the main one first; none for the code of a network. */
export function countriesOn(callingCode: string): string[] {
	return metadata.country_calling_codes[callingCode] ?? [];
}

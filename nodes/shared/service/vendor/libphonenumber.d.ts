/**
 * The part of libphonenumber-js that the nodes use. The build puts its modules into dist under this name (gulpfile.js); the
 * tests read the package itself.
 */

/** A number that the library has read: its length may still be wrong. */
export interface PhoneNumber {
	/** ISO 3166-1; undefined where several countries share the calling code, and the digits are of none. */
	country?: string;
	countryCallingCode: string;
	/** Digits after the calling code. */
	nationalNumber: string;
	/** E.164. */
	number: string;
	/** Undefined for a number that no range of its country has. */
	getType(): string | undefined;
	/** @param options without an optional prefix, as people write it */
	formatNational(options?: { nationalPrefix: boolean }): string;
	formatInternational(): string;
}

export interface NumberingPlan {
	callingCode(): string;
	/** 0 for none. */
	nationalPrefix(): string | 0;
	nationalPrefix(): string | undefined;
	/** Pattern of what is dialled in place of the +. */
	IDDPrefix(): string;
	possibleLengths(): number[];
	type(type: 'MOBILE'): { pattern(): string; possibleLengths(): number[] } | undefined;
}

/** The numbering plans, of the variant with all types of numbers. */
export const metadata: { readonly country_calling_codes: Readonly<Record<string, string[]>> };

/** A mobile number of each country, as it follows its calling code. */
export const examples: Readonly<Record<string, string>>;

export class Metadata {
	constructor(json: typeof metadata);
	getCountries(): string[];
	/** @param codes ISO 3166-1, or a calling code for the main country that has it */
	selectNumberingPlan(codes: string): { readonly numberingPlan: NumberingPlan };
}

/** @returns undefined for a text that can't be a number of any country */
export function parsePhoneNumber(
	text: string,
	options: { defaultCountry?: string; extract: false },
	json: typeof metadata,
): PhoneNumber | undefined;

import { listOf } from './countOf';
import { DEFAULT_COUNTRY, findCountry } from './countries';
import { isFrenchCode } from './frenchPlan';
import { InputError, show } from './InputError';
import { readingsOf } from './number';
import { candidatesOf, countryOf, isService, phoneOf, type Phone } from './phone';

/**
 * Says why nothing may be sent to a number; undefined where it may.
 *
 * @param number in any spelling; one that may be of several countries needs all of them
 * @param field the field as the editor shows it
 */
export type CountryRule = (number: string, field?: string) => InputError | undefined;

/** Numbers that only a credential which names them sends to: expensive, or of no phone at all. */
export const SPECIAL_NUMBERS = [
	{ code: 'SATELLITE', name: 'Satellite and International Networks (+870, +881 to +883)' },
	{ code: 'SERVICES', name: 'Premium-Rate and Other Service Numbers' },
];
const [SATELLITE, SERVICES] = SPECIAL_NUMBERS;
/** Countries in an error. */
const MOST_NAMED = 10;

function specialOf(phone: Phone | undefined) {
	if (phone === undefined) return undefined;
	if (/^(870|88[123])$/.test(phone.countryCallingCode)) return SATELLITE;
	return isService(phone) ? SERVICES : undefined;
}

/**
 * The rule of 'Allowed Countries': the only place that decides which countries a credential sends to. What
 * it can't read allows nothing.
 *
 * @param value ISO 3166-1 codes and those of `SPECIAL_NUMBERS`, as the credential has them
 * @returns undefined where all countries are allowed: `allCountries` holds
 */
export function countryRule(value: unknown): CountryRule | undefined {
	if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
	const allowed = readNames(value);
	return allowed instanceof InputError ? () => allowed : ruleOf(allowed);
}

/** The rule of a credential that allows all countries. */
export const allCountries = ruleOf();

/** @param allowed names by code; undefined for all countries */
function ruleOf(allowed?: ReadonlyMap<string, string>): CountryRule {
	return (number, field = 'Phone Number') => {
		const readings = readingsOf(number);
		for (const reading of readings) {
			const phone = phoneOf(reading);
			const country = countryOf(reading);
			const special = specialOf(phone);
			const codes = country && phone ? codesOf(phone) : [special?.code ?? ''];
			if (allowed !== undefined && !codes.some((code) => allowed.has(code))) {
				const where = country === undefined ? '' : ` of ${country.name}`;
				const unclear =
					readings.length > 1
						? ` ${show(number)} may be ${readings.join(' or ')}: write it with + and its country code.`
						: '';
				return new InputError(
					`'${field}' ${show(reading)} is a number${where} that 'Allowed Countries' of the credential doesn't allow`,
					`The credential allows ${listOf([...allowed.values()], MOST_NAMED)}. Someone who can edit the credential can allow more.${unclear}`,
				);
			}
			if (special !== undefined && allowed?.has(special.code) !== true) {
				return new InputError(
					`'${field}' ${show(reading)} is not the number of a mobile phone`,
					`Enter a mobile number. If you do mean this one, someone who can edit the credential can choose '${special.name}' in 'Allowed Countries', together with every country that you send to.`,
				);
			}
		}
		return undefined;
	};
}

/** Codes by which the country of a number is allowed: France includes its territories. */
function codesOf(phone: Phone): readonly string[] {
	const codes = candidatesOf(phone);
	return isFrenchCode(phone.countryCallingCode) ? [...codes, DEFAULT_COUNTRY] : codes;
}

/** Names as the form has them, by code; an error where a value is none. */
function readNames(value: unknown): Map<string, string> | InputError {
	const names = new Map<string, string>();
	for (const typed of Array.isArray(value) ? (value as unknown[]) : [value]) {
		const code = typeof typed === 'string' ? typed.trim().toUpperCase() : '';
		const country = findCountry(code);
		const special = SPECIAL_NUMBERS.find((numbers) => numbers.code === code);
		const name = country ? `${country.name} (+${country.callingCode})` : special?.name;
		if (name === undefined) {
			return new InputError(
				`'Allowed Countries' of the credential has ${show(typed)}, which is not a country that this node knows`,
				'Nothing is sent until this is corrected. Choose the countries in the credential.',
			);
		}
		names.set(code, name);
	}
	return names;
}

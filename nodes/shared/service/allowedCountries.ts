import { findCountry, type Country } from './countries';
import { countryOf } from './countryOf';
import { InputError, show } from './InputError';
import { readingsOf } from './number';

/**
 * Says why nothing may be sent to a number; undefined where it may.
 *
 * @param number in any spelling; one that may be of several countries needs all of them
 * @param field the field as the editor shows it
 */
export type CountryRule = (number: string, field?: string) => InputError | undefined;

/**
 * The rule of 'Allowed Countries': the only place that decides which countries a credential sends to. What
 * it can't read allows nothing.
 *
 * @param value ISO 3166-1 codes, as the credential has them
 * @returns undefined where all countries are allowed
 */
export function countryRule(value: unknown): CountryRule | undefined {
	if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
	const allowed = readCountries(value);
	if (allowed instanceof InputError) return () => allowed;
	const codes = new Set(allowed.map(({ code }) => code));
	const named = describe(allowed);
	return (number, field = 'Phone Number') => {
		const readings = readingsOf(number);
		const forbidden = readings.find((reading) => !codes.has(countryOf(reading)?.code ?? ''));
		if (forbidden === undefined) return undefined;
		const country = countryOf(forbidden);
		const where = country === undefined ? '' : ` of ${country.name}`;
		const unclear =
			readings.length > 1
				? ` ${show(number)} may be ${readings.join(' or ')}: write it with + and its country code.`
				: '';
		return new InputError(
			`'${field}' ${show(forbidden)} is a number${where} that 'Allowed Countries' of the credential doesn't allow`,
			`The credential allows ${named}. Someone who can edit the credential can allow more.${unclear}`,
		);
	};
}

/** Countries that are named. */
const NAMED = 10;

function describe(allowed: readonly Country[]): string {
	const named = allowed
		.slice(0, NAMED)
		.map(({ name, callingCode }) => `${name} (+${callingCode})`);
	if (allowed.length > NAMED) named.push(`and ${allowed.length - NAMED} more`);
	return named.join(', ');
}

function readCountries(value: unknown): Country[] | InputError {
	const typed: unknown[] = Array.isArray(value) ? value : [value];
	const countries: Country[] = [];
	for (const code of typed) {
		const country = typeof code === 'string' ? findCountry(code) : undefined;
		if (country === undefined) {
			return new InputError(
				`'Allowed Countries' of the credential has ${show(code)}, which is not a country that this node knows`,
				'Nothing is sent until this is corrected. Choose the countries in the credential.',
			);
		}
		countries.push(country);
	}
	return countries;
}

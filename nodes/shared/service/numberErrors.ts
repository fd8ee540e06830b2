import { countOf, eitherOf } from './countOf';
import { countriesOn, FRANCE, findCountry, type Country } from './countries';
import { InputError, show } from './InputError';
import { isPossible, mobileLengths, readPhone, writingOf, type Phone } from './phone';

/** Digits of a number that may only lack its + or 0. */
export const SHORTEST = 7;

/** An error about a number: `'Phone Number' "0639" has 4 digits`. */
export type Refuse = (what: string, advice: string, number?: string) => InputError;

export function refuseIn(field: string, typed: string): Refuse {
	return (what, advice, number = typed) =>
		new InputError(`'${field}' ${show(number)} ${what}`, advice);
}

/** A number for examples, which no field takes: of the default country, in national and international format. */
export function exampleText({ example }: Country): string {
	const { national, international } = writingOf(example);
	return `Write it like ${national} or ${international}.`;
}

/** Whether it is the number of an example, of the default country or of the form: nobody means it. */
export function isExample(canonical: string, home: Country): boolean {
	return [home, FRANCE].some(({ example }) => example === canonical);
}

/** Names the country of a number without a country code: it may be from elsewhere. */
export function assume({ name }: Country): string {
	return `If it isn't from ${name} ('Default Country' of the credential), write + and the country code.`;
}

/**
 * Says why there is no such mobile number.
 *
 * @param digits of the default country, or behind a +
 */
export function impossible(digits: string, home: Country, refuse: Refuse): InputError {
	const { code, name } = home;
	if (!digits.startsWith('+')) {
		const { trunk } = writingOf(home.example);
		const lengths = mobileLengths(code).map((length) => length + trunk.length);
		const what = compare(digits.length, lengths, name);
		const elsewhere = digits.length > SHORTEST ? ` ${assume(home)}` : '';
		return refuse(what, lostZero(digits, code) + exampleText(home) + elsewhere);
	}
	const phone = readPhone(digits);
	if (phone === undefined) return refuse('has no country code', exampleText(home), digits);
	const lengths = mobileLengths(phone.country ?? phone.countryCallingCode);
	const after = ` after +${phone.countryCallingCode}`;
	const what = compare(phone.nationalNumber.length, lengths, nameOf(phone), after);
	return refuse(what, 'Check its digits, and its country code.', digits);
}

function compare(length: number, lengths: readonly number[], name: string, after = ''): string {
	if (lengths.includes(length)) return `is not a number of ${name}`;
	return `has ${countOf(length, 'digit')}${after}; a mobile number of ${name} has ${eitherOf(lengths.map(String))}`;
}

/** All countries of +1 have one numbering plan. */
function nameOf({ country, countryCallingCode: code }: Phone): string {
	if (code === '1') return 'North America';
	const owner = findCountry(country ?? countriesOn(code)[0] ?? '');
	return owner?.name ?? `the network +${code}`;
}

/** Advice for digits that are a number with a 0 in front. */
function lostZero(digits: string, country: string): string {
	const phone = digits.startsWith('0') ? undefined : readPhone(`0${digits}`, country);
	return phone === undefined || !isPossible(phone)
		? ''
		: 'If it has lost a leading 0, which happens if a spreadsheet stores the column as a number, format the column as text, or write 0{{ … }} in the field. ';
}

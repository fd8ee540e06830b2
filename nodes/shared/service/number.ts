import { InputError, requireText, show } from './InputError';

/** Spaces, dots, dashes, slashes, parentheses, and the invisible marks that come with a paste. */
const SEPARATORS =
	/[\s.\-\u2010-\u2015\u2212()/\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const TRUNK_ZERO = /\(\s*0\s*\)/;
const EXAMPLES = 'Write it like 06 39 98 12 34 or +33 6 39 98 12 34.';

/**
 * The recipient as the service takes it: `0600000000` (national) or `+33600000000` (international),
 * interface document 2.6. Spaces, dots, dashes, slashes, parentheses, a leading `00` and the trunk
 * zero of `+33 (0)6…` are understood; the format that was typed is kept.
 *
 * @param value what the user typed or an expression gave
 * @param field the field as the editor shows it
 * @throws InputError when it is not a phone number
 */
export function parseNumber(value: unknown, field = 'Phone Number'): string {
	const typed = requireText(value, field).trim();
	if (typed === '') {
		throw new InputError(
			`'${field}' is empty`,
			`Give the phone number of the recipient. ${EXAMPLES}`,
		);
	}
	// In a national number such as (0)6 39 98 12 34 the zero belongs to the number.
	const hasCountryCode = /^(\+|00)/.test(typed.replace(SEPARATORS, ''));
	const number = (hasCountryCode ? typed.replace(TRUNK_ZERO, '') : typed)
		.replace(SEPARATORS, '')
		.replace(/^00/, '+');

	if (!/^\+?\d+$/.test(number)) {
		throw new InputError(
			`'${field}' ${show(typed)} is not a phone number`,
			`It holds characters other than digits and separators. ${EXAMPLES}`,
		);
	}
	if (number.startsWith('+')) return international(number, typed, field);
	if (number.startsWith('0')) {
		if (number.length !== 10) {
			throw new InputError(
				`'${field}' ${show(typed)} has ${number.length} digits; a national number has 10`,
				`${EXAMPLES} A number of another country needs its country code.`,
			);
		}
		return number;
	}
	throw new InputError(
		`'${field}' ${show(typed)} starts with neither 0 nor +`,
		number.length === 9
			? `The leading 0 seems to be lost, as happens when a spreadsheet stores the column as a number. Format the column as text, or write the field as 0{{ … }}. ${EXAMPLES}`
			: `A number with its country code starts with + or 00. ${EXAMPLES}`,
	);
}

function international(number: string, typed: string, field: string): string {
	const digits = number.slice(1);
	if (digits.startsWith('0')) {
		throw new InputError(
			`'${field}' ${show(typed)} has a country code that starts with 0`,
			`After + or 00 comes the country code. ${EXAMPLES}`,
		);
	}
	if (digits.length < 8 || digits.length > 15) {
		throw new InputError(
			`'${field}' ${show(typed)} has ${digits.length} digits; an international number has 8 to 15`,
			`Count the digits, country code included. ${EXAMPLES}`,
		);
	}
	if (digits.startsWith('33') && !/^33[1-9]\d{8}$/.test(digits)) {
		throw new InputError(
			`'${field}' ${show(typed)} is not a French number`,
			digits.startsWith('330')
				? `After +33 the 0 is left out. ${EXAMPLES}`
				: `After +33 come 9 digits. ${EXAMPLES}`,
		);
	}
	return number;
}

/**
 * One spelling for the two formats of the same French number, to compare numbers that the service
 * gives now in national and now in international format (interface document 2.1, 2.11).
 *
 * @returns digits with a leading `+`; what isn't a number comes back as it is
 */
export function canonicalNumber(number: string): string {
	const digits = number.replace(SEPARATORS, '');
	if (/^0[1-9]\d{8}$/.test(digits)) return `+33${digits.slice(1)}`;
	if (/^00\d+$/.test(digits)) return `+${digits.slice(2)}`;
	if (/^33[1-9]\d{8}$/.test(digits)) return `+${digits}`;
	return digits;
}

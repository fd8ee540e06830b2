import { type Country, DEFAULT_COUNTRY, findCountry } from './countries';
import { countOf } from './countOf';
import { countryOf } from './countryOf';
import { explain } from './errorCodes';
import { frenchDigits, internationalFrench, isFrenchFixedLine } from './frenchPlan';
import { InputError, requireTrimmed, show } from './InputError';

/**
 * Spaces, dots, dashes, parentheses, and the invisible marks that come with a paste. What may
 * separate two numbers, or precede an extension, is not one of them: a slash, a line break.
 */
const SEPARATORS =
	/[^\S\r\n\u2028\u2029]|[.\-\u2010-\u2015\u2212()\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const EXIT_CODE = /^00/;
const TRUNK_ZERO = /\(\s*0\s*\)/;
const EXAMPLES = 'Write it like 06 39 98 12 34 or +33 6 39 98 12 34.';
const FIXED_LINE = 19;
/** Digits of a number that may only lack its + or 0. */
const SHORTEST = 7;

/** How a number is read. */
export interface NumberOptions {
	/** The field as the editor shows it. */
	field?: string;
	/** ISO 3166-1 code of the country whose national numbers are understood (default: France). */
	country?: string;
	/** `refuse` where the service would: it sends nothing to a fixed line (code 19). */
	fixedLines?: 'accept' | 'refuse';
}

/**
 * The recipient as the service takes it: `0600000000` (national) or `+33600000000` (international),
 * interface document 2.6. Spaces, dots, dashes, parentheses, a leading `00` and the trunk zero of
 * `+33 (0)6…` are understood. The format that was typed is kept, but the document has only French
 * national numbers: those of another default country get their country code. What a spreadsheet has lost is put
 * back where the digits can be nothing else: the leading zero of a mobile number, the + before the code of the
 * default country.
 *
 * @param value what the user typed or an expression gave
 * @throws InputError when it is not a phone number, or a French fixed line where those are refused
 */
export function parseNumber(
	value: unknown,
	{
		field = 'Phone Number',
		country = DEFAULT_COUNTRY,
		fixedLines = 'accept',
	}: NumberOptions = {},
): string {
	const number = readNumber(value, field, readCountry(country));
	if (fixedLines === 'refuse' && isFrenchFixedLine(canonicalNumber(number))) {
		const { message, advice } = explain({ code: FIXED_LINE });
		throw new InputError(`${message}: '${field}' is ${show(value)}`, advice);
	}
	return number;
}

function readCountry(code: string): Country {
	const country = findCountry(code);
	if (country !== undefined) return country;
	throw new InputError(
		`'Default Country' ${show(code)} is not a country that this node knows`,
		'Choose one in the credential. You can write numbers from any country with + and their country code.',
	);
}

function readNumber(value: unknown, field: string, country: Country): string {
	const advice = `Enter the phone number of the recipient. ${EXAMPLES}`;
	const typed = requireTrimmed(value, field, advice);
	const number = digitsOf(typed, new RegExp(`^(${country.exitCode ?? '00'}|00)`));
	if (!/^\+?\d+$/.test(number)) {
		throw new InputError(
			`'${field}' ${show(typed)} is not a phone number`,
			`${wrongIn(number)}Enter a single number without an extension. Digits, spaces, dots, dashes and parentheses are allowed. ${EXAMPLES}`,
		);
	}
	if (number.startsWith('+')) return international(number, typed, field);
	return country.code === DEFAULT_COUNTRY
		? french(number, typed, field, country)
		: national(number, typed, field, country);
}

/** The only character that doesn't belong into a number, which is easily overlooked: an O for a 0. */
function wrongIn(number: string): string {
	const [wrong, ...others] = number.replace(/[+\d]/g, '');
	return wrong === undefined || others.length > 0 ? '' : `${show(wrong)} is no digit. `;
}

/**
 * Its digits, behind a + where it has a country code.
 *
 * @param exitCode what stands for the +
 */
function digitsOf(written: string, exitCode = EXIT_CODE): string {
	const bare = written.replace(SEPARATORS, '').trim();
	// In a national number such as (0)6 39 98 12 34 the zero belongs to the number.
	const hasTrunkZero = written.includes('(') && (bare.startsWith('+') || exitCode.test(bare));
	const number = hasTrunkZero
		? written.replace(TRUNK_ZERO, '').replace(SEPARATORS, '').trim()
		: bare;
	return number.replace(exitCode, '+');
}

/** A French national number, as it was typed. */
function french(number: string, typed: string, field: string, { mobile }: Country): string {
	if (mobile?.test(number)) return `0${number}`;
	const withPlus = `+${number}`;
	if (number.length > 10 && frenchDigits(withPlus) !== undefined) return withPlus;
	if (!number.startsWith('0') && number.length < SHORTEST) {
		throw new InputError(
			`'${field}' ${show(typed)} is too short`,
			`A national number has 10 digits. ${EXAMPLES}`,
		);
	}
	if (!number.startsWith('0')) {
		throw new InputError(
			`'${field}' ${show(typed)} starts with neither 0 nor +`,
			number.length === 9
				? `The leading 0 seems to be missing, which happens if a spreadsheet stores the column as a number. Format the column as text, or write 0{{ … }} in the field. ${EXAMPLES}`
				: `A number with its country code starts with + or 00. ${EXAMPLES}`,
		);
	}
	if (number.length !== 10) {
		throw new InputError(
			`'${field}' ${show(typed)} has ${countOf(number.length, 'digit')}; a national number has 10`,
			`${EXAMPLES} For a number from another country, add its country code.`,
		);
	}
	return number;
}

/** A national number of another country, in international format. */
function national(number: string, typed: string, field: string, country: Country): string {
	const { name, callingCode, trunkPrefix, length, mobile } = country;
	const [fewest, most] = length;
	const hasPrefix = number.startsWith(trunkPrefix);
	const significant = number.slice(hasPrefix ? trunkPrefix.length : 0);
	const isWhole = hasPrefix && significant.length >= fewest && significant.length <= most;
	const found = isWhole
		? significant
		: [number, `0${number}`].find((candidate) => mobile?.test(candidate));
	if (found !== undefined) return `+${callingCode}${found}`;
	if (isOnlyInternational(number, country)) return `+${number}`;
	throw new InputError(
		`'${field}' ${show(typed)} is not a number of ${name}`,
		`${describeNational(country)} For a number from another country, add + and its country code. You can change 'Default Country' in the credential.`,
	);
}

/** Digits that can be nothing but the country's own code and a number behind it. */
function isOnlyInternational(
	number: string,
	{ callingCode, length: [fewest, most], mobile }: Country,
): boolean {
	const isNational = number.length >= fewest && number.length <= most;
	if (isNational || !number.startsWith(callingCode)) return false;
	const rest = number.slice(callingCode.length);
	return mobile?.test(rest) ?? (rest.length >= fewest && rest.length <= most);
}

function describeNational({ name, trunkPrefix, length }: Country): string {
	const digits = [...new Set(length)].map((digitsOfOne) => digitsOfOne + trunkPrefix.length);
	const start = trunkPrefix === '' ? '' : `start with ${trunkPrefix} and `;
	return `Its national numbers ${start}have ${digits.join(' to ')} digits in ${name}.`;
}

function international(number: string, typed: string, field: string): string {
	const digits = number.slice(1);
	if (digits.startsWith('0')) {
		throw new InputError(
			`'${field}' ${show(typed)} has a country code that starts with 0`,
			`Write the country code after + or 00. ${EXAMPLES}`,
		);
	}
	if (digits.length < 8 || digits.length > 15) {
		throw new InputError(
			`'${field}' ${show(typed)} has ${countOf(digits.length, 'digit')}; an international number has 8 to 15`,
			`Count the digits, country code included. ${EXAMPLES}`,
		);
	}
	if (digits.startsWith('33') && !/^33[1-9]\d{8}$/.test(digits)) {
		throw new InputError(
			`'${field}' ${show(typed)} is not a French number`,
			digits.startsWith('330')
				? `Leave out the 0 after +33. ${EXAMPLES}`
				: `Write 9 digits after +33. ${EXAMPLES}`,
		);
	}
	return number;
}

/** A mobile number that has lost its 0, as one that came as a JSON number. */
const WITHOUT_ZERO = /^[67]\d{8}$/;

/**
 * One spelling for the formats of the same French number, to compare numbers that the service gives
 * now in national and now in international format (interface document 2.1, 2.11). A number overseas
 * has three: 0690…, +33690… and +590690….
 *
 * @returns digits with a leading `+`; what isn't a number comes back as it is
 */
export function canonicalNumber(number: string): string {
	const digits = digitsOf(number);
	const [, significant = WITHOUT_ZERO.exec(digits)?.[0]] =
		/^(?:0|\+?33)([1-9]\d{8})$/.exec(digits) ?? [];
	if (significant !== undefined) return internationalFrench(significant);
	const complete = `+${digits}`;
	return frenchDigits(complete) === undefined ? digits : complete;
}

/**
 * The numbers that one at the service may be: digits that have lost their 0, or else their +. 06 87 75 12 34 and
 * +687 75 12 34 of New Caledonia are both 687751234 then, and nothing tells which.
 *
 * @returns in one spelling; first the one that the number is compared by
 */
export function readingsOf(number: string): string[] {
	const digits = digitsOf(number);
	const compared = canonicalNumber(number);
	const country = WITHOUT_ZERO.test(digits) ? countryOf(`+${digits}`) : undefined;
	if (country === undefined) return [compared];
	const [fewest, most] = country.length;
	const length = digits.length - country.callingCode.length;
	return length >= fewest && length <= most ? [compared, `+${digits}`] : [compared];
}

/**
 * The forms in which the service may hold a number, to find it whatever form it has stored
 * (interface document 2.6, 2.11: national or international).
 *
 * @param number as `parseNumber` gives it
 * @returns the one given, then the others; nothing but the one given for a number that isn't French
 */
export function spellings(number: string): string[] {
	const international = canonicalNumber(number);
	const digits = frenchDigits(international);
	const others = digits === undefined ? [] : [`0${digits}`, international, `+33${digits}`];
	return [...new Set([number, ...others])];
}

/**
 * The same record with a `number`: in international format where that is certain, so that results of different
 * operations can be joined by it. The `identifier` of the service stays where it is another notation.
 */
export function withNumber<T extends { identifier?: unknown }>(
	record: T,
): Omit<T, 'identifier'> & { number?: string; identifier?: T['identifier'] } {
	const { identifier, ...rest } = record;
	if (typeof identifier !== 'string' || identifier === '' || 'number' in record) return record;
	const number = canonicalNumber(identifier);
	return number === identifier ? { number, ...rest } : { number, ...record };
}

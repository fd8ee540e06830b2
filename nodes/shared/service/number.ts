import { type Country, DEFAULT_COUNTRY, findCountry } from './countries';
import { countOf } from './countOf';
import { countryOf, isNumberOf, mobileLength, rangeOf } from './countryOf';
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
const OPTIONAL_ZERO = /\(\s*0\s*\)/;
const EXAMPLES = 'Write it like 06 39 98 12 34 or +33 6 39 98 12 34.';
const FIXED_LINE = 19;
/** Digits of a number that may only lack its + or 0. */
const SHORTEST = 7;
/** Characters of a number, with everything that people put between its digits. */
const LONGEST = 200;

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
 * `+33 (0)6…` and `+44 07…` are understood. The format that was typed is kept, but the document has only French
 * national numbers: those of another default country get their country code. What a spreadsheet has lost is put
 * back where the digits can be nothing else: the leading zero of a mobile number, the + before the code of the
 * default country.
 *
 * @param value what the user typed or an expression gave
 * @throws InputError when its country has no such number, or for a French fixed line where those are refused
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
	const canonical = canonicalNumber(number);
	if (fixedLines === 'refuse' && isFrenchFixedLine(canonical)) {
		const { message, advice } = explain({ code: FIXED_LINE });
		throw new InputError(
			`${message}: '${field}' is ${show(canonical)}`,
			number.startsWith('+') ? advice : `${advice} ${assume('France')}`,
		);
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

/** Names the country of a number without a country code: it may be from elsewhere. */
function assume(country: string): string {
	return `Without a country code, it is read as a number of ${country} ('Default Country' of the credential). If it is from elsewhere, write + and the country code.`;
}

function readNumber(value: unknown, field: string, country: Country): string {
	const advice = `Enter the phone number of the recipient. ${EXAMPLES}`;
	const typed = requireTrimmed(value, field, advice);
	if (typed.length > LONGEST) throw notANumber(typed, field);
	const whole = fromSpreadsheet(typed);
	if (whole === undefined) {
		throw new InputError(
			`'${field}' ${show(typed)} is not a phone number: a spreadsheet has changed it`,
			'Some of its digits may be lost. Format the column as text (in Excel: Format Cells > Text), then enter the number again.',
		);
	}
	const number = digitsOf(whole, new RegExp(`^(${country.exitCode ?? '00'}|00)`));
	if (!/^\+?\d+$/.test(number)) throw notANumber(typed, field, number);
	if (number.startsWith('+')) return international(number, field);
	return country.code === DEFAULT_COUNTRY
		? french(number, typed, field, country)
		: national(number, typed, field, country);
}

/** @param read names a character that is easily overlooked: the only one that is no digit, an O for a 0 */
function notANumber(typed: string, field: string, read = ''): InputError {
	const [wrong, ...others] = read.replace(/[+\d]/g, '');
	const hint = wrong === undefined || others.length > 0 ? '' : `${show(wrong)} is no digit. `;
	return new InputError(
		`'${field}' ${show(typed)} is not a phone number`,
		`${hint}Enter a single number without an extension. ${EXAMPLES}`,
	);
}

/** As links and exports of lead forms begin: tel:+33639981234, p:+33639981234. */
const LABEL = /^(?:tel|sms|callto|p):/i;
/** Text that an export marks as text: '0639981234 and ="0639981234". */
const QUOTED = /^(?:'(?=[+\d(])|=?"(?=[^"]+"$))/;
/** A number with decimals of zeros, thousands or both: 639981234.0, 33,639,981,234.00. */
const DECIMAL = /^(\+?(?:\d{7,}|\d{1,3}(?:[,.'’ \u00a0\u202f]\d{3})+))(?:[.,]0+)?$/;
/** 3.3639981234E+10: digits before and behind the point, and how many there are in all but the first. */
const SCIENTIFIC = /^(\+?)(\d{1,3})(?:[.,](\d+))?e\+?(\d{1,3})$/i;
/** A difference, such as Excel makes of +33-639981234, or a fraction. */
const CALCULATED = /^[-\u2212]\d|^\+?\d{7,}\.\d$/;

/**
 * A number as it was before a spreadsheet took it for an amount.
 *
 * @returns undefined where digits are lost
 */
function fromSpreadsheet(text: string): string | undefined {
	const typed = text.trim().replace(LABEL, '').trim();
	const bare = QUOTED.test(typed) ? typed.replace(/^['="]+|"$/g, '').trim() : typed;
	const [, whole] = DECIMAL.exec(bare) ?? [];
	if (whole !== undefined) return whole.replace(/[^+\d]/g, '');
	const [, plus, first, rest = '', exponent] = SCIENTIFIC.exec(bare) ?? [];
	if (exponent !== undefined) {
		// Zeros at the end are not written: a digit fewer may be a zero, or lost.
		return rest.length === Number(exponent) ? `${plus}${first}${rest}` : undefined;
	}
	if (CALCULATED.test(bare)) return undefined;
	// Nobody separates the last digit of a number: +44 7700 900123.0.
	return /^[^.]*\d\.0$/.test(bare) ? bare.slice(0, -'.0'.length) : bare;
}

/**
 * Its digits, behind a + where it has a country code.
 *
 * @param exitCode stands for the +
 */
function digitsOf(written: string, exitCode = EXIT_CODE): string {
	// In a national number such as (0)6 39 98 12 34 the zero belongs to the number.
	const number = written.replace(SEPARATORS, '').trim().replace(exitCode, '+');
	return /^\+\d+$/.test(number) ? withoutTrunk(number, OPTIONAL_ZERO.test(written)) : number;
}

/** Drops the trunk prefix behind a country code, in +44 07… as well as in +44 (0)7…. */
function withoutTrunk(number: string, hasOptionalZero: boolean): string {
	const { callingCode, plan } = rangeOf(number);
	const zero = hasOptionalZero && plan?.keepsZero !== true ? '0' : '';
	let digits = number.slice(1 + callingCode.length);
	for (const prefix of [plan?.trunkPrefix ?? '', zero]) {
		if (digits.startsWith(prefix)) digits = digits.slice(prefix.length);
	}
	const shorter = `+${callingCode}${digits}`;
	return canExist(shorter) ? shorter : number;
}

/** Whether the country of a number has it; true for countries that aren't on the list. */
function canExist(number: string): boolean {
	const { callingCode, plan } = rangeOf(number);
	if (plan?.code === DEFAULT_COUNTRY) return frenchDigits(number) !== undefined;
	return plan === undefined || isNumberOf(plan, number.slice(1 + callingCode.length));
}

/** A French national number, as it was typed. */
function french(number: string, typed: string, field: string, { name, mobile }: Country): string {
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
				? `${lostZero(number)} ${EXAMPLES} ${assume(name)}`
				: `A number with its country code starts with + or 00. ${EXAMPLES}`,
		);
	}
	if (number.length !== 10) {
		throw new InputError(
			`'${field}' ${show(typed)} has ${countOf(number.length, 'digit')}; a national number has 10`,
			number.length < 9 ? EXAMPLES : `${EXAMPLES} ${assume(name)}`,
		);
	}
	return number;
}

/** Advice for digits that are a number with a 0 in front, and perhaps another one with a +. */
function lostZero(number: string): string {
	const withPlus = `+${number}`;
	return countryOf(withPlus) !== undefined && canExist(withPlus)
		? 'The leading 0 or + seems to be missing, which happens if a spreadsheet stores the column as a number. Format the column as text, and enter the number again.'
		: 'The leading 0 seems to be missing, which happens if a spreadsheet stores the column as a number. Format the column as text, or write 0{{ … }} in the field.';
}

/** A national number of another country, in international format. */
function national(number: string, typed: string, field: string, country: Country): string {
	const { name, callingCode, trunkPrefix, mobile } = country;
	const isWhole = (candidate: string) =>
		candidate.startsWith(trunkPrefix) &&
		isNumberOf(country, candidate.slice(trunkPrefix.length));
	const found = isWhole(number)
		? number.slice(trunkPrefix.length)
		: [number, `0${number}`].find((candidate) => mobile?.test(candidate));
	if (found !== undefined) return `+${callingCode}${found}`;
	if (isOnlyInternational(number, country)) return `+${number}`;
	const hint = isWhole(`0${number}`) ? `${lostZero(number)} ` : '';
	throw new InputError(
		`'${field}' ${show(typed)} is not a number of ${name}`,
		`${hint}${describeNational(country)} For a number from another country, add + and its country code. You can change 'Default Country' in the credential.`,
	);
}

/** Digits that can be nothing but the country's own code and a number behind it. */
function isOnlyInternational(number: string, country: Country): boolean {
	const { callingCode, length, mobile } = country;
	const isNational = number.length >= length[0] && number.length <= length[1];
	if (isNational || !number.startsWith(callingCode)) return false;
	const rest = number.slice(callingCode.length);
	return isNumberOf(country, rest) && (mobile?.test(rest) ?? true);
}

function describeNational({ name, trunkPrefix, length }: Country): string {
	const start = trunkPrefix === '' ? '' : `start with ${trunkPrefix} and `;
	return `Its national numbers ${start}have ${digitCounts(length, trunkPrefix.length)} digits in ${name}.`;
}

function digitCounts(length: Country['length'], more = 0): string {
	return [...new Set(length)].map((count) => count + more).join(' to ');
}

function international(number: string, field: string): string {
	const digits = number.slice(1);
	const refuse = (what: string, advice: string) =>
		new InputError(`'${field}' ${show(number)} ${what}`, `${advice} ${EXAMPLES}`);
	if (digits.startsWith('0')) {
		throw refuse(
			'has a country code that starts with 0',
			'Write the country code after + or 00.',
		);
	}
	if (digits.length < 7 || digits.length > 15) {
		throw refuse(
			`has ${countOf(digits.length, 'digit')}; an international number has 7 to 15`,
			'Count the digits, country code included.',
		);
	}
	const { callingCode, plan } = rangeOf(number);
	const rest = digits.slice(callingCode.length);
	if (plan === undefined && rest.startsWith('0')) {
		throw refuse('has a 0 behind its country code', `Leave out the 0 after +${callingCode}.`);
	}
	if (plan === undefined || canExist(number)) return number;
	throw plan.code === DEFAULT_COUNTRY
		? refuse('is not a French number', 'Write 9 digits after +33.')
		: refuse(`is not a number of ${nameOf(plan)}`, describeInternational(plan, rest));
}

/** All countries of +1 have one numbering plan. */
function nameOf({ callingCode, name }: Country): string {
	return callingCode === '1' ? 'North America' : name;
}

function describeInternational(country: Country, digits: string): string {
	const { callingCode, length, keepsZero, mobile } = country;
	if (keepsZero === true && mobile?.test(digits.slice(1)) === true) {
		return 'Leave out the 0 of a mobile number.';
	}
	const count = mobileLength(country, digits);
	const which = count === undefined ? 'Numbers' : 'Mobile numbers';
	const start = keepsZero === true ? '' : ', the first of which is not 0';
	return `${which} of ${nameOf(country)} have ${count ?? digitCounts(length)} digits after +${callingCode}${start}.`;
}

/** Digits of a number as the service has it: read leniently, since nobody can correct it. */
function storedDigits(number: string): string {
	return number.length > LONGEST ? number : digitsOf(fromSpreadsheet(number) ?? number);
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
	const digits = storedDigits(number);
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
	const compared = canonicalNumber(number);
	const withPlus = `+${storedDigits(number)}`;
	const country = WITHOUT_ZERO.test(withPlus.slice(1)) ? countryOf(withPlus) : undefined;
	return country !== undefined && canExist(withPlus) ? [compared, withPlus] : [compared];
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

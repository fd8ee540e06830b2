import { isCellError } from './cellError';
import { DEFAULT_COUNTRY, findCountry, FRANCE, planOf, type Country } from './countries';
import { explain } from './errorCodes';
import { frenchDigits, internationalFrench, isFrenchCode, isFrenchFixedLine } from './frenchPlan';
import { InputError, requireTrimmed, show } from './InputError';
import { assume, exampleText, impossible, isExample, refuseIn, SHORTEST } from './numberErrors';
import { isMobile, isPossible, readPhone, writingOf, type Phone } from './phone';
import { unspoiled } from './spoiledNumber';

/**
 * Spaces, dots, dashes, parentheses, and the invisible marks that come with a paste. Signs that may
 * separate two numbers, or precede an extension, are not among them: a slash, a line break.
 */
const SEPARATORS =
	/[^\S\r\n\u2028\u2029]|[.\-\u2010-\u2015\u2212\u30fc()\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/** Slashes within a number: behind an area code, as in 0151/2345678, and between pairs, as in 06/39/98/12/34. */
const SLASHED = /^(?:(?:(?:\+|00)\d{1,3})?\d{2,6}\/\d{5,}|0\d{1,3}(?:\/\d\d){3,4})$/;
const OPTIONAL_ZERO = /\(\s*0\s*\)/;
const FIXED_LINE = 19;
/** Characters of a number, with everything that people put between its digits. */
const LONGEST = 200;

const SPLIT_OUT =
	"Enter a single number. To text each of several, give each an item: in an Edit Fields node, make a field of the type Array, such as {{ $json.phones.split(/[,;]/) }}, with 'Include Other Input Fields' on, and put a Split Out node behind it, with 'Include' set to All Other Fields.";

/** How a number is read. */
export interface NumberOptions {
	/** The field as the editor shows it. */
	field?: string;
	/** Advice where a field for one number has several. */
	several?: string;
	/** ISO 3166-1 code of the country whose national numbers are understood (default: France). */
	country?: string;
	/** `refuse` where the service would: it sends nothing to a fixed line (code 19). */
	fixedLines?: 'accept' | 'refuse';
	/** Of the number that texts show as an example: whatever reaches a person or a list refuses it. */
	example?: 'accept' | 'refuse';
}

/**
 * The recipient as the service takes it: `0600000000` (national) or `+33600000000` (international),
 * interface document 2.6. Spaces, dots, dashes, parentheses, a leading `00` and the trunk zero of
 * `+33 (0)6…` and `+44 07…` are understood. The format that was typed is kept, but the document has only French
 * national numbers: those of another default country get their country code. A spreadsheet's losses are put
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
		example = 'refuse',
		several = SPLIT_OUT,
	}: NumberOptions = {},
): string {
	const home = readCountry(country);
	const number = readNumber(value, field, home, several);
	const canonical = canonicalNumber(number);
	if (example === 'refuse' && isExample(canonical, home)) {
		throw refuseIn(field, canonical)('is only an example', 'Enter a real phone number.');
	}
	if (fixedLines === 'refuse' && isFrenchFixedLine(canonical)) {
		const { advice } = explain({ code: FIXED_LINE });
		const more = number.startsWith('+') ? '' : ` ${assume(home)}`;
		throw refuseIn(field, String(value).trim())('is a fixed line', advice + more);
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

function readNumber(value: unknown, field: string, home: Country, several: string): string {
	const advice = `Enter a phone number. ${exampleText(home)}`;
	const typed = requireTrimmed(value, field, advice);
	const refuse = refuseIn(field, typed);
	const texts = typed.length > LONGEST ? [typed] : unspoiled(typed);
	const readings = texts.map((text) => numbersIn(text, home)).filter(({ length }) => length > 0);
	if (texts.length === 0 || readings.length > 1) {
		throw refuse(
			'is not a phone number: a spreadsheet has changed it',
			'Some of its digits may be lost. Format the column as text (in Excel: Format Cells > Text), then enter the number again.',
		);
	}
	const numbers = readings.flat();
	const isKnown = (number: string) => isMobile(readPhone(number));
	const likely = numbers.length > 1 ? numbers.filter(isKnown) : numbers;
	if (likely.length === 1) return likely[0];
	if (numbers.length > 1) {
		const what = `may be ${numbers.join(' or ')}`;
		throw refuse(what, 'Write it with + and its country code.');
	}
	if (isCellError(typed)) throw refuse('is an error of a spreadsheet', 'Correct the cell.');
	const digits = digitsOf(texts[0]);
	if (isNumber(digits)) throw impossible(withCode(digits, home)[0] ?? digits, home, refuse);
	if (digits.split(/\D+/).filter(({ length }) => length >= SHORTEST).length > 1) {
		throw refuse('is more than one number', several);
	}
	// The only character that is no digit is easily overlooked: an O for a 0.
	const [wrong, ...others] = digits.replace(/[+\d]/g, '');
	const hint = wrong === undefined || others.length > 0 ? '' : `${show(wrong)} is no digit. `;
	throw refuse(
		'is not a phone number',
		`${hint}Enter a single number without an extension. ${exampleText(home)}`,
	);
}

/** The digits of a text, without anything that separates them. */
function digitsOf(text: string): string {
	const digits = text.replace(SEPARATORS, '').trim();
	return SLASHED.test(digits) ? digits.replaceAll('/', '') : digits;
}

function isNumber(digits: string): boolean {
	return /^\+?\d+$/.test(digits) && digits.length <= LONGEST;
}

/** The numbers that a text can be. More than one: the digits in front may be those of two exit codes. */
function numbersIn(text: string, home: Country): string[] {
	const digits = digitsOf(text);
	if (!isNumber(digits)) return [];
	const isFrench = isFrenchCode(home.callingCode);
	const french = isFrench ? frenchIn(digits) : undefined;
	if (french !== undefined) return [french];
	const numbers = withCode(digits, home).flatMap((each) => possible(readPhone(each)));
	if (!digits.startsWith('+')) numbers.push(...national(digits, home));
	if (numbers.length > 0) return [...new Set(numbers)];
	// In +352 (0)621 123 456, the zero is none of its digits.
	return OPTIONAL_ZERO.test(text) ? numbersIn(text.replace(OPTIONAL_ZERO, ''), home) : [];
}

/** A mobile number that has lost its 0, such as one that came as a JSON number. */
const WITHOUT_ZERO = /^[67]\d{8}$/;

/** A number as people in France write it, or as a spreadsheet leaves it: without the library, as lists have many. */
function frenchIn(digits: string): string | undefined {
	if (WITHOUT_ZERO.test(digits)) return `0${digits}`;
	const readings = [digits, `+${digits}`, digits.replace(/^00/, '+')];
	return readings.find((number) => frenchDigits(number) !== undefined);
}

/** Digits behind a +, which 00 and the exit code of the country stand for. */
function withCode(digits: string, home: Country): string[] {
	if (digits.startsWith('+')) return [digits];
	if (digits.startsWith(`00${home.callingCode}`)) return [`+${digits.slice(2)}`];
	const [exitCode = '00'] =
		new RegExp(`^(?:${planOf(home.code).IDDPrefix()})`).exec(digits) ?? [];
	return [...new Set(['00', exitCode])].flatMap((code) => {
		const number = `+${digits.slice(code.length)}`;
		if (code === '00') return digits.startsWith(code) ? [number] : [];
		// A single digit, as in Cape Verde, is seldom meant.
		return code.length > 2 || isMobile(readPhone(number)) ? [number] : [];
	});
}

function possible(phone: Phone | undefined): string[] {
	return phone && isPossible(phone) ? [phone.number] : [];
}

/**
 * Numbers of the default country. A spreadsheet's loss is put back where the library knows the number, and no other
 * mobile number looks like it.
 */
function national(digits: string, home: Country): string[] {
	const { code, callingCode, example } = home;
	const own = readPhone(digits, code);
	const lacksPlus = digits.startsWith(callingCode) ? readPhone(`+${digits}`) : undefined;
	const numbers = isMobile(lacksPlus) ? possible(lacksPlus) : [];
	if (own?.countryCallingCode !== callingCode) return numbers;
	const lacksCode = digits === `${callingCode}${own.nationalNumber}`;
	const isAsTyped = own.nationalNumber === digits;
	// With its trunk prefix in front, a number lacks a digit: 8 is the first one of fixed lines in Russia, too.
	const lacksTrunk =
		isAsTyped &&
		(writingOf(example).trunk !== '' ||
			digits.startsWith(planOf(code).nationalPrefix() || '+'));
	if (isPossible(own) && !lacksCode && !lacksTrunk) {
		const isLikely = isMobile(own) || !isElsewhere(digits, home);
		return isLikely ? [own.number, ...numbers] : numbers;
	}
	// Countries such as Côte d'Ivoire dial it from abroad, too.
	const hasZero = isAsTyped && example.startsWith(`+${callingCode}0`);
	const complete = hasZero ? readPhone(`+${callingCode}0${digits}`) : undefined;
	const lost = [own, complete].find(isMobile);
	return isElsewhere(digits, home) ? numbers : [...possible(lost), ...numbers];
}

/** Whether digits that may have lost a 0 or a + are the mobile number of another country: 4740612345 of Norway. */
function isElsewhere(digits: string, { callingCode }: Country): boolean {
	const other = readPhone(`+${digits}`);
	return isMobile(other) && isPossible(other) && other.countryCallingCode !== callingCode;
}

/**
 * One spelling for the formats of the same number, to compare numbers that the service gives now in national and now
 * in international format (interface document 2.1, 2.11). A French number overseas has three: 0690…, +33690… and
 * +590690…. It is read leniently, since nobody can correct what the service has.
 *
 * @returns digits with a leading `+`; a text that isn't a number comes back as it is
 */
export function canonicalNumber(number: string): string {
	const texts = number.length > LONGEST ? [] : unspoiled(number);
	const [found] = texts.flatMap((text) => numbersIn(text, FRANCE));
	if (found === undefined) return storedDigits(number);
	const french = frenchDigits(found);
	return french === undefined ? found : internationalFrench(french);
}

/** The digits of a number as the service has it, with a + for 00. */
function storedDigits(number: string): string {
	if (number.length > LONGEST) return number;
	const [text = number] = unspoiled(number);
	return digitsOf(text).replace(/^00/, '+') || number;
}

/**
 * The numbers that one at the service may be: digits that have lost their 0, or else their +. 06 87 75 12 34 and
 * +687 75 12 34 of New Caledonia are both 687751234 then, and nothing tells which.
 *
 * @returns in one spelling; first the one that the number is compared by
 */
export function readingsOf(number: string): string[] {
	const canonical = canonicalNumber(number);
	const digits = storedDigits(number);
	return WITHOUT_ZERO.test(digits)
		? [canonical, ...possible(readPhone(`+${digits}`))]
		: [canonical];
}

/** Whether somebody probably made a number up: it ends with one pair of digits four times. */
export function looksMadeUp(number: string): boolean {
	return /(\d\d)\1{3}$/.test(number);
}

/** @param numbers those that look so */
export function noteOnMadeUp(numbers: string): string {
	return `Numbers that look made up: ${numbers}. Check them: a stranger may have one of them.`;
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

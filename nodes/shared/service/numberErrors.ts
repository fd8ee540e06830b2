import { countriesOn, DEFAULT_COUNTRY, exampleOf, findCountry, type Country } from './countries';
import { countOf } from './countOf';
import { internationalFrench, isFrenchCode } from './frenchPlan';
import { InputError, show } from './InputError';
import { isMobile, mobileLengths, readPhone, withZero, writingOf, type Phone } from './phone';

const FRANCE = findCountry(DEFAULT_COUNTRY)!;

/** A number for examples, which no field takes: of the default country, in national and international format. */
export function exampleText(home: Country = FRANCE): string {
	const { national, international } = writingOf(home);
	return `Write it like ${national} or ${international}.`;
}

/** Refuses the number of an example, of the default country and of the form: nobody means it. */
export function refuseExample(canonical: string, field: string, home: Country): void {
	if (![home, FRANCE].some((country) => exampleOf(country) === canonical)) return;
	throw new InputError(
		`'${field}' ${show(canonical)} is only an example`,
		'Enter the phone number of the recipient.',
	);
}

/** Names the country of a number without a country code: it may be from elsewhere. */
export function assume({ name }: Country): string {
	return `Without a country code, it is read as a number of ${name} ('Default Country' of the credential). If it is from elsewhere, write + and the country code.`;
}

/**
 * @param read the text without what separates digits. Its only other character is named, which is easily overlooked: an
 *   O for a 0.
 */
export function notANumber(typed: string, field: string, home: Country, read: string): InputError {
	const numbers = read.split(/\D+/).filter(({ length }) => length >= SHORTEST);
	if (numbers.length > 1)
		return new InputError(
			`'${field}' ${show(typed)} is more than one number`,
			'Enter a single number. For several recipients, put a Split Out node before this one, so that each has an item.',
		);
	const [wrong, ...others] = read.replace(/[+\d]/g, '');
	const hint = wrong === undefined || others.length > 0 ? '' : `${show(wrong)} is no digit. `;
	return new InputError(
		`'${field}' ${show(typed)} is not a phone number`,
		`${hint}Enter a single number without an extension. ${exampleText(home)}`,
	);
}

export function spoiled(typed: string, field: string): InputError {
	return new InputError(
		`'${field}' ${show(typed)} is not a phone number: a spreadsheet has changed it`,
		'Some of its digits may be lost. Format the column as text (in Excel: Format Cells > Text), then enter the number again.',
	);
}

export function ambiguous(typed: string, field: string, numbers: readonly string[]): InputError {
	return new InputError(
		`'${field}' ${show(typed)} may be ${numbers.join(' or ')}`,
		'Write it with + and its country code.',
	);
}

/**
 * Says why a number with a country code can't be a mobile number.
 *
 * @param digits behind a +
 */
export function whyNotInternational(digits: string, field: string, home: Country): InputError {
	const phone = readPhone(digits);
	if (phone === undefined) {
		const code = digits.startsWith('+0')
			? 'a country code that starts with 0'
			: 'no country code';
		return new InputError(`'${field}' ${show(digits)} has ${code}`, exampleText(home));
	}
	const name = nameOf(phone);
	const { length } = phone.digits;
	const lengths = mobileLengths(phone);
	const what = lengths.includes(length)
		? `is not a number of ${name}`
		: `has ${countOf(length, 'digit')} after +${phone.callingCode}; a mobile number of ${name} has ${inWords(lengths)}`;
	const advice = correctionOf(phone) ?? 'Check its digits, and its country code.';
	return new InputError(`'${field}' ${show(digits)} ${what}`, advice);
}

/** The same of a number without a country code. */
export function whyNotNational(
	digits: string,
	typed: string,
	field: string,
	home: Country,
): InputError {
	const own = readPhone(digits, home.code);
	const { trunk } = writingOf(home);
	const refuse = (what: string, advice = '') =>
		new InputError(
			`'${field}' ${show(typed)} ${what}`,
			`${advice}${exampleText(home)}${digits.length > SHORTEST ? ` ${assume(home)}` : ''}`,
		);
	const hint = lostZero(digits, home);
	if (trunk !== '' && digits.length > SHORTEST && !digits.startsWith(trunk[0])) {
		const code = hint === '' ? 'A number with its country code starts with + or 00. ' : hint;
		return refuse(`starts with neither ${trunk} nor +`, code);
	}
	const lengths = mobileLengths({ country: home.code, callingCode: home.callingCode }).map(
		(length) => length + trunk.length,
	);
	const correction = own && correctionOf(own);
	const advice = hint !== '' || correction === undefined ? hint : `${correction} `;
	if (lengths.includes(digits.length)) return refuse(`is not a number of ${home.name}`, advice);
	const what = `a mobile number of ${home.name} has ${inWords(lengths)}`;
	return refuse(`has ${countOf(digits.length, 'digit')}; ${what}`, advice);
}

/** Digits of a number that may only lack its + or 0. */
const SHORTEST = 7;

/** All countries of +1 have one numbering plan. */
function nameOf({ country, callingCode: code }: Phone): string {
	const owner = country ?? countriesOn(code)[0] ?? '';
	return code === '1' ? 'North America' : (findCountry(owner)?.name ?? `the network +${code}`);
}

function inWords(lengths: readonly number[]): string {
	const [fewest, most] = [lengths[0], lengths.at(-1)!];
	if (fewest === most) return `${fewest}`;
	return `${fewest} ${most === fewest + 1 ? 'or' : 'to'} ${most}`;
}

/** Advice for digits that are a number with a 0 in front, and perhaps another one with a +. */
function lostZero(digits: string, home: Country): string {
	const complete = readPhone(`0${digits}`, home.code);
	if (!complete?.isPossible || digits.startsWith('0')) return '';
	const other = readPhone(`+${digits}`);
	return other?.isPossible
		? 'The leading 0 or + seems to be missing, which happens if a spreadsheet stores the column as a number. Format the column as text, and enter the number again. '
		: 'The leading 0 seems to be missing, which happens if a spreadsheet stores the column as a number. Format the column as text, or write 0{{ … }} in the field. ';
}

/** Digits that a country has put in front of all its mobile numbers, by their first digits (ITU, national plans). */
const LENGTHENED: Readonly<Record<string, ReadonlyArray<[old: RegExp, added: string]>>> = {
	BJ: [[/^/, '01']], // since 30 November 2024
	CI: [
		[/^\d[0-3]/, '01'], // since 31 January 2021, by operator
		[/^\d[4-6]/, '05'],
		[/^\d/, '07'],
	],
};

/** A 0 where the country has none, and what mobile numbers of Mexico had until 2019. */
const OLD_PREFIX = /^(?:0|1|01|04[45])$/;

/** The form that a number of the wrong length should have, where that is known. */
function correctionOf(phone: Phone): string | undefined {
	const { callingCode: code, digits, country = '' } = phone;
	if (isFrenchCode(code) && /^[1-9]\d{8}$/.test(digits)) {
		return `The country code of its digits is another one: ${internationalFrench(digits)}.`;
	}
	const [, added = ''] = LENGTHENED[country]?.find(([old]) => old.test(digits)) ?? [];
	const longer = readPhone(`+${code}${added}${digits}`);
	if (added !== '' && isMobile(longer)) {
		return `The numbers of ${nameOf(phone)} have got two more digits. Since then, this one is ${longer.number}.`;
	}
	const extra = digits.length - mobileLengths(phone).at(-1)!;
	const shorter = readPhone(`+${code}${digits.slice(extra)}`);
	const prefix = digits.slice(0, Math.max(extra, 0));
	if (OLD_PREFIX.test(prefix) && isMobile(shorter)) {
		return `Leave out the ${prefix}: ${shorter.number}.`;
	}
	return withZero(phone)?.type === undefined ? undefined : 'The leading 0 seems to be missing.';
}

import { countriesOn, findCountry, planOf, type Country } from './countries';
import { frenchDigits, isFrenchCode } from './frenchPlan';
import { remember } from './remember';
import { metadata, parsePhoneNumber } from './vendor/libphonenumber';

/** A number as the library reads it, without a trunk prefix that doesn't belong there. */
export interface Phone {
	/** In international format. */
	number: string;
	callingCode: string;
	/** Those after the calling code. */
	digits: string;
	/** ISO 3166-1; undefined where several countries share the calling code, and no range of theirs has the number. */
	country: string | undefined;
	/** Undefined for a number that the library doesn't know. */
	type: string | undefined;
	/** Whether a mobile phone or a service can have it. */
	isPossible: boolean;
}

/** Types that the library gives numbers which no phone of a person has. */
const SERVICES = [
	'PREMIUM_RATE',
	'TOLL_FREE',
	'SHARED_COST',
	'UAN',
	'PERSONAL_NUMBER',
	'VOICEMAIL',
];
const MOBILE = ['MOBILE', 'FIXED_LINE_OR_MOBILE'];

/**
 * @param digits behind a +, or of a national number
 * @param country ISO 3166-1 code of that one's country
 * @returns undefined where no number begins like this, or is as short
 */
export const readPhone = remember((digits: string, country?: string): Phone | undefined => {
	const phone = parse(digits, country);
	if (phone === undefined) return undefined;
	const { number, country: owner, countryCallingCode: callingCode, nationalNumber } = phone;
	const read = { number, country: owner, callingCode, digits: nationalNumber };
	const typed = { ...read, type: phone.getType() };
	return { ...typed, isPossible: isPossible(typed) };
});

function parse(digits: string, defaultCountry?: string) {
	return parsePhoneNumber(digits, { defaultCountry, extract: false }, metadata);
}

/**
 * By its length, as plans change faster than the library. Service numbers, which have other lengths, are told apart by
 * the rule of 'Allowed Countries'.
 */
function isPossible(phone: Omit<Phone, 'isPossible'>): boolean {
	const { number, callingCode, digits, type } = phone;
	if (isFrenchCode(callingCode)) return frenchDigits(number) !== undefined;
	if (isService(phone)) return true;
	const code = phone.country ?? callingCode;
	if (!mobileLengths(code).includes(digits.length)) return false;
	if (type !== undefined) return true;
	// A trunk prefix stays where a digit is missing behind it. In Italy, a fixed line has as many without its 0.
	const trunk = planOf(code).nationalPrefix();
	return trunk
		? !digits.startsWith(trunk) && !digits.startsWith('0')
		: parse(`+${callingCode}0${digits}`)?.getType() === undefined;
}

/**
 * How many digits mobile numbers have after the calling code.
 *
 * @param code of a country, or the calling code of several
 */
export const mobileLengths = remember((code: string): readonly number[] => {
	const codes = countriesOn(code);
	const lengths = (codes.length === 0 ? [code] : codes).flatMap((one) => {
		const plan = planOf(one);
		return (plan.type('MOBILE') ?? plan).possibleLengths();
	});
	return [...new Set(lengths)].sort((one, other) => one - other);
});

/** Whether it certainly is the number of a mobile phone. */
export function isMobile(phone: Phone | undefined): phone is Phone {
	return MOBILE.includes(phone?.type ?? '');
}

/** Premium-rate, freephone, shared-cost numbers and the like. Freephone numbers of +1 get SMS. */
export function isService({ type = '', callingCode }: Pick<Phone, 'type' | 'callingCode'>) {
	return SERVICES.includes(type) && !(type === 'TOLL_FREE' && callingCode === '1');
}

/**
 * How people write the numbers of a country.
 *
 * @param example of them, in international format
 * @returns `trunk`: what national numbers begin with, unless people may leave it out
 */
export const writingOf = remember((example: string) => {
	const phone = parse(example)!;
	const digits = phone.nationalNumber;
	const written = phone.formatNational({ nationalPrefix: false }).replace(/\D/g, '');
	return {
		trunk: written.endsWith(digits) ? written.slice(0, -digits.length) : '',
		national: phone.formatNational(),
		international: phone.formatInternational(),
	};
});

/** @param number as `canonicalNumber` gives it */
export function phoneOf(number: string): Phone | undefined {
	return number.startsWith('+') ? readPhone(number) : undefined;
}

/** The country of a number that `canonicalNumber` gave. */
export function countryOf(number: string): Country | undefined {
	const phone = phoneOf(number);
	return phone && ownerOf(phone);
}

/**
 * The country of a number. Of several with one calling code, the main one has the numbers that are nobody's.
 *
 * @returns undefined for a number that can't exist, or is of no country: of a satellite network
 */
function ownerOf({ country, callingCode, isPossible: exists }: Phone): Country | undefined {
	return findCountry(country ?? (exists ? countriesOn(callingCode)[0] : undefined) ?? '');
}

/**
 * Codes of the countries that may have a number, its owner among them: nothing tells the mobile numbers of some
 * territories from those of a neighbour, as Åland's from Finland's.
 */
export function candidatesOf(phone: Phone): string[] {
	const owner = ownerOf(phone)?.code;
	return countriesOn(phone.callingCode).filter((code) => {
		const mobile = planOf(code).type('MOBILE')?.pattern();
		return code === owner || new RegExp(`^(?:${mobile})$`).test(phone.digits);
	});
}

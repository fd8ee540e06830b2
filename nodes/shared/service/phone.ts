import { countriesOn, findCountry, planOf, type Country } from './countries';
import { frenchDigits, isFrenchCode } from './frenchPlan';
import { remember } from './remember';
import { metadata, parsePhoneNumber } from './vendor/libphonenumber';

/** A number as the library reads it, with its type: the library would look for it each time. */
export type Phone = NonNullable<ReturnType<typeof readPhone>>;

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
 * A number as the library reads it, without a trunk prefix that doesn't belong there.
 *
 * @param digits behind a +, or of a national number
 * @param defaultCountry ISO 3166-1 code of that one's country
 * @returns undefined where no number begins like this, or is as short
 */
export const readPhone = remember((digits: string, defaultCountry?: string) => {
	const phone = parsePhoneNumber(digits, { defaultCountry, extract: false }, metadata);
	return phone && Object.assign(phone, { type: phone.getType() });
});

/**
 * Whether a mobile phone or a service can have a number: by its length, as plans change faster than the library. Service
 * numbers, which have other lengths, are told apart by the rule of 'Allowed Countries'.
 */
export function isPossible(phone: Phone): boolean {
	const { number, country, countryCallingCode, nationalNumber: digits } = phone;
	if (isFrenchCode(countryCallingCode)) return frenchDigits(number) !== undefined;
	if (isService(phone)) return true;
	const code = country ?? countryCallingCode;
	if (!mobileLengths(code).includes(digits.length)) return false;
	if (phone.type !== undefined) return true;
	// A trunk prefix stays where a digit is missing behind it. In Italy, a fixed line has as many without its 0.
	const trunk = planOf(code).nationalPrefix();
	return trunk
		? !digits.startsWith(trunk) && !digits.startsWith('0')
		: readPhone(`+${countryCallingCode}0${digits}`)?.type === undefined;
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
export function isService(phone: Phone): boolean {
	const { type = '' } = phone;
	return SERVICES.includes(type) && !(type === 'TOLL_FREE' && phone.countryCallingCode === '1');
}

/**
 * How people write the numbers of a country.
 *
 * @param example of them, in international format
 * @returns `trunk`: what national numbers begin with, unless people may leave it out
 */
export const writingOf = remember((example: string) => {
	const phone = readPhone(example)!;
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
function ownerOf(phone: Phone): Country | undefined {
	const [main] = isPossible(phone) ? countriesOn(phone.countryCallingCode) : [];
	return findCountry(phone.country ?? main ?? '');
}

/**
 * Codes of the countries that may have a number, its owner among them: nothing tells the mobile numbers of some
 * territories from those of a neighbour, as Åland's from Finland's.
 */
export function candidatesOf(phone: Phone): string[] {
	const owner = ownerOf(phone)?.code;
	return countriesOn(phone.countryCallingCode).filter((code) => {
		const mobile = planOf(code).type('MOBILE')?.pattern();
		return code === owner || new RegExp(`^(?:${mobile})$`).test(phone.nationalNumber);
	});
}

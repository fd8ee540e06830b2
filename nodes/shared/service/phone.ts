import { countriesOn, exampleOf, findCountry, planOf, type Country } from './countries';
import { frenchDigits, isFrenchCode } from './frenchPlan';
import { metadata, parsePhoneNumber, type PhoneNumber } from './vendor/libphonenumber';

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

/** What no phone of a person has, by the type that the library gives it. */
const SERVICES = [
	'PREMIUM_RATE',
	'TOLL_FREE',
	'SHARED_COST',
	'UAN',
	'PERSONAL_NUMBER',
	'VOICEMAIL',
];
const MOBILE = ['MOBILE', 'FIXED_LINE_OR_MOBILE'];

/** The numbers read last: a run asks for each several times. */
const READ = new Map<string, Phone | undefined>();
const MOST_READ = 1_000;

/**
 * @param digits behind a +, or of a national number
 * @param country ISO 3166-1 code of that one's country
 * @returns undefined for what no number begins like, or is as short as
 */
export function readPhone(digits: string, country = ''): Phone | undefined {
	const key = country + digits;
	if (!READ.has(key)) {
		if (READ.size >= MOST_READ) READ.clear();
		const phone = parse(digits, country);
		READ.set(key, phone && phoneOf(phone));
	}
	return READ.get(key);
}

function parse(digits: string, country: string): PhoneNumber | undefined {
	const defaultCountry = country || undefined;
	return parsePhoneNumber(digits, { defaultCountry, extract: false }, metadata);
}

function phoneOf(phone: PhoneNumber): Phone {
	const { number, country, countryCallingCode: callingCode, nationalNumber: digits } = phone;
	const read = { number, country, callingCode, digits, type: phone.getType() };
	return { ...read, isPossible: isPossible(read) };
}

/**
 * By its length, as plans change faster than the library. Service numbers, which have other lengths, are told apart by
 * the rule of 'Allowed Countries'.
 */
function isPossible(phone: Omit<Phone, 'isPossible'>): boolean {
	const { number, callingCode, digits, country, type } = phone;
	if (isFrenchCode(callingCode)) return frenchDigits(number) !== undefined;
	if (isService(phone)) return true;
	if (!mobileLengths(phone).includes(digits.length)) return false;
	if (type !== undefined) return true;
	// A trunk prefix stays where a digit is missing behind it. In Italy, a fixed line has as many without its 0.
	const trunk = planOf(country ?? callingCode).nationalPrefix();
	return trunk
		? !digits.startsWith(trunk) && !digits.startsWith('0')
		: parse(`+${callingCode}0${digits}`, '')?.getType() === undefined;
}

/** How many digits mobile numbers have, by country or calling code. */
const LENGTHS = new Map<string, readonly number[]>();

/** How many digits mobile numbers have after the calling code of this one. */
export function mobileLengths({ country, callingCode }: Pick<Phone, 'country' | 'callingCode'>) {
	const key = country ?? callingCode;
	let lengths = LENGTHS.get(key);
	if (lengths === undefined) {
		const codes = country === undefined ? countriesOn(callingCode) : [];
		const all = (codes.length === 0 ? [key] : codes).flatMap((code) => {
			const plan = planOf(code);
			return (plan.type('MOBILE') ?? plan).possibleLengths();
		});
		lengths = [...new Set(all)].sort((one, other) => one - other);
		LENGTHS.set(key, lengths);
	}
	return lengths;
}

/** The number with a 0 in front that may have got lost: of countries that dial it from abroad, too. */
export function withZero({ callingCode, digits }: Pick<Phone, 'callingCode' | 'digits'>) {
	return readPhone(`+${callingCode}0${digits}`);
}

/** Whether it certainly is the number of a mobile phone. */
export function isMobile(phone: Phone | undefined): phone is Phone {
	return MOBILE.includes(phone?.type ?? '');
}

/** Premium-rate, freephone, shared-cost numbers and the like. Freephone numbers of +1 get SMS. */
export function isService({ type = '', callingCode }: Pick<Phone, 'type' | 'callingCode'>) {
	return SERVICES.includes(type) && !(type === 'TOLL_FREE' && callingCode === '1');
}

/** How people write the numbers of a country. */
interface Writing {
	/** What national numbers begin with, unless people may leave it out. */
	trunk: string;
	/** The number that the library shows as an example: nobody means it. */
	national: string;
	international: string;
}
const WRITINGS = new Map<string, Writing>();

export function writingOf(country: Country): Writing {
	let writing = WRITINGS.get(country.code);
	if (writing === undefined) {
		const example = parse(exampleOf(country), '')!;
		const digits = example.nationalNumber;
		const written = example.formatNational({ nationalPrefix: false }).replace(/\D/g, '');
		writing = {
			trunk: written.endsWith(digits) ? written.slice(0, -digits.length) : '',
			national: example.formatNational(),
			international: example.formatInternational(),
		};
		WRITINGS.set(country.code, writing);
	}
	return writing;
}

/** The country of a number that `canonicalNumber` gave. */
export function countryOf(number: string): Country | undefined {
	const phone = number.startsWith('+') ? readPhone(number) : undefined;
	return phone && ownerOf(phone);
}

/**
 * The country of a number. Of several with one calling code, the main one has the numbers that are nobody's.
 *
 * @returns undefined for a number that can't exist, or is of no country: of a satellite network
 */
export function ownerOf({ country, callingCode, isPossible: exists }: Phone): Country | undefined {
	return findCountry(country ?? (exists ? countriesOn(callingCode)[0] : undefined) ?? '');
}

/**
 * Codes of the countries that may have a number: nothing tells the mobile numbers of some territories from those of a
 * neighbour, as Åland's from Finland's.
 *
 * @param owner the country that `ownerOf` gives
 */
export function candidatesOf({ digits, callingCode }: Phone, owner: Country): string[] {
	return countriesOn(callingCode).filter((code) => {
		const mobile = planOf(code).type('MOBILE')?.pattern();
		return code === owner.code || new RegExp(`^(?:${mobile})$`).test(digits);
	});
}

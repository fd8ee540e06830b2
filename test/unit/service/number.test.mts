/** Recipients: interface document 2.6 (national and international format), design ("Parameters"). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { canonicalNumber, parseNumber } from '../../../nodes/shared/service/number.ts';

function refusal(value: unknown, field?: string): InputError {
	try {
		parseNumber(value, field);
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		return error as InputError;
	}
	throw new Error(`${String(value)} was accepted`);
}

describe('what is taken', () => {
	const NATIONAL: Array<[how: string, typed: string]> = [
		['bare', '0639981234'],
		['spaces', '06 39 98 12 34'],
		['dots', '06.39.98.12.34'],
		['dashes', '06-39-98-12-34'],
		['slashes', '06/39/98/12/34'],
		['parentheses', '(06) 39 98 12 34'],
		['the trunk zero alone in parentheses', '(0)6 39 98 12 34'],
		['spaces around', '  0639981234\t'],
		['a line break at the end', '0639981234\r\n'],
		['no-break spaces', '06\u00a039\u00a098\u00a012\u00a034'],
		['narrow no-break spaces', '06\u202f39\u202f98\u202f12\u202f34'],
		['figure and thin spaces', '06\u200739\u200998\u200a12\u300034'],
		['tabs', '06\t39\t98\t12\t34'],
		['hyphen, non-breaking hyphen, figure dash', '06\u201039\u201198\u20121234'],
		['en dash, em dash, bar, minus', '06\u201339\u201498\u201512\u221234'],
		['zero-width spaces', '06\u200b39\u200c98\u200d12\ufeff34'],
		['word joiner and soft hyphen', '06\u206039\u00ad981234'],
		['a phone book of a phone (embedding marks)', '\u202a06 39 98 12 34\u202c'],
		['isolating marks', '\u206806 39 98 12 34\u2069'],
		['left-to-right marks', '\u200e06 39 98 12 34\u200f'],
		['Arabic letter mark', '\u061c0639981234'],
		['several at once', ' (06). 39 - 98 / 12 . 34 '],
	];
	test.each(NATIONAL)('national with %s', (_, typed) => {
		expect(parseNumber(typed)).toBe('0639981234');
	});

	const INTERNATIONAL: Array<[typed: string, sent: string]> = [
		['+33639981234', '+33639981234'],
		['+33 6 39 98 12 34', '+33639981234'],
		['+33.6.39.98.12.34', '+33639981234'],
		['(+33) 6 39 98 12 34', '+33639981234'],
		['+33 (0)6 39 98 12 34', '+33639981234'],
		['+33(0)639981234', '+33639981234'],
		['+33 ( 0 ) 6 39 98 12 34', '+33639981234'],
		['+33\u00a0(0)\u00a06 39 98 12 34', '+33639981234'],
		['0033639981234', '+33639981234'],
		['00 33 6 39 98 12 34', '+33639981234'],
		['0033 (0) 6 39 98 12 34', '+33639981234'],
		['(00) 33 6 39 98 12 34', '+33639981234'],
		['0-033 639 981 234', '+33639981234'],
		['\u202a+33 6 39 98 12 34\u202c', '+33639981234'],
		['+1 (415) 555-0132', '+14155550132'],
		['001 415 555 0132', '+14155550132'],
		['+44 (0)20 7946 0958', '+442079460958'],
		['+352 621 123 456', '+352621123456'],
		['+262 692 12 34 56', '+262692123456'],
		['+12345678', '+12345678'],
		['+123456789012345', '+123456789012345'],
	];
	test.each(INTERNATIONAL)('international %s', (typed, sent) => {
		expect(parseNumber(typed)).toBe(sent);
	});

	test('what was parsed is parsed to itself', () => {
		for (const [, typed] of NATIONAL)
			expect(parseNumber(parseNumber(typed))).toBe('0639981234');
		for (const [typed, sent] of INTERNATIONAL)
			expect(parseNumber(parseNumber(typed))).toBe(sent);
	});
});

describe('what is refused', () => {
	const BAD: Array<[what: string, value: unknown, says: RegExp]> = [
		['empty', '', /'Phone Number' is empty/],
		['only spaces', ' \u00a0\t', /'Phone Number' is empty/],
		['null', null, /'Phone Number' is null/],
		['undefined', undefined, /'Phone Number' is undefined/],
		['an object', { number: '0639981234' }, /'Phone Number' is an object/],
		['a list', ['0639981234'], /'Phone Number' is a list/],
		['true', true, /'Phone Number' is "true"/],
		['not a number at all', NaN, /'Phone Number' is "NaN"/],
		['letters', '06 39 98 12 3O', /is not a phone number/],
		['a word', 'unknown', /is not a phone number/],
		['two numbers', '0639981234;0639981235', /is not a phone number/],
		['two numbers with a comma', '0639981234, 0639981235', /is not a phone number/],
		['a remark', '0639981234 (mobile)', /is not a phone number/],
		['an extension', '+1 415 555 0132 x12', /is not a phone number/],
		['a link', 'tel:+33639981234', /is not a phone number/],
		['digits of another script', '٠٦٣٩٩٨١٢٣٤', /is not a phone number/],
		['a plus in the middle', '06+39981234', /is not a phone number/],
		['two plus signs', '++33639981234', /is not a phone number/],
		['only separators', '(-) .', /is not a phone number/],
		['only a plus', '+', /is not a phone number/],
		['national, 9 digits', '06 39 98 12 3', /has 9 digits; a national number has 10/],
		['national, 11 digits', '06 39 98 12 345', /has 11 digits; a national number has 10/],
		['the zero after +33', '+33 06 39 98 12 34', /is not a French number/],
		['the zero after 0033', '00330639981234', /is not a French number/],
		['French, too short', '+33 6 39 98 12 3', /is not a French number/],
		['French, too long', '+33 6 39 98 12 345', /is not a French number/],
		[
			'international, too short',
			'+1234567',
			/has 7 digits; an international number has 8 to 15/,
		],
		['international, too long', '+1234567890123456', /has 16 digits; an international/],
		['a country code that starts with 0', '+0639981234', /country code that starts with 0/],
		['zeros', '0000000000', /country code that starts with 0/],
		['a country code without + or 00', '33639981234', /starts with neither 0 nor \+/],
		['the same as a number', 33639981234, /starts with neither 0 nor \+/],
		['a leading zero lost to a spreadsheet', '639981234', /starts with neither 0 nor \+/],
		['the same as a number', 639981234, /starts with neither 0 nor \+/],
		['a number in scientific notation', 1e21, /is not a phone number/],
	];
	test.each(BAD)('%s', (_, value, says) => {
		const { message, description } = refusal(value);
		expect(message).toMatch(says);
		expect(message).toContain("'Phone Number'");
		expect(description).toBeTruthy();
	});

	test('a lost leading zero is named as what it is', () => {
		expect(refusal(639981234).description).toContain('The leading 0 seems to be lost');
		expect(refusal(33639981234).description).not.toContain('leading 0');
	});

	test('the zero after +33 is named as what it is', () => {
		expect(refusal('+330639981234').description).toContain('the 0 is left out');
	});

	test('the field is named as the editor shows it', () => {
		expect(refusal('', 'Recipient').message).toBe("'Recipient' is empty");
	});

	test('a long wrong value is shown in part', () => {
		const { message } = refusal(`06${'x'.repeat(5_000)}`);
		expect(message.length).toBeLessThan(200);
	});
});

describe('one spelling to compare by', () => {
	test.each([
		['0639981234', '+33639981234'],
		['+33639981234', '+33639981234'],
		['33639981234', '+33639981234'],
		['0033639981234', '+33639981234'],
		['06 39 98 12 34', '+33639981234'],
		['+33 6.39-98/12 34', '+33639981234'],
		['+14155550132', '+14155550132'],
		['0014155550132', '+14155550132'],
	])('%s', (number, canonical) => {
		expect(canonicalNumber(number)).toBe(canonical);
	});

	test('different numbers stay different', () => {
		expect(canonicalNumber('0639981234')).not.toBe(canonicalNumber('0639981235'));
		expect(canonicalNumber('+14155550132')).not.toBe(canonicalNumber('4155550132'));
	});
});

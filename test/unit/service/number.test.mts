/** Recipients: interface document 2.6 (national and international format), design ("Parameters"). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import {
	canonicalNumber,
	parseNumber,
	spellings,
	type NumberOptions,
} from '../../../nodes/shared/service/number.ts';

function refusal(value: unknown, options?: NumberOptions): InputError {
	try {
		parseNumber(value, options);
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		return error as InputError;
	}
	throw new Error(`${String(value)} was accepted`);
}

describe('what is taken', () => {
	const NATIONAL: Array<[how: string, typed: string | number]> = [
		['bare', '0639981234'],
		['spaces', '06 39 98 12 34'],
		['dots', '06.39.98.12.34'],
		['dashes', '06-39-98-12-34'],
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
		['several at once', ' (06). 39 - 98 - 12 . 34 '],
		['a leading zero lost to a spreadsheet', '639981234'],
		['the same as a number', 639981234],
	];
	test.each(NATIONAL)('national with %s', (_, typed) => {
		expect(parseNumber(typed)).toBe('0639981234');
	});

	const INTERNATIONAL: Array<[typed: string, sent: string]> = [
		['+33639981234', '+33639981234'],
		['+33 6 39 98 12 34', '+33639981234'],
		['+33.6.39.98.12.34', '+33639981234'],
		['(+33) 6 39 98 12 34', '+33639981234'],
		['33639981234', '+33639981234'],
		['33 6 39 98 12 34', '+33639981234'],
		['590690123456', '+590690123456'],
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

// What a spreadsheet leaves of +33 6 39 98 77 02 where it takes the column for a number.
test.each<[country: string, typed: number, sent: string]>([
	['FR', 33639987702, '+33639987702'],
	['BE', 32470123456, '+32470123456'],
	['GB', 447400123456, '+447400123456'],
	['ES', 34612345678, '+34612345678'],
	['US', 14155550132, '+14155550132'],
])('of %s, %d has lost its +', (country, typed, sent) => {
	expect(parseNumber(typed, { country })).toBe(sent);
	expect(parseNumber(String(typed), { country })).toBe(sent);
});

test.each<[country: string, typed: number]>([
	['BE', 33639987702],
	['FR', 32470123456],
	['GB', 33639987702],
	// Nine digits may be a number of Vienna as well as +43 and seven digits.
	['AT', 431234567],
	['DE', 4915112345678],
])('of %s, %d may be something else', (country, typed) => {
	expect(refusal(typed, { country }).message).toContain(String(typed));
});

describe('what is refused', () => {
	const BAD: Array<[what: string, value: unknown, says: RegExp]> = [
		['empty', '', /'Phone Number' is empty/],
		['only spaces', ' \u00a0\t', /'Phone Number' is empty/],
		['null', null, /'Phone Number' is empty/],
		['undefined', undefined, /'Phone Number' is empty/],
		['an object', { number: '0639981234' }, /'Phone Number' is an object/],
		['a list', ['0639981234'], /'Phone Number' is a list/],
		['true', true, /'Phone Number' is "true"/],
		['not a number at all', NaN, /'Phone Number' is "NaN"/],
		['letters', '06 39 98 12 3O', /is not a phone number/],
		['a word', 'unknown', /is not a phone number/],
		['two numbers', '0639981234;0639981235', /is not a phone number/],
		['two numbers with a comma', '0639981234, 0639981235', /is not a phone number/],
		['slashes', '06/39/98/12/34', /is not a phone number/],
		['a remark', '0639981234 (mobile)', /is not a phone number/],
		['an extension', '+1 415 555 0132 x12', /is not a phone number/],
		['a link', 'tel:+33639981234', /is not a phone number/],
		['digits of another script', '٠٦٣٩٩٨١٢٣٤', /is not a phone number/],
		['a plus in the middle', '06+39981234', /is not a phone number/],
		['two plus signs', '++33639981234', /is not a phone number/],
		['only separators', '(-) .', /is not a phone number/],
		['only a plus', '+', /is not a phone number/],
		['too short for any country', '123456', /"123456" is too short$/],
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
		['a foreign country code without + or 00', '447400123456', /starts with neither 0 nor \+/],
		['the same as a number', 447400123456, /starts with neither 0 nor \+/],
		['+33 without the +, a digit too few', '3363998123', /starts with neither 0 nor \+/],
		['+33 without the +, a digit too many', '336399812345', /starts with neither 0 nor \+/],
		['+33 without the +, with the zero', '330639981234', /starts with neither 0 nor \+/],
		['9 digits that may be anything', '142685300', /starts with neither 0 nor \+/],
		['the same as a number', 142685300, /starts with neither 0 nor \+/],
		['a number in scientific notation', 1e21, /is not a phone number/],
	];
	test.each(BAD)('%s', (_, value, says) => {
		const { message, description } = refusal(value);
		expect(message).toMatch(says);
		expect(message).toContain("'Phone Number'");
		expect(description).toBeTruthy();
	});

	test('a lost leading zero is named as what it is', () => {
		expect(refusal(142685300).description).toContain('The leading 0 seems to be missing');
		expect(refusal(447400123456).description).not.toContain('leading 0');
	});

	test.each([
		'/',
		'//',
		',',
		';',
		':',
		'|',
		'&',
		'+',
		'#',
		'_',
		'\n',
		'\r\n',
		'\u2028',
		'x',
		'or',
		'ou',
		'and',
		'ext.',
		'poste',
	])('a second number, or an extension, after %j', (between) => {
		const NUMBERS = ['+1 202 555 0123', '+49 30 901820', '0639981234', '+33 639981234'];
		for (const number of NUMBERS) {
			for (const other of ['45', '6', '0639981235']) {
				for (const typed of [
					`${number}${between}${other}`,
					`${number} ${between} ${other}`,
				]) {
					const { message, description } = refusal(typed);
					expect(message).toMatch(/^'Phone Number' "[^"]+" is not a phone number$/);
					expect(description).toContain('a single number without an extension');
				}
			}
		}
	});

	test.each([
		['06 39 98 12 3O', /^"O" is no digit\. Enter a single number/],
		['06 39 9l 12 34', /^"l" is no digit\. /],
		['unknown', /^Enter a single number/],
		['0639981234;0639981235', /^";" is no digit\. /],
	])('one character that is none of a number is named: %s', (typed, advice) => {
		expect(refusal(typed).description).toMatch(advice);
	});

	test('the zero after +33 is named as what it is', () => {
		expect(refusal('+330639981234').description).toContain('Leave out the 0');
	});

	test('the field is named as the editor shows it', () => {
		expect(refusal('', { field: 'Recipient' }).message).toBe("'Recipient' is empty");
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
		['+33 6.39-98-12 34', '+33639981234'],
		['+14155550132', '+14155550132'],
		['0014155550132', '+14155550132'],
		['639981234', '+33639981234'], // a JSON number
		['+33 (0)6 39 98 12 34', '+33639981234'],
		['0033(0)639981234', '+33639981234'],
		['(0)6 39 98 12 34', '+33639981234'],
		['+44 (0)7400 123456', '+447400123456'],
		['+33639981234\r\n', '+33639981234'],
	])('%s', (number, canonical) => {
		expect(canonicalNumber(number)).toBe(canonical);
	});

	// Arcep, decision 2018-0881 as amended: ranges of the territories overseas.
	const OVERSEAS = [
		['690', '590'],
		['691', '590'],
		['694', '594'],
		['696', '596'],
		['697', '596'],
		['692', '262'],
		['693', '262'],
		['639', '262'],
		['70901', '590'],
		['70912', '596'],
		['70923', '262'],
		['70930', '594'],
		['70935', '262'],
		['590', '590'],
		['594', '594'],
		['596', '596'],
		['262', '262'],
		['269', '262'],
		['70845', '508'],
	];
	test.each(OVERSEAS)('0%s is +%s', (range, callingCode) => {
		const digits = range.padEnd(9, '123456');
		const international = `+${callingCode}${digits}`;
		for (const written of [
			`0${digits}`,
			`+33${digits}`,
			`0033 ${digits}`,
			`33${digits}`,
			international,
			`00${callingCode}${digits}`,
			`${callingCode}${digits}`,
		]) {
			expect(canonicalNumber(written), written).toBe(international);
		}
	});

	test('numbers of works of fiction, 0639 98, are metropolitan', () => {
		expect(canonicalNumber('0639980000')).toBe('+33639980000');
		expect(canonicalNumber('0639970000')).toBe('+262639970000');
		expect(canonicalNumber('+262639980000')).toBe('+262639980000');
	});

	test('Saint-Pierre-et-Miquelon has six digits after its country code', () => {
		for (const written of ['0508 55 12 34', '+33 508 55 12 34', '+508 55 12 34']) {
			expect(canonicalNumber(written)).toBe('+508551234');
		}
	});

	test.each(['0692 12 34 56', '+33692123456', '0692123456'])('%s is understood', (typed) => {
		expect(canonicalNumber(parseNumber(typed))).toBe('+262692123456');
	});

	const french = fc
		.tuple(fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^\d{8}$/))
		.map(([first, rest]) => `${first}${rest}`);

	test('all spellings of a number are one number, and no two numbers are', () => {
		fc.assert(
			fc.property(french, french, (one, other) => {
				const canonical = canonicalNumber(`0${one}`);
				expect(canonicalNumber(canonical)).toBe(canonical);
				for (const written of spellings(`0${one}`)) {
					expect(canonicalNumber(written)).toBe(canonical);
				}
				expect(canonicalNumber(`0${other}`) === canonical).toBe(one === other);
			}),
			{ numRuns: 5_000 },
		);
	});

	test('different numbers stay different', () => {
		expect(canonicalNumber('0639981234')).not.toBe(canonicalNumber('0639981235'));
		expect(canonicalNumber('+14155550132')).not.toBe(canonicalNumber('4155550132'));
	});
});

describe('the forms in which the service may hold a number', () => {
	test.each([
		['0639981234', ['0639981234', '+33639981234']],
		['+33639981234', ['+33639981234', '0639981234']],
		['0690123456', ['0690123456', '+590690123456', '+33690123456']],
		['+590690123456', ['+590690123456', '0690123456', '+33690123456']],
		['+33690123456', ['+33690123456', '0690123456', '+590690123456']],
		['+508551234', ['+508551234', '0508551234', '+33508551234']],
		['+14155550132', ['+14155550132']],
		['+262639980000', ['+262639980000']],
	])('%s', (number, forms) => {
		expect(spellings(number)).toEqual(forms);
	});
});

describe('fixed lines', () => {
	const FIXED = [
		'01 42 68 53 00',
		'0261910000',
		'03 53 01 00 00',
		'04 65 71 00 00',
		'05 36 49 00 00',
		'09 72 10 10 10',
		'+33 1 42 68 53 00',
		'+33972101010',
		'0033 5 36 49 00 00',
		'0590 12 34 56',
		'+590 590 12 34 56',
		'+33 596 12 34 56',
		'+262 262 12 34 56',
		'0269 61 00 00',
	];
	test.each(FIXED)('%s is refused for a send as the service does (code 19)', (typed) => {
		const { message, description } = refusal(typed, { fixedLines: 'refuse' });
		expect(message).toContain('The number is a fixed line');
		expect(message).toContain(`'Phone Number' is "${typed}"`);
		expect(description).toBe('Only mobile numbers can get SMS. Use a mobile number.');
	});

	test.each(FIXED)('%s is taken where nothing is sent', (typed) => {
		expect(() => parseNumber(typed)).not.toThrow();
	});

	test.each([
		'0639981234',
		'07 00 00 00 00',
		'+33 7 12 34 56 78',
		'0690 12 34 56',
		'+590 690 12 34 56',
		'+262639123456',
		'0508 55 12 34', // Saint-Pierre-et-Miquelon: mobile and fixed share a range
		'+508551234',
		'0800 12 34 56',
		'+14155550132',
		'+3212345678',
	])('%s is no certain fixed line', (typed) => {
		expect(() => parseNumber(typed, { fixedLines: 'refuse' })).not.toThrow();
	});

	test('the default country does not matter', () => {
		expect(refusal('+33142685300', { country: 'BE', fixedLines: 'refuse' }).message).toContain(
			'fixed line',
		);
		expect(parseNumber('0142685300', { country: 'CH', fixedLines: 'refuse' })).toBe(
			'+41142685300',
		);
	});
});

describe('another default country', () => {
	test.each([
		['BE', '0470 12 34 56', '+32470123456'],
		['BE', '02 123 45 67', '+3221234567'],
		['be', '(0)470-12.34.56', '+32470123456'],
		['CH', '079 123 45 67', '+41791234567'],
		['LU', '621 123 456', '+352621123456'],
		['DE', '0151 23456789', '+4915123456789'],
		['ES', '612 34 56 78', '+34612345678'],
		['IT', '339 123 4567', '+393391234567'],
		['IT', '06 1234 5678', '+390612345678'],
		['GB', '(020) 7946 0958', '+442079460958'],
		['HU', '06 30 123 4567', '+36301234567'],
		['MA', '06 12 34 56 78', '+212612345678'],
		['CI', '07 12 34 56 78', '+2250712345678'],
		['US', '(415) 555-0132', '+14155550132'],
		['US', '1-415-555-0132', '+14155550132'],
		['NC', '75 12 34', '+687751234'],
	])('%s: %s gets its country code', (country, typed, sent) => {
		expect(parseNumber(typed, { country })).toBe(sent);
	});

	test.each([
		['BE', 470123456, '+32470123456'],
		['CH', '791234567', '+41791234567'],
		['MA', 612345678, '+212612345678'],
		['GB', 7400123456, '+447400123456'],
		['CI', 712345678, '+2250712345678'],
		['FR', 692123456, '0692123456'],
		['FR', 712345678, '0712345678'],
	])('%s: the lost zero of %s is put back', (country, typed, sent) => {
		expect(parseNumber(typed, { country })).toBe(sent);
	});

	test.each([
		['BE', '21234567', 'is not a number of Belgium'], // a fixed line, or a country code
		['DE', '15123456789', 'is not a number of Germany'], // or +1 512 345 6789
		['AT', '6641234567', 'is not a number of Austria'], // lengths vary
		['BE', '0470 12 34 5678', 'is not a number of Belgium'],
		['ES', '612 34 56 7', 'is not a number of Spain'],
		['US', '555-0132', 'is not a number of United States'],
	])('%s: %s is refused', (country, typed, says) => {
		const { message, description } = refusal(typed, { country });
		expect(message).toContain(says);
		expect(description).toContain("'Default Country'");
	});

	test.each([
		['BE', '+33 6 39 98 12 34', '+33639981234'],
		['BE', '0033 6 39 98 12 34', '+33639981234'],
		['US', '011 33 6 39 98 12 34', '+33639981234'],
		['US', '0033 6 39 98 12 34', '+33639981234'],
		['AU', '0011 33 6 39 98 12 34', '+33639981234'],
		['FR', '06 39 98 12 34', '0639981234'],
		['fr', '+32 470 12 34 56', '+32470123456'],
	])('%s: %s is understood', (country, typed, sent) => {
		expect(parseNumber(typed, { country })).toBe(sent);
	});

	test.each(['', 'XX', 'France'])('the country %s is refused by name', (country) => {
		expect(refusal('0639981234', { country }).message).toContain("'Default Country'");
	});

	test('the countries are listed once each, by name, with a calling code', () => {
		expect(new Set(COUNTRIES.map(({ code }) => code)).size).toBe(COUNTRIES.length);
		expect(COUNTRIES.find(({ code }) => code === 'FR')).toMatchObject({
			name: 'France',
			callingCode: '33',
			trunkPrefix: '0',
		});
		const names = COUNTRIES.map(({ name }) => name);
		expect(names).toEqual([...names].sort((one, other) => one.localeCompare(other, 'en')));
		for (const { code, callingCode, length } of COUNTRIES) {
			expect(code).toMatch(/^[A-Z]{2}$/);
			expect(callingCode).toMatch(/^[1-9]\d{0,2}$/);
			expect(length[0]).toBeLessThanOrEqual(length[1]);
			expect(callingCode.length + length[1]).toBeLessThanOrEqual(15);
		}
	});

	test('a number that is understood in one way is understood again as the same', () => {
		fc.assert(
			fc.property(
				fc.constantFrom(...COUNTRIES),
				fc.stringMatching(/^\d{8}$/),
				({ code, callingCode, trunkPrefix, length }, digits) => {
					const significant = `9${digits}00000`.slice(0, length[1]);
					const typed = `${trunkPrefix}${significant}`;
					const number = parseNumber(typed, { country: code });
					expect(parseNumber(number, { country: code })).toBe(number);
					if (code !== 'FR') expect(number).toBe(`+${callingCode}${significant}`);
				},
			),
			{ numRuns: 2_000 },
		);
	});
});

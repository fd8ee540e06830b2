/**
 * Recipients: interface document 2.6 (national and international format), design ("Parameters"). Numbering plans:
 * ITU-T E.164 and the regulators of the countries.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import {
	canonicalNumber,
	parseNumber,
	spellings,
	type NumberOptions,
} from '../../../nodes/shared/service/number.ts';
import { refusalOf } from '../refusal.mts';

const refusal = (value: unknown, options?: NumberOptions) =>
	refusalOf(() => parseNumber(value, options));

/** Spellings of one number; several in one line are separated by ` | `. */
const SAME: Record<string, string> = {
	'0639981234':
		'0639981234 | 06 39 98 12 34 | 06.39.98.12.34 | 06-39-98-12-34 | (06) 39 98 12 34 | (0)6 39 98 12 34 | \t0639981234 | 0639981234\r\n | 06\u00a039\u00a098\u00a012\u00a034 | 06\u202f39\u202f98\u202f12\u202f34 | 06\u200739\u200998\u200a12\u300034 | 06\t39\t98\t12\t34 | 06\u201039\u201198\u20121234 | 06\u201339\u201498\u201512\u221234 | 06\u200b39\u200c98\u200d12\ufeff34 | 06\u206039\u00ad981234 | \u202a06 39 98 12 34\u202c | \u206806 39 98 12 34\u2069 | \u200e06 39 98 12 34\u200f | \u061c0639981234 | ０６３９９８１２３４ | ０６（３９）９８－１２ー３４ | ٠٦٣٩٩٨١٢٣٤ | ۰۶ ۳۹ ۹۸ ۱۲ ۳۴ | 06/39/98/12/34 | 06／39／98／12／34 | 06/39 98 12 34 | 0639/98.12.34 | (06). 39 - 98 - 12 . 34 | - 06 39 98 12 34',
	'+33639981234':
		'+33639981234 | ＋３３ ６ ３９ ９８ １２ ３４ | +٣٣٦٣٩٩٨١٢٣٤ | +33 (0)6/39.98.12.34 | tel:+33639981234 | %2B33639981234 | +33%206%2039%2098%2012%2034 | TEL: +33 6 39 98 12 34 | p:+33639981234 | sms:0033639981234 | +33 6 39 98 12 34 | +33.6.39.98.12.34 | (+33) 6 39 98 12 34 | 33639981234 | 33 6 39 98 12 34 | +33 (0)6 39 98 12 34 | +33(0)639981234 | +33 ( 0 ) 6 39 98 12 34 | +33\u00a0(0)\u00a06 39 98 12 34 | 0033639981234 | 00 33 6 39 98 12 34 | 0033 (0) 6 39 98 12 34 | (00) 33 6 39 98 12 34 | 0-033 639 981 234 | \u202a+33 6 39 98 12 34\u202c',
	'+14155550132': '+1 (415) 555-0132 | 001 415 555 0132',
	'+442079460958': '+44 (0)20 7946 0958',
	'+352621123456': '+352 621 123 456 | +352 (0)621 123 456',
	'+590690123456': '590690123456',
	'+262692123456': '+262 692 12 34 56',
	'+508551234': '+508 55 12 34 | 508551234',
	'+819012345678': '+81 90 1234 5678 | +81 (0)90 1234 5678',
};

/** A trunk prefix behind the country code is not dialled from abroad, unless the number keeps its zero. */
const TRUNK: Record<string, string> = {
	'+447700900123': '+44 07700 900123 | 0044 07700 900123 | +44 (0) 07700 900123',
	'+33639981234': '+33 06 39 98 12 34 | 0033 06 39 98 12 34 | 330639981234',
	'+590690123456': '+590 0690 12 34 56',
	'+508412345': '+508 041 23 45',
	'+4915123456789': '+49 0151 23456789',
	'+32470123456': '+32 0470 12 34 56 | +32(0)470123456',
	'+31612345678': '+31 06 12345678',
	'+41791234567': '+41 079 123 45 67',
	'+212612345678': '+212 06 12 34 56 78',
	'+353871234567': '+353 087 123 4567',
	'+61412345678': '+61 0412 345 678',
	'+905321234567': '+90 0532 123 45 67',
	'+36301234567': '+36 06 30 123 4567 | +36 (06) 30 123 4567 | +36 (0)30 123 4567',
	'+12125550123': '+1 1 212 555 0123 | 001 1 212 555 0123',
	'+34612345678': '+34 (0)612 345 678',
	'+2250712345678': '+225 07 12 34 56 78 | +225 (0)7 12 34 56 78 | 00225 0712345678',
	'+242066123456': '+242 06 612 34 56 | +242 (0)6 612 34 56',
	'+2290197123456': '+229 01 97 12 34 56 | +229 (0)1 97 12 34 56',
	'+22601234567': '+226 01 23 45 67 | +226 (0)1 23 45 67',
	'+390612345678': '+39 06 1234 5678 | +39 (0)6 1234 5678',
	'+393391234567': '+39 (0)339 123 4567',
	'+5491112345678': '+54 11 15 1234 5678 | +54 (0)11 15-1234-5678',
	'+79123456789': '+7 8 912 345 67 89',
	'+375291234567': '+375 80 29 123 45 67',
	'+819012345678': '+81 090 1234 5678',
	'+5511912345678': '+55 011 91234 5678',
};

/** Exports of spreadsheets that have all digits. */
const SPREADSHEET: Record<string, string> = {
	'0639981234':
		'639981234 | 639981234.0 | 639981234,0 | 0639981234.00 | 6,39981234E+08 | 6.39981234e8 | \'0639981234 | ="0639981234" | "0639981234" | \'0639981234\' | “06 39 98 12 34” | « 0639981234 » | =0639981234 | 0639981234; | 0639981234, | `0639981234` | "0639981234; " | 639,981,234',
	'+33639981234':
		'33639981234.0 | +33639981234.0 | 3.3639981234E+10 | 33,639,981,234 | 33 639 981 234,00 | 33.639.981.234,00 | 33’639’981’234 | =+33639981234 | "+33 6 39 98 12 34" | tel:"+33639981234"',
	'0639981200': '06.39.98.12.00 | 06 39 98 12 00.00',
	'+43664123457': '+43 664 123457.00 | +43 664 123457,00 | +43.664.123457.0 | 00436641234 57.0',
	'+35840123456': '+358 40 123456.00',
	'+447700900123':
		'+447700900123.0 | +4.47700900123E+11 | 00447700900123.0 | +44 7700 900123.0 | +44 (0)7700 900123.0',
};

describe.each(Object.entries({ SAME, TRUNK, SPREADSHEET }))('%s', (_, table) => {
	const rows = Object.entries(table).flatMap(([sent, typed]) =>
		typed.split(' | ').map((text) => [text, sent] as const),
	);
	test.each(rows)('%j is %s', (typed, sent) => {
		expect(parseNumber(typed)).toBe(sent);
		expect(parseNumber(sent)).toBe(sent);
		expect(canonicalNumber(typed)).toBe(canonicalNumber(sent));
	});
});

describe('numbers that have lost their + or 0', () => {
	test.each<[country: string, typed: number, sent: string]>([
		['FR', 33639987702, '+33639987702'],
		['BE', 32470123456, '+32470123456'],
		['GB', 447400123457, '+447400123457'],
		['DE', 4915112345678, '+4915112345678'],
		['ES', 34612345679, '+34612345679'],
		['US', 14155550132, '+14155550132'],
		['BE', 470123456, '+32470123456'],
		['CH', 791234567, '+41791234567'],
		['MA', 612345678, '+212612345678'],
		['GB', 7400123457, '+447400123457'],
		['AT', 6641234567, '+436641234567'],
		['FI', 401234567, '+358401234567'],
		['HU', 301234567, '+36301234567'],
		['IN', 9876543210, '+919876543210'],
		['AD', 376312346, '+376312346'],
		['CI', 712345678, '+2250712345678'],
		['FR', 692123456, '0692123456'],
		['FR', 712345678, '0712345678'],
	])('of %s: %d', (country, typed, sent) => {
		for (const value of [typed, `${typed}`, `${typed}.0`]) {
			expect(parseNumber(value, { country })).toBe(sent);
		}
	});

	test.each<[country: string, typed: number, mayLackZero: boolean]>([
		['FR', 142685300, true],
		['FR', 447400123456, false],
		['FR', 32470123456, false],
		['DE', 301234567, false], // a fixed line
		['IT', 612345678, true],
		['GB', 2079460958, true],
		['DE', 15123456788, true], // or +1 512 345 6788
		['AT', 431234567, true], // or +43 and seven digits
		['BE', 33639987702, false],
		['CH', 79123456, false],
	])('of %s: %d may be something else (a 0 in front: %j)', (country, typed, mayLackZero) => {
		const { message, description = '' } = refusal(typed, { country });
		expect(message).toContain(String(typed));
		expect(description.startsWith('If it has lost a leading 0')).toBe(mayLackZero);
		// The advice is followed to the letter.
		if (mayLackZero) {
			expect(description).toContain('format the column as text, or write 0{{');
			expect(parseNumber(`0${typed}`, { country })).toMatch(/^[+0]/);
		}
	});
});

describe('refused', () => {
	/** By the end of what the error says. */
	const BAD: Record<string, unknown[]> = {
		'is empty': ['', ' \u00a0\t', null, undefined],
		'is an object': [{ number: '0639981234' }],
		'is a list': [['0639981234']],
		'is "true"': [true],
		'is "NaN"': [NaN],
		'is "1e+21", not an exact number': [1e21],
		'is not a phone number': [
			...['06 39 98 12 3O', 'unknown'],
			...[
				'0639981234 (mobile)',
				'+1 415 555 0132 x12',
				'24/12/2030',
				'063998/1234',
				'06/39981/234',
			],
			...['=33639981234*2', '=A1', '0639981234;12', "+33 6 39'98'12 34", ';0639981234'],
			...['+33 6 39 98 12 34¹', '०६३९९८१२३४', '06/39/98/12/34/35'],
			...['whatsapp:+33639981234', '06+39981234', '++33639981234', '(-) .', '+'],
			...['0639981234'.repeat(30), '0'.repeat(100_000), '( 0 '.repeat(50_000)],
		],
		'is an error of a spreadsheet': ['#NUM!', ' #N/A', '#REF!'],
		'is not a phone number: a spreadsheet has changed it': [
			...['3.36E+10', '6,40E+08', '3.3639981E+10', '4.477E+11', '1e+21', '1E+9'],
			...['-639981234', -639981234, '\u2212639981234', '-33639981234', 639981234.5],
		],
		'has 6 digits; a mobile number of France has 10': ['123456'],
		'has 9 digits; a mobile number of France has 10': [
			...['06 39 98 12 3', '02 123 45 67', '142685300', 142685300],
		],
		'has 11 digits; a mobile number of France has 10': ['06 39 98 12 345'],
		'has 12 digits; a mobile number of France has 10': [
			...['447400123456', 447400123456, '336399812345'],
		],
		'is not a number of France': ['3363998123'],
		'has no country code': ['+999 123456', '+210 123456', '+0639981234', '0000000000'],
		'has 8 digits after +33; a mobile number of France has 9': ['+33 6 39 98 12 3'],
		'has 10 digits after +33; a mobile number of France has 9': [
			...['+33 6 39 98 12 345', '+33 006 39 98 12 34'],
		],
		'is not a number of Réunion': ['+262 612 34 56 78'],
		'is not a number of French Guiana': ['+594 696 12 34 56'],
		'has 9 digits after +44; a mobile number of United Kingdom has 10': ['+44 7700 90012'],
		'has 11 digits after +44; a mobile number of United Kingdom has 10': [
			...['+44 7700 9001234', '+44 0077 00900123'],
		],
		'has 6 digits after +44; a mobile number of United Kingdom has 10': ['+44 20 7946'],
		'after +32; a mobile number of Belgium has 9': [
			...['+32 470 12 34', '+32 470 12 34 567', '+32 470 1', '+3221234567'],
		],
		'after +1; a mobile number of North America has 10': [
			...['+1 212 555 01', '+1 212 555 01234', '+123456', '+1234567890123456'],
		],
		'is not a number of North America': ['+1 112 555 0123', '+1 012 555 0123'],
		'after +39; a mobile number of Italy has 9 or 10': ['+39 0339 1234567'],
		'is not a number of Italy': ['+39 612345678'],
		'is only an example': ['06 12 34 56 78', '+33 6 12 34 56 78', 612345678],
		'is more than one number': [
			'"0639981234", "0639981235"',
			'0639981234;0639981235;',
			'06 39 98 12 34, 06 39 98 12 35',
			'0639981234;0639981235',
			'+33 6 39 98 12 34 / +44 7700 900123',
			'06.39.98.12.34\n06.39.98.12.35\n',
			Array(20).fill('06 39 98 12 34').join(', '),
		],
	};
	const rows = Object.entries(BAD).flatMap(([says, values]) =>
		values.map((value) => [value, says] as const),
	);
	test.each(rows)('%j', (value, says) => {
		const { message, description } = refusal(value);
		expect(message).toMatch(/^'Phone Number' /);
		expect(
			message.includes(' is "') ? message : message.replace(/, not a text$/, ''),
		).toContain(says);
		expect(message.length).toBeLessThan(200);
		expect(description).toBeTruthy();
	});

	test.each<[typed: unknown, advice: RegExp, options?: NumberOptions]>([
		[[{ value: '0639981234' }], /must return text\. Use one entry of the list, such as/],
		[
			{ phone: '0639981234' },
			/must return text\. Use one field of the object\. It has "phone"\.$/,
		],
		[true, /must return text\.$/],
		['06 39 98 12 3O', /^"O" is no digit\. Enter a single number/],
		['06 39 9l 12 34', /^"l" is no digit\. /],
		['unknown', /^Enter a single number/],
		[
			'0639981234;0639981235',
			/^Enter a single number\. .* an Edit Fields node, .* type Array, .* put a Split Out node behind it/,
		],
		['06 39 98 12 34 #5', /^"#" is no digit\. /],
		[
			'3.36E+10',
			/digits may be lost\. Format the column as text \(in Excel: Format Cells > Text\)/,
		],
		['+44 7700 90012', /^Check its digits, and its country code\.$/],
		['+594 696 12 34 56', /^Check its digits, and its country code\.$/],
		['06 39 98', /^Write it like 07400 123456 or \+44 7400 123456\.$/, { country: 'GB' }],
		['nobody', /Write it like 01512 3456789 or \+49 1512 3456789\.$/, { country: 'DE' }],
		['0664.12.34.00', /^Some of its digits may be lost/, { country: 'AT' }],
		['00251911234567', /^Write it with \+ and its country code/, { country: 'SG' }],
		['0470 12 34 5', /If it isn't from France \('Default Country'/],
		[
			'0470 12 34 56',
			/If it isn't from France .* write \+ and the country code/,
			{ fixedLines: 'refuse' },
		],
	])('%s has advice', (typed, advice, options) => {
		expect(refusal(typed, options).description).toMatch(advice);
	});

	const BETWEEN = '/ // , ; : | & + # _ \n \r\n \u2028 x or ou and ext. poste';
	test.each(BETWEEN.split(' '))('a second number, or an extension, after %j', (between) => {
		for (const number of ['+1 202 555 0123', '+49 30 901820', '0639981234', '+33 639981234']) {
			for (const other of ['45', '6', '0639981235']) {
				for (const blank of ['', ' ']) {
					const typed = `${number}${blank}${between}${blank}${other}`;
					const { message, description } = refusal(typed);
					const isNumber = other.length > 6;
					expect(message).toMatch(
						isNumber
							? /^'Phone Number' "[^"]+" is more than one number$/
							: /^'Phone Number' "[^"]+" is not a phone number$/,
					);
					expect(description).toContain(
						isNumber
							? 'put a Split Out node behind it'
							: 'a single number without an extension',
					);
				}
			}
		}
	});

	test('the field is named as the editor shows it, the number as in results', () => {
		expect(refusal('', { field: 'Recipient' }).message).toBe("'Recipient' is empty");
		expect(refusal('00 32 470 12 34').message).toContain('"+324701234"');
	});
});

describe('one spelling to compare by', () => {
	// Arcep, decision 2018-0881 as amended: ranges of the territories overseas.
	const OVERSEAS = {
		590: [690, 691, 70901, 590],
		594: [694, 70930, 594],
		596: [696, 697, 70912, 596],
		262: [692, 693, 639, 70923, 70935, 262, 269],
		508: [70845],
	};
	const ranges = Object.entries(OVERSEAS).flatMap(([code, starts]) =>
		starts.map((start) => [String(start), code] as const),
	);
	test.each(ranges)('0%s is +%s', (range, code) => {
		const digits = range.padEnd(9, '123456');
		const international = `+${code}${digits}`;
		for (const prefix of ['0', '+33', '0033 ', '33']) {
			expect(canonicalNumber(`${prefix}${digits}`)).toBe(international);
		}
		for (const prefix of ['+', '00', '']) {
			expect(canonicalNumber(`${prefix}${code}${digits}`)).toBe(international);
		}
	});

	test.each([
		['0639980000', '+33639980000'], // set apart for works of fiction, in the metropolis
		['0639970000', '+262639970000'],
		['+262639980000', '+262639980000'],
		['0508 55 12 34', '+508551234'],
		['+33 508 55 12 34', '+508551234'],
		['639981234', '+33639981234'], // a JSON number
		['0014155550132', '+14155550132'],
		['4155550132', '4155550132'],
		['Info', 'Info'],
		['( - )', '( - )'],
		['0'.repeat(300), '0'.repeat(300)],
	])('%s', (number, canonical) => expect(canonicalNumber(number)).toBe(canonical));

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

	test.each([
		['0639981234', ['+33639981234']],
		['+33639981234', ['0639981234']],
		['0690123456', ['+590690123456', '+33690123456']],
		['+590690123456', ['0690123456', '+33690123456']],
		['+33690123456', ['0690123456', '+590690123456']],
		['+508551234', ['0508551234', '+33508551234']],
		['+14155550132', []],
		['+262639980000', []],
	])('the service may hold %s as well as %j', (number, others) => {
		expect(spellings(number)).toEqual([number, ...others]);
	});
});

describe('fixed lines', () => {
	const FIXED =
		'01 42 68 53 00, 0261910000, 03 53 01 00 00, 04 65 71 00 00, 05 36 49 00 00, 09 72 10 10 10, +33 1 42 68 53 00, +33972101010, 0033 5 36 49 00 00, 0590 12 34 56, +590 590 12 34 56, +33 596 12 34 56, +262 262 12 34 56, 0269 61 00 00';
	test.each(FIXED.split(', '))('%s is refused for a send only (code 19)', (typed) => {
		const { message, description } = refusal(typed, { fixedLines: 'refuse' });
		expect(message).toBe(`'Phone Number' "${typed}" is a fixed line`);
		expect(description).toMatch(/^Only mobile numbers can get SMS\. Use a mobile number\./);
		expect(description?.includes("'Default Country'")).toBe(/^0[^0]/.test(typed));
	});

	// Saint-Pierre-et-Miquelon (508) has mobile and fixed numbers in one range.
	const OTHERS =
		'0639981234, 07 00 00 00 00, +33 7 12 34 56 78, 0690 12 34 56, +590 690 12 34 56, +262639123456, 0508 55 12 34, +508551234, 0800 12 34 56, +14155550132';
	test.each(OTHERS.split(', '))('%s is no certain fixed line', (typed) => {
		expect(() => parseNumber(typed, { fixedLines: 'refuse' })).not.toThrow();
	});

	test('the default country does not matter', () => {
		const refused = refusal('+33142685300', { country: 'BE', fixedLines: 'refuse' });
		expect(refused.message).toContain('fixed line');
		const swiss = parseNumber('0142685300', { country: 'CH', fixedLines: 'refuse' });
		expect(swiss).toBe('+41142685300');
	});
});

/** As people write it in each country: all-countries.test.mts. Here, the spellings of a few. */
describe('another default country', () => {
	test.each([
		['be', '(0)470-12.34.56', '+32470123456'],
		['DE', '0151/23456780', '+4915123456780'],
		['DE', '+49 (0)1512 / 345 67 80', '+4915123456780'],
		['DE', '0049 (0)151/23456780', '+4915123456780'],
		['BE', '0470/12/34/56', '+32470123456'],
		['AT', '0664/1234567', '+436641234567'],
		['JP', '０９０－１２３４－５６７９', '+819012345679'],
		['AE', '٠٥٠ ١٢٣ ٤٥٦٨', '+971501234568'],
		['IT', '06 1234 5678', '+390612345678'],
		['GB', '(020) 7946 0958', '+442079460958'],
		['US', '1-415-555-0132', '+14155550132'],
		['RE', '0692 12 34 57', '0692123457'],
		['PM', '55 12 35', '+508551235'],
		['RU', '8 10 33 6 39 98 12 34', '+33639981234'],
		['BR', '0021 33 6 39 98 12 34', '+33639981234'],
		['SG', '001 33 6 39 98 12 34', '+33639981234'],
		['SG', '0033 6 39 98 12 34', '+33639981234'],
		['AT', '0664 123457.00', '+43664123457'],
		['US', '0033 6 39 98 12 34', '+33639981234'],
		['FR', '06 39 98 12 34', '0639981234'],
		['fr', '+32 470 12 34 56', '+32470123456'],
	])('%s: %s is %s', (country, typed, sent) => {
		expect(parseNumber(typed, { country })).toBe(sent);
	});

	test.each([
		['BE', '33639987702', 'has 11 digits; a mobile number of Belgium has 10'],
		['BE', '0470 12 34 5', 'has 9 digits; a mobile number of Belgium has 10'],
		['DE', '0151 2345678901', 'has 14 digits; a mobile number of Germany has 11 or 12'],
		['US', '06 39 98 12 34', 'is not a number of United States'],
		['GB', '06 39 98 12 34', 'has 10 digits; a mobile number of United Kingdom has 11'],
		['US', '1 212 555 012', 'is not a number of United States'],
		['DK', '24/12/2030', 'is not a phone number'],
		['EE', '5123456/7', 'is not a phone number'],
		['EE', '5123456/5123457', 'is more than one number'],
		['DE', '030 901820/45', 'is not a phone number'],
		['IT', '0339 1234567', 'has 11 digits; a mobile number of Italy has 9 or 10'],
		['BF', '00226 7012345', 'has 7 digits after +226; a mobile number of Burkina Faso has 8'],
		['GB', '07400 123456', 'is only an example'],
		['GB', '+33 6 12 34 56 78', 'is only an example'],
	])('%s: %s %s', (country, typed, says) => {
		expect(refusal(typed, { country }).message).toContain(says);
	});

	test.each(['', 'XX', 'France'])('the country %j is refused by name', (country) => {
		expect(refusal('0639981234', { country }).message).toContain("'Default Country'");
	});

	test('the countries are listed once each, by name, with a calling code', () => {
		expect(new Set(COUNTRIES.map(({ code }) => code)).size).toBe(COUNTRIES.length);
		const names = COUNTRIES.map(({ name }) => name);
		expect(names).toEqual([...names].sort((one, other) => one.localeCompare(other, 'en')));
		for (const { code, callingCode } of COUNTRIES) {
			expect(code).toMatch(/^[A-Z]{2}$/);
			expect(callingCode).toMatch(/^[1-9]\d{0,2}$/);
		}
		expect(names).toEqual(expect.arrayContaining(['Côte d’Ivoire', 'Kosovo', 'Réunion']));
	});
});

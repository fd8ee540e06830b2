/** Senders: interface document section 8, and service-wide code 23 (no digits alone). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { parseSender } from '../../../nodes/shared/service/sender.ts';

test.each([
	['MyShop', 'MyShop'],
	['  MyShop\u00a0', 'MyShop'],
	['abc', 'abc'],
	['A1B', 'A1B'],
	['12a', '12a'],
	['ABCDEFGHIJK', 'ABCDEFGHIJK'],
	['1234567890x', '1234567890x'],
	['Nonesuch', 'Nonesuch'],
])('%j is taken', (typed, sent) => {
	expect(parseSender(typed)).toBe(sent);
});

test.each(['', '   ', '\n'])('%j is no sender', (typed) => {
	expect(parseSender(typed)).toBeUndefined();
});

describe('refused', () => {
	test.each<[what: string, value: unknown, says: RegExp]>([
		['two characters', 'ab', /"ab" has 2 characters/],
		['one character', 'a', /"a" has 1 character$/],
		['twelve characters', 'ABCDEFGHIJKL', /"ABCDEFGHIJKL" has 12 characters/],
		['digits only', '36123', /has digits only/],
		['a number', 36123, /has digits only/],
		['a space', 'My Shop', /not allowed: a space/],
		['an accent', 'Café', /not allowed: "é"/],
		['a dash', 'My-Shop', /not allowed: "-"/],
		['an underscore', 'My_Shop', /not allowed: "_"/],
		['a dot', 'shop.fr', /not allowed: "\."/],
		['a phone number with +', '+3363998', /not allowed: "\+"/],
		['an emoji', 'Shop🛒', /not allowed: "🛒"/],
		['letters of another script', 'Магазин', /not allowed: "М"/],
		['a zero-width space', 'My\u200bShop', /not allowed/],
		['null', null, /is empty/],
		['undefined', undefined, /is empty/],
		['an object', { name: 'MyShop' }, /is an object/],
		['a list', ['MyShop'], /is a list/],
		['true', true, /is "true"/],
		...['null', 'None', 'undefined', 'NaN', 'NULL', 'nil', 'Infinity', ' none '].map(
			(word): [string, string, RegExp] => [
				`the word ${word}`,
				word,
				/stands for an empty value/,
			],
		),
	])('%s', (_, value, says) => {
		expect(() => parseSender(value)).toThrowError(says);
		expect(() => parseSender(value)).toThrowError(/^'Sender' /);
		expect(() => parseSender(value)).toThrowError(InputError);
	});
});

test('the field is named as the editor shows it', () => {
	expect(() => parseSender('a', 'Source Address')).toThrowError(/^'Source Address' /);
});

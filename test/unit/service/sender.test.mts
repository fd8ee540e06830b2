/** Senders: interface document section 8, and service-wide code 23 (no digits alone). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { parseSender } from '../../../nodes/shared/service/sender.ts';

test.each([
	['MyShop', 'MyShop'],
	['  MyShop\u00a0', 'MyShop'],
	['\u200eMyShop\u200b ', 'MyShop'],
	['abc', 'abc'],
	['A1B', 'A1B'],
	['12a', '12a'],
	['ABCDEFGHIJK', 'ABCDEFGHIJK'],
	['1234567890x', '1234567890x'],
	['Nonesuch', 'Nonesuch'],
])('%j is taken', (typed, sent) => {
	expect(parseSender(typed)).toBe(sent);
});

test.each(['', '   ', '\n', '\u200b'])('%j is no sender', (typed) => {
	expect(parseSender(typed)).toBeUndefined();
});

describe('refused', () => {
	test.each<[what: string, value: unknown, says: RegExp]>([
		['two characters', 'ab', /can't be a sender$/],
		['one character', 'a', /can't be a sender$/],
		['twelve characters', 'ABCDEFGHIJKL', /can't be a sender$/],
		['digits only', '36123', /can't be a sender$/],
		['a number', 36123, /can't be a sender$/],
		['a space', 'My Shop', /can't be a sender$/],
		['an accent', 'Café', /can't be a sender$/],
		['a dash', 'My-Shop', /can't be a sender$/],
		['an underscore', 'My_Shop', /can't be a sender$/],
		['a dot', 'shop.fr', /can't be a sender$/],
		['a phone number with +', '+3363998', /can't be a sender$/],
		['an emoji', 'Shop🛒', /can't be a sender$/],
		['letters of another script', 'Магазин', /can't be a sender$/],
		['a zero-width space', 'My\u200bShop', /can't be a sender$/],
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

/** Fingerprints of ids: design.md, guarantee 7, and what a collision would cost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint, WIDTH } from '../../../nodes/SmsTrigger/cursor/fingerprint.ts';
import { areRecords, DIGITS } from '../../../nodes/SmsTrigger/cursor/records.ts';

/** Its two halves of 30 bits. */
const halvesOf = (text: string) => {
	const digits = fingerprint(text);
	return { high: digits.slice(0, WIDTH / 2), low: digits.slice(WIDTH / 2) };
};
/** The number that the last two digits of a half stand for. */
const endOf = (half: string) => DIGITS.indexOf(half[3]) * 64 + DIGITS.indexOf(half[4]);

/** Ids as a database makes them: a time, a machine, a counter. */
const objectId = (index: number) =>
	(0x65000000 + (index >> 6)).toString(16) + 'a1b2c3d4e5' + index.toString(16).padStart(6, '0');

describe('a fingerprint', () => {
	test('is ten characters that JSON keeps in ten bytes, the same for the same text', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				const one = fingerprint(text);
				expect(Buffer.byteLength(JSON.stringify(one))).toBe(10 + '""'.length);
				expect(areRecords(one, WIDTH)).toBe(true);
				expect(fingerprint(text)).toBe(one);
			}),
		);
	});

	test('differs for texts that differ in one character, in case, in length or in order', () => {
		const texts = [
			'',
			'\0',
			'\0\0',
			'a',
			'A',
			'ab',
			'ba',
			'abc',
			'abcd',
			'abcde',
			'1',
			'01',
			'١',
		];
		expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
	});

	test.each([
		['ascending 24-digit hexadecimal ids', objectId],
		['numbers one after the other', (index: number) => String(index)],
		['phone numbers', (index: number) => `+336${String(index).padStart(8, '0')}`],
		['long texts that differ at the end', (index: number) => 'x'.repeat(80) + index],
	])('of %s, half of it alone collides as often as chance would have it', (_, id) => {
		// 200,000 ids in 2^30 places: 18.6 pairs are expected to share one, give or take 4.3.
		const count = 200_000;
		for (const half of ['high', 'low'] as const) {
			const places = new Set<string>();
			for (let index = 0; index < count; index++) places.add(halvesOf(id(index))[half]);
			expect(count - places.size).toBeLessThan(45);
			expect(count - places.size).toBeGreaterThan(2);
		}
	});

	test('has halves that collide independently of each other', () => {
		// Shortened to 12 bits each, 1,000 ids give 2^24 places: 0.03 pairs are expected.
		const places = new Set<number>();
		for (let index = 0; index < 1_000; index++) {
			const { high, low } = halvesOf(objectId(index));
			places.add(endOf(high) * 4096 + endOf(low));
		}
		expect(places.size).toBeGreaterThanOrEqual(999);
	});
});

describe('records', () => {
	test.each([
		[undefined],
		[null],
		[5],
		['abc'],
		['ümläutümlä'],
		['          '],
		['{"a":"b"}'],
		[['a']],
	])('are told from %j', (value) => {
		expect(areRecords(value, WIDTH)).toBe(false);
	});
});

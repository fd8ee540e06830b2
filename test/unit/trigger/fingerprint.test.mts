/** Fingerprints of ids: design.md, guarantee 7, and what a collision would cost. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprint } from '../../../nodes/SmsTrigger/cursor/fingerprint.ts';
import { FingerprintIndex } from '../../../nodes/SmsTrigger/cursor/FingerprintIndex.ts';
import {
	isPacked,
	Packer,
	readFingerprint,
	readNumber,
	WIDTH,
	writeNumber,
} from '../../../nodes/SmsTrigger/cursor/packed.ts';

const of = (text: string) => fingerprint(text, { high: 0, low: 0 });
const HALF = 2 ** 30;

/** Ids as a database makes them: a time, a machine, a counter. */
const objectId = (index: number) =>
	(0x65000000 + (index >> 6)).toString(16) + 'a1b2c3d4e5' + index.toString(16).padStart(6, '0');

describe('a fingerprint', () => {
	test('has two halves of 30 bits, the same for the same text', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				const { high, low } = of(text);
				for (const half of [high, low]) {
					expect(Number.isInteger(half) && half >= 0 && half < HALF).toBe(true);
				}
				expect(of(text)).toEqual({ high, low });
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
		expect(new Set(texts.map((text) => JSON.stringify(of(text)))).size).toBe(texts.length);
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
			const places = new Set<number>();
			for (let index = 0; index < count; index++) places.add(of(id(index))[half]);
			expect(count - places.size).toBeLessThan(45);
			expect(count - places.size).toBeGreaterThan(2);
		}
	});

	test('has halves that collide independently of each other', () => {
		// Shortened to 12 bits each, 1,000 ids give 2^24 places: 0.03 pairs are expected.
		const places = new Set<number>();
		for (let index = 0; index < 1_000; index++) {
			const { high, low } = of(objectId(index));
			places.add((high & 4095) * 4096 + (low & 4095));
		}
		expect(places.size).toBeGreaterThanOrEqual(999);
	});
});

describe('packed fingerprints', () => {
	test('come back as they were, 10 characters each, and survive JSON', () => {
		const half = fc.integer({ min: 0, max: HALF - 1 });
		const many = fc.array(fc.record({ high: half, low: half }), { maxLength: 200 });
		fc.assert(
			fc.property(many, (fingerprints) => {
				const packer = new Packer();
				for (const one of fingerprints) packer.add(one);
				const text = JSON.parse(JSON.stringify(packer.toString())) as string;
				expect(text.length).toBe(fingerprints.length * WIDTH);
				expect(isPacked(text)).toBe(true);
				fingerprints.forEach((one, at) => {
					expect(readFingerprint(text, at * WIDTH, { high: 0, low: 0 })).toEqual(one);
				});
			}),
		);
	});

	test('take up no more than 12 bytes in JSON', () => {
		const packer = new Packer();
		for (let index = 0; index < 1_000; index++) packer.add(of(objectId(index)));
		expect(Buffer.byteLength(JSON.stringify(packer.toString()))).toBeLessThanOrEqual(12_000);
	});

	test('are told from anything else', () => {
		for (const value of [
			undefined,
			null,
			5,
			'abc',
			'ümläutümlä',
			'          ',
			'{"a":"b"}',
			['a'],
		]) {
			expect(isPacked(value)).toBe(false);
		}
	});

	test('numbers of any width come back', () => {
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: 8 }),
				fc.double({ min: 0, max: 1, noNaN: true }),
				(digits, part) => {
					const number = Math.floor(part * (64 ** digits - 1));
					const text = writeNumber(number, digits);
					expect(text.length).toBe(digits);
					expect(readNumber(text, 0, digits)).toBe(number);
				},
			),
		);
	});
});

describe('the index', () => {
	test('finds what was added first, as a Map would', () => {
		// Few different halves, so that places are taken and chains form.
		const half = fc.integer({ min: 0, max: 7 }).map((value) => value * 16);
		const many = fc.array(fc.record({ high: half, low: half }), { maxLength: 300 });
		fc.assert(
			fc.property(many, fc.integer({ min: 0, max: 40 }), (fingerprints, expected) => {
				const index = new FingerprintIndex(expected);
				const model = new Map<string, number>();
				fingerprints.forEach((one, number) => {
					const key = `${one.high} ${one.low}`;
					expect(index.find(one)).toBe(model.get(key) ?? -1);
					expect(index.findOrAdd(one, number)).toBe(model.get(key) ?? -1);
					if (!model.has(key)) model.set(key, number);
				});
				for (const one of fingerprints) {
					expect(index.find(one)).toBe(model.get(`${one.high} ${one.low}`));
				}
			}),
		);
	});
});

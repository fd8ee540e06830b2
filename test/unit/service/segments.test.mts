/** Segments by GSM 03.38: 160 or 153 septets, 70 or 67 code units. */
import { describe, expect, test } from 'vitest';
import { countSegments } from '../../../nodes/shared/service/segments.ts';

/** 3GPP TS 23.038, 6.2.1: rows of the default alphabet, from 0x00, without the escape at 0x1b. */
const BASIC = [
	...['@', '£', '$', '¥', 'è', 'é', 'ù', 'ì', 'ò', 'Ç', '\n', 'Ø', 'ø', '\r', 'Å', 'å'],
	...['Δ', '_', 'Φ', 'Γ', 'Λ', 'Ω', 'Π', 'Ψ', 'Σ', 'Θ', 'Ξ', 'Æ', 'æ', 'ß', 'É'],
	...[' ', '!', '"', '#', '¤', '%', '&', "'", '(', ')', '*', '+', ',', '-', '.', '/'],
	...'0123456789:;<=>?',
	...'¡ABCDEFGHIJKLMNO',
	...['P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y', 'Z', 'Ä', 'Ö', 'Ñ', 'Ü', '§'],
	...'¿abcdefghijklmno',
	...['p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z', 'ä', 'ö', 'ñ', 'ü', 'à'],
];
/** 3GPP TS 23.038, 6.2.1.1. */
const EXTENSION = ['\f', '^', '{', '}', '\\', '[', '~', ']', '|', '€'];

describe('the alphabet', () => {
	test('the default table has 127 characters of one septet', () => {
		expect(new Set(BASIC).size).toBe(127);
		for (const character of BASIC) {
			expect(countSegments(character), character).toEqual({
				encoding: 'GSM-7',
				characters: 1,
				units: 1,
				segments: 1,
				unitsLeft: 159,
			});
		}
	});

	test('those of the extension table take two', () => {
		for (const character of EXTENSION) {
			expect(countSegments(character), character).toEqual({
				encoding: 'GSM-7',
				characters: 1,
				units: 2,
				segments: 1,
				unitsLeft: 158,
			});
		}
	});

	test('every other one of Latin-1, and the common typographic ones, need UCS-2', () => {
		const gsm = new Set([...BASIC, ...EXTENSION]);
		const others = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
			.concat([...'’“”…–—œŒÀçêîôû•™'])
			.filter((character) => !gsm.has(character));
		expect(others).toContain('ç');
		expect(others).toContain('`');
		for (const character of others) {
			expect(countSegments(character), character).toMatchObject({
				encoding: 'UCS-2',
				units: 1,
				unitsLeft: 69,
			});
		}
	});
});

test('no text, no segment', () => {
	expect(countSegments('')).toEqual({
		encoding: 'GSM-7',
		characters: 0,
		units: 0,
		segments: 0,
		unitsLeft: 160,
	});
});

describe('borders of GSM-7', () => {
	test.each([
		[1, 1, 159],
		[159, 1, 1],
		[160, 1, 0],
		[161, 2, 145],
		[305, 2, 1],
		[306, 2, 0],
		[307, 3, 152],
		[459, 3, 0],
		[460, 4, 152],
		[1530, 10, 0],
		[1531, 11, 152],
	])('%i characters: %i segments, %i left', (length, segments, unitsLeft) => {
		expect(countSegments('a'.repeat(length))).toEqual({
			encoding: 'GSM-7',
			characters: length,
			units: length,
			segments,
			unitsLeft,
		});
	});

	test('two-septet characters count twice', () => {
		expect(countSegments('€'.repeat(80))).toMatchObject({
			units: 160,
			segments: 1,
			unitsLeft: 0,
		});
		expect(countSegments('€'.repeat(81))).toMatchObject({ units: 162, segments: 2 });
		expect(countSegments(`${'a'.repeat(159)}€`)).toMatchObject({ units: 161, segments: 2 });
	});

	test('an escape pair is not cut in half: it goes to the next segment as a whole', () => {
		// 152 + 2 do not fit into 153: the euro opens the second segment, and one septet is lost.
		expect(countSegments(`${'a'.repeat(152)}€${'a'.repeat(10)}`)).toMatchObject({
			units: 164,
			segments: 2,
			unitsLeft: 153 - 12,
		});
		// 76 pairs make 152 septets in a segment.
		expect(countSegments('€'.repeat(152))).toMatchObject({
			units: 304,
			segments: 2,
			unitsLeft: 1,
		});
		expect(countSegments('€'.repeat(153))).toMatchObject({ units: 306, segments: 3 });
		// 306 septets that would fit into two, but for a pair at the border.
		expect(countSegments(`${'a'.repeat(152)}^${'a'.repeat(152)}`)).toMatchObject({
			units: 306,
			segments: 3,
			unitsLeft: 152,
		});
		expect(countSegments(`${'a'.repeat(151)}^${'a'.repeat(153)}`)).toMatchObject({
			units: 306,
			segments: 2,
			unitsLeft: 0,
		});
	});
});

describe('borders of UCS-2', () => {
	test.each([
		[70, 1, 0],
		[71, 2, 63],
		[134, 2, 0],
		[135, 3, 66],
		[201, 3, 0],
		[202, 4, 66],
	])('%i characters: %i segments, %i left', (length, segments, unitsLeft) => {
		expect(countSegments('ç'.repeat(length))).toEqual({
			encoding: 'UCS-2',
			characters: length,
			units: length,
			segments,
			unitsLeft,
		});
	});

	test('one character outside of the alphabet makes the whole text UCS-2', () => {
		expect(countSegments(`${'a'.repeat(69)}ç`)).toMatchObject({
			encoding: 'UCS-2',
			segments: 1,
		});
		expect(countSegments(`${'a'.repeat(70)}ç`)).toMatchObject({
			encoding: 'UCS-2',
			segments: 2,
		});
		expect(countSegments(`${'€'.repeat(10)}ç`)).toMatchObject({ units: 11 });
	});

	test('an emoji takes two code units and is not cut in half', () => {
		expect(countSegments('😀')).toMatchObject({ encoding: 'UCS-2', characters: 1, units: 2 });
		expect(countSegments('😀'.repeat(35))).toMatchObject({
			units: 70,
			segments: 1,
			unitsLeft: 0,
		});
		// 33 pairs make 66 of 67.
		expect(countSegments('😀'.repeat(66))).toMatchObject({
			units: 132,
			segments: 2,
			unitsLeft: 1,
		});
		expect(countSegments('😀'.repeat(67))).toMatchObject({ units: 134, segments: 3 });
		expect(countSegments(`${'ç'.repeat(66)}😀${'ç'.repeat(66)}`)).toMatchObject({
			units: 134,
			segments: 3,
			unitsLeft: 66,
		});
		expect(countSegments(`${'ç'.repeat(65)}😀${'ç'.repeat(67)}`)).toMatchObject({
			units: 134,
			segments: 2,
			unitsLeft: 0,
		});
	});
});

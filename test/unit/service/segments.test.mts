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
	const UCS = { encoding: 'UCS-2', units: 1, unitsLeft: 69 };
	/** Every other one of Latin-1, and the common typographic ones */
	const OTHERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
		.concat([...'’“”…–—œŒÀçêîôû•™'])
		.filter((character) => ![...BASIC, ...EXTENSION].includes(character));

	test.each<[what: string, characters: string[], count: object]>([
		['one septet', BASIC, { encoding: 'GSM-7', units: 1, unitsLeft: 159 }],
		['two septets', EXTENSION, { encoding: 'GSM-7', units: 2, unitsLeft: 158 }],
		['one unit of UCS-2', OTHERS, UCS],
	])('characters of %s', (_, characters, count) => {
		for (const character of characters) {
			const whole = { ...count, characters: 1, segments: 1 };
			expect(countSegments(character), character).toEqual(whole);
		}
	});

	test('the default table has 127 characters', () => {
		expect(new Set(BASIC).size).toBe(127);
		expect(OTHERS).toContain('ç');
		expect(OTHERS).toContain('`');
	});
});

/** Parts of a text, each a character and how often it is there, such as `152 a, 1 €`; nothing for no text. */
const LINES = `
	                     | GSM-7 |    0 |  0 | 160
	1 a                  | GSM-7 |    1 |  1 | 159
	159 a                | GSM-7 |  159 |  1 | 1
	160 a                | GSM-7 |  160 |  1 | 0
	161 a                | GSM-7 |  161 |  2 | 145
	305 a                | GSM-7 |  305 |  2 | 1
	306 a                | GSM-7 |  306 |  2 | 0
	307 a                | GSM-7 |  307 |  3 | 152
	459 a                | GSM-7 |  459 |  3 | 0
	460 a                | GSM-7 |  460 |  4 | 152
	1530 a               | GSM-7 | 1530 | 10 | 0
	1531 a               | GSM-7 | 1531 | 11 | 152
	80 €                 | GSM-7 |  160 |  1 | 0
	81 €                 | GSM-7 |  162 |  2 | 143
	159 a, 1 €           | GSM-7 |  161 |  2 | 145
	152 a, 1 €, 10 a     | GSM-7 |  164 |  2 | 141
	152 €                | GSM-7 |  304 |  2 | 1
	153 €                | GSM-7 |  306 |  3 | 151
	152 a, 1 ^, 152 a    | GSM-7 |  306 |  3 | 152
	151 a, 1 ^, 153 a    | GSM-7 |  306 |  2 | 0
	70 ç                 | UCS-2 |   70 |  1 | 0
	71 ç                 | UCS-2 |   71 |  2 | 63
	134 ç                | UCS-2 |  134 |  2 | 0
	135 ç                | UCS-2 |  135 |  3 | 66
	201 ç                | UCS-2 |  201 |  3 | 0
	202 ç                | UCS-2 |  202 |  4 | 66
	69 a, 1 ç            | UCS-2 |   70 |  1 | 0
	70 a, 1 ç            | UCS-2 |   71 |  2 | 63
	10 €, 1 ç            | UCS-2 |   11 |  1 | 59
	1 😀                 | UCS-2 |    2 |  1 | 68
	35 😀                | UCS-2 |   70 |  1 | 0
	66 😀                | UCS-2 |  132 |  2 | 1
	67 😀                | UCS-2 |  134 |  3 | 65
	66 ç, 1 😀, 66 ç     | UCS-2 |  134 |  3 | 66
	65 ç, 1 😀, 67 ç     | UCS-2 |  134 |  2 | 0
`;
const rows = LINES.split('\n')
	.filter((line) => line.includes('|'))
	.map((line) => line.split('|').map((cell) => cell.trim()));

// An escape pair and an emoji are never cut in half: they go to the next segment as a whole.
test.each(rows)('%s: %s, %s units, %s segments, %s left', (parts, encoding, ...counts) => {
	const text = parts
		.split(', ')
		.map((part) => part.split(' '))
		.map(([times, character = '']) => character.repeat(Number(times)))
		.join('');
	const [units, segments, unitsLeft] = counts.map(Number);
	const characters = [...text].length;
	expect(countSegments(text)).toEqual({ encoding, characters, units, segments, unitsLeft });
});

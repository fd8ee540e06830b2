/** Collections that are too large to be parsed at once. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonPieces } from '../../../nodes/shared/service/jsonPieces.ts';

const bytes = (json: string) => new TextEncoder().encode(json);
const read = (json: string, size: number) => [...jsonPieces(bytes(json), size)];

describe('what comes in pieces', () => {
	test('is what the whole is, whatever is in it and wherever it is cut', () => {
		fc.assert(
			fc.property(
				fc.array(fc.jsonValue(), { minLength: 1 }),
				fc.integer({ min: 1, max: 200 }),
				fc.constantFrom(undefined, 1, '\t'),
				(records, size, space) => {
					const json = JSON.stringify(records, null, space);
					const pieces = read(json, size);
					expect(pieces.flat(1)).toEqual(JSON.parse(json));
					expect(pieces.every(({ length }) => length > 0)).toBe(true);
				},
			),
		);
	});

	test('is small', () => {
		const records = Array.from({ length: 10_000 }, (_, id) => ({ id, text: ',"\\",[{' }));
		const pieces = read(JSON.stringify(records), 1_000);
		expect(pieces.flat()).toEqual(records);
		expect(Math.max(...pieces.map((piece) => JSON.stringify(piece).length))).toBeLessThan(
			1_100,
		);
	});

	test.each([
		['[]', []],
		[' \n[ ] ', []],
		['\ufeff[{"a":1}]', [{ a: 1 }]],
		['{"a":[1,2]}', [{ a: [1, 2] }]],
		['[1,2]', [1, 2]],
	])('%j', (json, records) => {
		expect(read(json, 1).flat()).toEqual(records);
	});
});

describe('what is no collection is refused', () => {
	test('by whatever breaks it, wherever it is cut', () => {
		fc.assert(
			fc.property(
				fc.array(fc.jsonValue(), { minLength: 1 }),
				fc.integer({ min: 1, max: 40 }),
				fc.nat(),
				fc.constantFrom('', ',', ']', '[', '{', '}', '"', ':', '\\', 'x'),
				(records, size, place, character) => {
					const json = JSON.stringify(records);
					const at = place % json.length;
					const broken = json.slice(0, at) + character + json.slice(at + 1);
					let whole: unknown;
					try {
						whole = JSON.parse(broken);
					} catch {
						whole = undefined;
					}
					if (Array.isArray(whole)) expect(read(broken, size).flat(1)).toEqual(whole);
					else expect(() => read(broken, size)).toThrow(SyntaxError);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	test.each([
		'',
		' ',
		'null',
		'1',
		'"a"',
		'[1,]',
		'[,1]',
		'[1,,2]',
		'[1]]',
		'[1],[2]',
		'[1',
		'<a>',
	])('%j', (json) => {
		expect(() => read(json, 1)).toThrow(SyntaxError);
	});
});

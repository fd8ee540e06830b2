/** Who gets how much of one poll: design.md, "a failing category doesn't hold back another's events". */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareOut } from '../../../nodes/SmsTrigger/cursor/share.ts';

describe('a share', () => {
	test.each([
		['all where there is room', [3, 0, 2], 10, 0, [3, 0, 2]],
		['equal parts where there is not', [100, 100], 10, 0, [5, 5]],
		['what one does not need goes to the others', [1, 100, 100], 11, 0, [1, 5, 5]],
		['the odd one goes to whom is first', [9, 9], 3, 1, [1, 2]],
		['one place goes to whom is first', [5, 5, 5], 1, 2, [0, 0, 1]],
		['nobody waits', [0, 0], 5, 1, [0, 0]],
		['no source', [], 5, 0, []],
	])('%s', (_, waiting, limit, first, granted) => {
		expect(shareOut(waiting, limit, first).granted).toEqual(granted);
	});

	test('is never more than was asked for, and uses up the limit', () => {
		const sources = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 8 });
		fc.assert(
			fc.property(
				sources,
				fc.integer({ min: 1, max: 100 }),
				fc.nat(),
				(waiting, limit, first) => {
					const { granted } = shareOut(waiting, limit, first % waiting.length);
					const total = (numbers: number[]) =>
						numbers.reduce((sum, number) => sum + number, 0);
					granted.forEach((part, at) => expect(part).toBeLessThanOrEqual(waiting[at]));
					expect(total(granted)).toBe(Math.min(limit, total(waiting)));
					// Nobody who still waits has got two less than another.
					granted.forEach((part, at) => {
						if (part < waiting[at])
							expect(Math.max(...granted) - part).toBeLessThanOrEqual(1);
					});
				},
			),
		);
	});
});

/** Blacklists of the account and of a category: interface document 2.1, 2.11, 4.1, 4.4. */
import { describe, expect, test } from 'vitest';
import {
	readCategoryBlacklists,
	readEntries,
	readListedNumber,
} from '../../../nodes/shared/service/blacklists.ts';

const NUMBERS = ['0639980001', '0639980002'];

describe('entries of the account', () => {
	test.each<[body: unknown, entries: object[] | undefined]>([
		[[], []],
		[
			[{ id: 'a', identifier: '+33639980001', deleted: true }],
			[{ id: 'a', identifier: '+33639980001', deleted: true }],
		],
		[
			[{ id: 7, identifier: 33639980001, deleted: 'true', blacklistId: 'x' }],
			[{ id: '7', identifier: '33639980001', deleted: true, blacklistId: 'x' }],
		],
		[
			[null, { id: 'a' }, { identifier: '' }, { identifier: '+33639980001', deleted: null }],
			[{ identifier: '+33639980001', deleted: false }],
		],
		// Nothing but an empty list says that nobody is on it.
		[{}, undefined],
		[null, undefined],
		['', undefined],
		[undefined, undefined],
		[{ identifier: '+33639980001' }, undefined],
		[[{ id: 'a' }], undefined],
		[{ code: 71, error: 'x' }, undefined],
		['<html></html>', undefined],
	])('%j', (body, entries) => {
		expect(readEntries(body)).toEqual(entries);
	});

	test.each([
		[{ identifier: '0690 12 34 56', deleted: false }, '+590690123456'],
		[{ identifier: '+33639980001' }, '+33639980001'],
		[{ identifier: 639980003 }, '+33639980003'],
		[{ identifier: '+33639980002', deleted: true }, null],
		[{ id: 'a' }, undefined],
	])('the number that counts, in one spelling: %j', (record, number) => {
		expect(readListedNumber(record)).toBe(number);
	});
});

describe('blacklists of a category', () => {
	const NONE = { number: 0, identifiers: [] };
	const both = (bounces: object, unsubscribers: object = NONE) => ({ bounces, unsubscribers });
	const TWO = { number: 2, identifiers: NUMBERS };

	const NOTATIONS: Array<[what: string, identifiers: unknown]> = [
		['a list', NUMBERS],
		['a list of JSON numbers', [639980001, 639980002]],
		['a list with things in between', [NUMBERS[0], null, {}, '', NUMBERS[1]]],
	];
	test.each(NOTATIONS)('numbers as %s', (what, identifiers) => {
		const expected = what.includes('JSON numbers') ? ['639980001', '639980002'] : NUMBERS;
		expect(readCategoryBlacklists({ bounces: { number: 2, identifiers } })).toEqual(
			both({ number: 2, identifiers: expected }),
		);
	});

	test.each<[body: unknown, blacklists: object | undefined]>([
		[both(TWO, TWO), both(TWO, TWO)],
		[{ bounces: TWO }, both(TWO)],
		[{ unsubscribers: TWO }, both(NONE, TWO)],
		[{ bounces: TWO, unsubscribers: null }, both(TWO)],
		[{ bounces: {}, unsubscribers: [] }, both(NONE)],
		[{ bounces: null }, both(NONE)],
		[{ bounces: { identifiers: NUMBERS } }, both(TWO)],
		[{ bounces: { number: '0' } }, both(NONE)],
		[{ bounces: { number: 0, identifiers: '' } }, both(NONE)],
		[{ bounces: { number: 0, identifiers: {} } }, both(NONE)],
		[
			{ ...both(TWO), category: 'x' },
			{ ...both(TWO), category: 'x' },
		],
		[{}, both(NONE)],
		[[], both(NONE)],
		[null, both(NONE)],
		[{ status: 'ok' }, undefined],
		[{ code: 16, error: 'x' }, undefined],
		[{ bounces: 3 }, undefined],
		[{ bounces: { number: 2 } }, undefined],
		[{ bounces: { number: 2, identifiers: null } }, undefined],
		[{ bounces: { number: 'x', identifiers: [] } }, undefined],
		[{ bounces: { number: 1, identifiers: [null] } }, undefined],
		[{ bounces: { number: 1, identifiers: NUMBERS[0] } }, undefined],
		[{ bounces: { number: 1, identifiers: { 0: NUMBERS[0] } } }, undefined],
		[{ bounces: { number: 1, identifiers: [{ identifier: NUMBERS[0] }] } }, undefined],
		[{ bounces: { number: 1, identifiers: [] } }, both({ number: 1, identifiers: [] })],
		[{ bounces: { number: 1, identifiers: 7 } }, undefined],
		['', both(NONE)],
		[undefined, both(NONE)],
		['<html></html>', undefined],
	])('%j', (body, blacklists) => {
		expect(readCategoryBlacklists(body)).toEqual(blacklists);
	});
});

/** The parts of answers: interface document, section 2, read with some leniency. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
	asId,
	asNumber,
	asObject,
	isEmpty,
	isMissing,
	readCounters,
} from '../../../nodes/shared/service/answers.ts';

test('numbers', () => {
	expect([asNumber(1), asNumber('1.5'), asNumber(' 2 '), asNumber(0), asNumber('0')]).toEqual([
		1, 1.5, 2, 0, 0,
	]);
	for (const value of ['', ' ', 'x', NaN, Infinity, null, undefined, true, [], {}]) {
		expect(asNumber(value)).toBeUndefined();
	}
});

test('identifiers', () => {
	expect([asId('a1'), asId(362891), asId(0)]).toEqual(['a1', '362891', '0']);
	for (const value of ['', ' ', NaN, null, undefined, true, [], {}]) {
		expect(asId(value)).toBeUndefined();
	}
});

test('objects', () => {
	expect(asObject({ a: 1 })).toEqual({ a: 1 });
	for (const value of [[], [{}], [[]], 'x', 1, null, undefined, [null]]) {
		expect(asObject(value)).toBeUndefined();
	}
});

test('IDs stay exact: one that was rounded is none', () => {
	expect(asId(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
	expect(asId('9007199254740993')).toBe('9007199254740993');
	expect(asId(JSON.parse('9007199254740993'))).toBeUndefined();
	expect(asId(1e21)).toBeUndefined();
	fc.assert(
		fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (id) => {
			const answered = asId(JSON.parse(String(id)));
			expect(answered === undefined || answered === String(id)).toBe(true);
			expect(asId(JSON.parse(`"${id}"`))).toBe(String(id));
		}),
	);
});

test('nothing in an answer', () => {
	for (const body of [null, {}, [], '', undefined]) expect(isEmpty(body)).toBe(true);
	for (const body of [0, false, [null], { a: null }, 'x', ' ']) {
		expect(isEmpty(body)).toBe(false);
	}
	expect([undefined, null, ''].map(isMissing)).toEqual([true, true, true]);
	for (const value of [0, false, ' ', [], {}]) expect(isMissing(value)).toBe(false);
});

test('counters are numbers, the rest stays', () => {
	expect(readCounters({ sent: '3', delivered: null, plan: 'x' }, ['sent', 'delivered'])).toEqual({
		sent: 3,
		plan: 'x',
	});
	for (const body of [{}, [], { plan: 'x' }, { sent: 'many' }, { sent: 1, delivered: {} }, 'x']) {
		expect(readCounters(body, ['sent', 'delivered'])).toBeUndefined();
	}
});

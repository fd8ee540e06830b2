/** Answers of the service: interface document, section 2, read with some leniency. */
import { describe, expect, test } from 'vitest';
import {
	asId,
	asNumber,
	asObject,
	readAccountStatistics,
	readSendReceipt,
} from '../../../nodes/shared/service/answers.ts';

describe('a receipt is what has a snapshot ID', () => {
	test.each<[what: string, body: unknown, receipt: object | undefined]>([
		[
			'as documented',
			{ creditsUsed: 1.5, snapshotId: '362891' },
			{ creditsUsed: 1.5, snapshotId: '362891' },
		],
		[
			'a numeric ID',
			{ creditsUsed: 1, snapshotId: 362891 },
			{ creditsUsed: 1, snapshotId: '362891' },
		],
		[
			'credits as a text',
			{ creditsUsed: '1.5', snapshotId: '1' },
			{ creditsUsed: 1.5, snapshotId: '1' },
		],
		[
			'free of charge',
			{ creditsUsed: 0, snapshotId: '1' },
			{ creditsUsed: 0, snapshotId: '1' },
		],
		['without credits', { snapshotId: '1' }, { snapshotId: '1' }],
		[
			'credits that make no sense',
			{ creditsUsed: 'many', snapshotId: '1' },
			{ snapshotId: '1' },
		],
		[
			'a list of one',
			[{ creditsUsed: 1, snapshotId: '1' }],
			{ creditsUsed: 1, snapshotId: '1' },
		],
		['a list of two', [{ snapshotId: '1' }, { snapshotId: '2' }], undefined],
		['no ID', { creditsUsed: 1 }, undefined],
		['an empty ID', { creditsUsed: 1, snapshotId: '' }, undefined],
		['a blank ID', { creditsUsed: 1, snapshotId: ' ' }, undefined],
		['null as ID', { creditsUsed: 1, snapshotId: null }, undefined],
		['an object as ID', { creditsUsed: 1, snapshotId: { id: 1 } }, undefined],
		['true as ID', { creditsUsed: 1, snapshotId: true }, undefined],
		['an error', { code: 71, error: 'Not enough credits' }, undefined],
		['HTML', '<html></html>', undefined],
		['a text', '362891', undefined],
		['a number', 362891, undefined],
		['null', null, undefined],
		['nothing', undefined, undefined],
		['an empty object', {}, undefined],
		['an empty list', [], undefined],
	])('%s', (_, body, receipt) => {
		expect(readSendReceipt(body)).toEqual(receipt);
	});
});

describe('account statistics', () => {
	const SAMPLE = {
		bounces: 1247,
		credits: 279,
		delivered: 12484,
		sent: 14925,
		submitted: 14811,
		undelivered: 2441,
		unsubscribers: 213,
	};

	test('as documented', () => expect(readAccountStatistics(SAMPLE)).toEqual(SAMPLE));

	test('numbers as texts, missing and further fields', () => {
		expect(readAccountStatistics({ credits: '279', sent: 1, currency: 'EUR' })).toEqual({
			credits: 279,
			sent: 1,
			currency: 'EUR',
		});
	});

	test.each([
		{},
		[],
		'OK',
		'<html></html>',
		null,
		undefined,
		7,
		{ status: 'ok' },
		{ credits: {} },
	])('%j are none', (body) => {
		expect(readAccountStatistics(body)).toBeUndefined();
	});
});

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
	expect(asObject([{ a: 1 }])).toEqual({ a: 1 });
	for (const value of [[], [{}, {}], [[]], 'x', 1, null, undefined, [null]]) {
		expect(asObject(value)).toBeUndefined();
	}
});

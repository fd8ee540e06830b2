/** Account statistics: interface document 2.10, 4.6. */
import { describe, expect, test } from 'vitest';
import { readAccountStatistics } from '../../../nodes/shared/service/account.ts';

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

/** Statistics of a category: interface document 2.8, 4.4. */
import { expect, test } from 'vitest';
import {
	CATEGORY_COUNTERS,
	readCategoryStatistics,
} from '../../../nodes/shared/service/statistics.ts';

test('as documented', () => {
	const sample = Object.fromEntries(CATEGORY_COUNTERS.map((name, value) => [name, value]));
	expect(Object.keys(sample)).toEqual([
		'sent',
		'submitted',
		'delivered',
		'openers',
		'clickers',
		'clicks',
		'opens',
		'replies',
		'unsubscribers',
		'errors',
		'bounced',
		'complaint',
		'timespent',
	]);
	expect(readCategoryStatistics(sample)).toEqual(sample);
});

test.each<[body: unknown, statistics: object | undefined]>([
	[
		{ sent: '3', opens: null, period: 'day' },
		{ sent: 3, period: 'day' },
	],
	[[{ sent: 3 }], undefined],
	[{}, {}],
	[[], {}],
	[null, {}],
	[{ visitors: 3 }, undefined],
	[{ sent: 'many' }, undefined],
	[{ sent: null }, undefined],
	['', {}],
	[undefined, {}],
	['none', undefined],
])('%j', (body, statistics) => {
	expect(readCategoryStatistics(body)).toEqual(statistics);
});

/** Values of a contact: strings of text, a date in the column's format, 0 or 1, or a number (interface document 2.3, 2.4). */
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { comparableValue, writeColumnValue } from '../../../nodes/shared/service/columnValue.ts';
import type { Column, DateFormat } from '../../../nodes/shared/service/lists.ts';

const { DateTime } = createRequire(import.meta.url)('luxon') as {
	DateTime: { fromISO(text: string, options?: { zone: string }): object };
};

const column = (type: Column['type'], format?: DateFormat): Column => ({
	id: 'c',
	name: 'Colonne',
	type,
	format,
});
const write = (of: Column, value: unknown, timeZone = 'Europe/Paris') =>
	writeColumnValue(of, value, timeZone);

test.each(['STRING', 'NUMBER', 'BOOLEAN', 'DATE'] as const)('%s: nothing is left out', (type) => {
	for (const value of [undefined, null, '', '  ', '\n']) {
		expect(write(column(type), value)).toBeUndefined();
	}
});

describe('STRING', () => {
	test.each([
		['Dupont', 'Dupont'],
		[' Dupont ', ' Dupont '],
		['0', '0'],
		[75011, '75011'],
		[0, '0'],
		[true, 'true'],
		[new Date(Date.UTC(1990, 11, 24)), '1990-12-24T00:00:00.000Z'],
		[DateTime.fromISO('1990-12-24T00:00:00', { zone: 'utc' }), '1990-12-24T00:00:00.000Z'],
	])('%j is written as %s', (value, written) => {
		expect(write(column('STRING'), value)).toBe(written);
	});

	test.each([[{ nom: 'Dupont' }], [['Dupont']], [NaN], [new Date(NaN)]])(
		'%j is refused',
		(value) => {
			expect(() => write(column('STRING'), value)).toThrow(
				/^Column 'Colonne' is .*, not a text$/,
			);
		},
	);
});

test.each(['#N/A', '#REF!', '#VALEUR!', '#NAME?', ' #NV\n', '#¡DIV/0!'])(
	'STRING: %j, the error of a cell, is refused',
	(value) => {
		expect(() => write(column('STRING'), value)).toThrow(
			/^Column 'Colonne' is " ?#.*", not a text$/,
		);
	},
);

test.each(['#1', '#Noël!', '# N/A', 'N/A', 'a #REF!', '#SOLDES', 'NV'])(
	'STRING: %j is a text',
	(value) => expect(write(column('STRING'), value)).toBe(value),
);

test.each(['STRING', 'NUMBER'] as const)('%s: a number that was rounded is refused', (type) => {
	const rounded = JSON.parse('17841405822304914') as number;
	expect(() => write(column(type), rounded)).toThrow(
		/^Column 'Colonne' is "178414058223049\d\d", not an exact number$/,
	);
	expect(write(column(type), '17841405822304914')).toBe('17841405822304914');
	expect(write(column(type), Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
});

test('STRING: half of an emoji is refused, the whole one is for the service to judge', () => {
	expect(write(column('STRING'), 'Zoé 😀')).toBe('Zoé 😀');
	expect(() => write(column('STRING'), 'Zoé 😀'.slice(0, -1))).toThrow(
		"'Colonne' has half of an emoji or of another character",
	);
});

describe('NUMBER', () => {
	test.each([
		[12, '12'],
		[0, '0'],
		[-3.5, '-3.5'],
		['12', '12'],
		[' 12.50 ', '12.50'],
		['12,5', '12.5'],
		['1 234,50', '1234.50'],
		['1\u202f234', '1234'],
		['+7', '+7'],
		['0012', '0012'],
	])('%j is written as %s', (value, written) => {
		expect(write(column('NUMBER'), value)).toBe(written);
	});

	test.each([
		'douze',
		'12 €',
		'1.2.3',
		'1e3',
		'0x10',
		NaN,
		Infinity,
		1e21,
		true,
		[12],
		{ value: 12 },
		new Date(0),
	])('%j is refused', (value) => {
		expect(() => write(column('NUMBER'), value)).toThrow(
			/^Column 'Colonne' is .*, not a number, such as 1234 or 12\.5$/,
		);
	});

	test('thousands or decimals: 1,234 is refused, with both readings', () => {
		expect(() => write(column('NUMBER'), '-1,234')).toThrow(
			'Column \'Colonne\' is "-1,234", not a number of one meaning: it may be -1234 or -1.234',
		);
	});
});

describe('BOOLEAN', () => {
	test.each([
		...[true, 1, '1', 'true', 'TRUE', 'yes', 'Oui', ' vrai '].map((value) => [value, '1']),
		...[false, 0, '0', 'false', 'no', 'Non', 'faux'].map((value) => [value, '0']),
	])('%j is written as %s', (value, written) => {
		expect(write(column('BOOLEAN'), value)).toBe(written);
	});

	test.each([2, -1, 'peut-être', '10', [true], { inscrit: true }, NaN])(
		'%j is refused',
		(value) => {
			expect(() => write(column('BOOLEAN'), value)).toThrow(
				/^Column 'Colonne' is .*, not yes \(true, 1\) or no \(false, 0\)$/,
			);
		},
	);
});

describe('DATE', () => {
	const CHRISTMAS = new Date(Date.UTC(1990, 11, 23, 23)); // midnight of the 24th in Paris
	test.each([
		// the format itself
		['dd/MM/yyyy', '24/12/1990', '24/12/1990'],
		['dd/MM/yyyy', ' 4/5/1990 ', '04/05/1990'],
		['dd/MM', '24/12', '24/12'],
		['dd/MM', '29/02', '29/02'],
		['MM/yyyy', '12/1990', '12/1990'],
		['MM/yyyy', '3/1990', '03/1990'],
		// a format with more
		['dd/MM', '24/12/1990', '24/12'],
		['MM/yyyy', '24/12/1990', '12/1990'],
		// ISO dates
		['dd/MM/yyyy', '1990-12-24', '24/12/1990'],
		['dd/MM', '1990-12-24', '24/12'],
		['MM/yyyy', '1990-12-24', '12/1990'],
		['MM/yyyy', '1990-12', '12/1990'],
		['dd/MM/yyyy', '1990-12-24T00:00:00', '24/12/1990'],
		['dd/MM/yyyy', '1990-12-24 23:59', '24/12/1990'],
		['dd/MM/yyyy', '1850-01-31', '31/01/1850'],
		// what Send At reads: date.test.mts
		['dd/MM/yyyy', '05-06-1990 9h30', '05/06/1990'],
		['dd/MM/yyyy', 19901224, '24/12/1990'],
		['dd/MM', '24–12', '24/12'],
		['MM/yyyy', '1990/3', '03/1990'],
		// moments, in Paris
		['dd/MM/yyyy', '1990-12-23T23:30:00Z', '24/12/1990'],
		['dd/MM/yyyy', '1990-12-24T01:00:00+09:00', '23/12/1990'],
		['dd/MM/yyyy', CHRISTMAS, '24/12/1990'],
		['dd/MM', CHRISTMAS, '24/12'],
		['dd/MM/yyyy', CHRISTMAS.getTime(), '24/12/1990'],
		['dd/MM/yyyy', String(CHRISTMAS.getTime()), '24/12/1990'],
		['dd/MM/yyyy', DateTime.fromISO('1990-12-23T23:30:00', { zone: 'utc' }), '24/12/1990'],
	] as const)('%s: %j is written as %s', (format, value, written) => {
		expect(write(column('DATE', format), value)).toBe(written);
	});

	test('moments become dates in the time zone of the workflow', () => {
		const date = column('DATE', 'dd/MM/yyyy');
		expect(write(date, CHRISTMAS, 'UTC')).toBe('23/12/1990');
		expect(write(date, CHRISTMAS, 'Asia/Tokyo')).toBe('24/12/1990');
		expect(write(date, '1990-12-24T00:00:00', 'America/New_York')).toBe('24/12/1990');
	});

	/** A day, as databases, CRMs and n8n's nodes write it. */
	const MIDNIGHTS: unknown[] = [
		'1990-12-24T00:00:00.000Z',
		'1990-12-24T00:00:00Z',
		'1990-12-24T00:00Z',
		'1990-12-24 00:00:00+00',
		'1990-12-24 00:00:00 UTC',
		'1990-12-24T00:00:00.000+01:00',
		'1990-12-24T00:00:00-05:00',
		new Date(Date.UTC(1990, 11, 24)),
		Date.UTC(1990, 11, 24),
		String(Date.UTC(1990, 11, 24)),
		DateTime.fromISO('1990-12-24', { zone: 'utc' }),
		DateTime.fromISO('1990-12-24', { zone: 'America/New_York' }),
		DateTime.fromISO('1990-12-24', { zone: 'Asia/Tokyo' }),
		'1990-12-24',
		'24/12/1990',
	];
	const ZONES = ['America/New_York', 'UTC', 'Europe/Paris', 'Asia/Tokyo', 'Pacific/Kiritimati'];

	test.each(ZONES)('midnight on its own clocks is that day, in %s, and stays equal', (zone) => {
		for (const format of ['dd/MM/yyyy', 'dd/MM', 'MM/yyyy'] as const) {
			const date = column('DATE', format);
			const stored = write(date, '1990-12-24', zone);
			for (const value of MIDNIGHTS) {
				expect(write(date, value, zone)).toBe(stored);
				expect(comparableValue(date, value, zone)).toBe(
					comparableValue(date, stored, 'Australia/Sydney'),
				);
			}
		}
	});

	test('any other time is a moment: an evening in New York stays that evening', () => {
		const date = column('DATE', 'dd/MM/yyyy');
		const zone = 'America/New_York';
		expect(write(date, '2030-07-04T20:00:00-04:00', zone)).toBe('04/07/2030');
		expect(write(date, '2030-07-05T00:00:00.001Z', zone)).toBe('04/07/2030');
		expect(write(date, '2030-07-05T00:30:00Z', zone)).toBe('04/07/2030');
	});

	test.each([
		['dd/MM/yyyy', '12/24/1990', /the day comes before the month/],
		['dd/MM/yyyy', '31/04/1990', /no such day/],
		['MM/yyyy', '13/1990', /^There is no such month/],
		['dd/MM/yyyy', 33231, /as a spreadsheet stores it/],
		['dd/MM/yyyy', '1234567890', /in seconds/],
	] as const)('%s: %j is refused with advice', (format, value, advice) => {
		expect(() => write(column('DATE', format), value)).toThrow(
			expect.objectContaining({ description: expect.stringMatching(advice) }),
		);
	});

	test('a column without a known format takes the one with all parts', () => {
		expect(write(column('DATE'), '1990-12-24')).toBe('24/12/1990');
	});

	test.each([
		['dd/MM/yyyy', '24/12'],
		['dd/MM/yyyy', '12/1990'],
		['dd/MM/yyyy', '24/12/90'],
		['dd/MM/yyyy', 33231], // a spreadsheet's serial number
		['dd/MM/yyyy', 1234567890], // seconds, or 15 January 1970
		['dd/MM', '24.1'], // a number, 24.10 of a spreadsheet
		['dd/MM', 24.1],
		['dd/MM/yyyy', 1e17], // beyond the dates that JavaScript knows
		['dd/MM/yyyy', new Date(NaN)],
		['dd/MM', '12/1990'],
		['dd/MM', '31/04'],
		['dd/MM', '00/12'],
		['MM/yyyy', '24/12'],
		['MM/yyyy', '13/1990'],
		['MM/yyyy', '00/1990'],
		['MM/yyyy', '1990-13'],
	] as const)('%s: %j is refused', (format, value) => {
		expect(() => write(column('DATE', format), value)).toThrow(
			new RegExp(
				`^Column 'Colonne' is .*, not a date in the format ${format}, such as [\\d/]+, or an ISO date$`,
			),
		);
	});
});

describe('what is compared', () => {
	const same = (of: Column, one: unknown, other: unknown) =>
		comparableValue(of, one, 'Europe/Paris') === comparableValue(of, other, 'Europe/Paris');

	test.each([
		['NUMBER', '5', 5],
		['NUMBER', '5', '5.0'],
		['NUMBER', '+05,50', '5.5'],
		['NUMBER', '-0', '0'],
		['NUMBER', '0.0', 0],
		['NUMBER', '1,234', '1.234'],
		['NUMBER', '12345678901234567890', '012345678901234567890'],
		['STRING', 'Dupont', ' Dupont\u00a0'],
		['STRING', '', null],
		['STRING', '5', 5],
		['BOOLEAN', true, '1'],
		['BOOLEAN', 0, 'non'],
		['DATE', '24/12/1990', '1990-12-24'],
		['DATE', 'demain', 'demain'],
	] as const)('%s: %j is %j', (type, one, other) => {
		expect(same(column(type), one, other)).toBe(true);
	});

	test.each([
		['NUMBER', '5', '50'],
		['NUMBER', '5', '-5'],
		['NUMBER', '0', ''],
		['NUMBER', '1.05', '1.5'],
		['NUMBER', '12345678901234567890', '12345678901234567891'],
		['STRING', '5', '5.0'],
		['STRING', 'Dupont', 'dupont'],
		['BOOLEAN', '0', ''],
		['DATE', '24/12/1990', '25/12/1990'],
		['DATE', 'demain', ''],
	] as const)('%s: %j is not %j', (type, one, other) => {
		expect(same(column(type), one, other)).toBe(false);
	});
});

/** A mobile number of each country, as Google's library of phone numbers has and writes it, is taken as it is. */
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { allCountries } from '../../../nodes/shared/service/allowedCountries.ts';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { canonicalNumber, parseNumber } from '../../../nodes/shared/service/number.ts';

const rows = getCountries().flatMap((country) => {
	const example = getExampleNumber(country, examples);
	return example === undefined ? [] : [[country as string, example] as const];
});

test.each(rows)('%s: in international format', (_, example) => {
	for (const spelling of [example.number, example.formatInternational()])
		expect(parseNumber(spelling)).toBe(example.number);
	expect(allCountries(example.number)).toBeUndefined();
});

const listed = new Set(COUNTRIES.map(({ code }) => code));

test.each(rows.filter(([country]) => listed.has(country)))(
	'%s: in national format',
	(country, example) => {
		const number = parseNumber(example.formatNational(), { country });
		expect(canonicalNumber(number)).toBe(example.number);
	},
);

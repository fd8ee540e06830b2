/** A mobile number of each country, as Google's library of phone numbers has and writes it, is taken as it is. */
import { getCountries, getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { allCountries } from '../../../nodes/shared/service/allowedCountries.ts';
import { COUNTRIES, DEFAULT_COUNTRY } from '../../../nodes/shared/service/countries.ts';
import { canonicalNumber, parseNumber } from '../../../nodes/shared/service/number.ts';

const rows = getCountries().flatMap((country) => {
	const example = getExampleNumber(country, examples);
	return example === undefined ? [] : [[country as string, example] as const];
});

describe.each(rows)('%s', (country, example) => {
	test('in international format', () => {
		for (const spelling of [example.number, example.formatInternational()])
			expect(parseNumber(spelling)).toBe(example.number);
		expect(allCountries(example.number)).toBeUndefined();
	});

	// Numbers overseas are French national numbers.
	const isListed = COUNTRIES.some(({ code }) => code === country);
	test.runIf(isListed && country !== DEFAULT_COUNTRY)('in national format', () => {
		const number = parseNumber(example.formatNational(), { country });
		expect(canonicalNumber(number)).toBe(example.number);
	});
});

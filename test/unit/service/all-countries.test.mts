/**
 * A mobile number of each country, as Google's library of phone numbers has it, in each form in which people and
 * programs write it, and with a digit too many or too few: it is read right or refused, never as another number.
 */
import fc from 'fast-check';
import {
	getCountries,
	getCountryCallingCode,
	getExampleNumber,
	parsePhoneNumberFromString,
	type CountryCode,
} from 'libphonenumber-js/max';
import metadata from 'libphonenumber-js/max/metadata';
import examples from 'libphonenumber-js/mobile/examples';

import { expect, test } from 'vitest';
import { allCountries, countryRule } from '../../../nodes/shared/service/allowedCountries.ts';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { canonicalNumber, parseNumber } from '../../../nodes/shared/service/number.ts';
import { refusalOf } from '../refusal.mts';

/** Metadata of the library: what is dialled in place of the +, as a pattern and as people know it. */
const EXIT_CODE = 1;
const USUAL_EXIT_CODE = 12;

const rows = getCountries().map((country) => {
	const example = getExampleNumber(country, examples)!;
	const plan = metadata.countries[country]!;
	const pattern = String(plan[EXIT_CODE]);
	const usual = String(plan[USUAL_EXIT_CODE] || pattern).replace('~', '');
	return { country, example, exitCode: /^\d+$/.test(usual) ? usual : '00', pattern };
});

/** 00 may be the beginning of another exit code. */
const isUnsure = (code: string) => rows.find(({ country }) => country === code)!.pattern !== '00';

/** Reads a text in a default country; undefined where it is refused. */
function read(typed: string, country: string): string | undefined {
	try {
		return canonicalNumber(parseNumber(typed, { country, example: 'accept' }));
	} catch (error) {
		expect(error).toBeInstanceOf(InputError);
		return undefined;
	}
}

test('there is an example of each country', () => {
	expect(rows.length).toBeGreaterThan(240);
	expect(COUNTRIES.map(({ code }) => code).sort()).toEqual(getCountries().sort());
});

test.each(rows)('$country: with its country code', ({ country, example, exitCode }) => {
	const { number } = example;
	const digits = number.slice(1);
	const spaced = example.formatInternational();
	const forms = [
		...[number, spaced, ` ${spaced} `, `(+${digits})`, spaced.replaceAll(' ', '\u00a0')],
		...[spaced.replaceAll(' ', '-'), spaced.replaceAll(' ', '.'), `\u202a${spaced}\u202c`],
		...[`${number}.0`, `${number}.00`, `${number},00`, `${spaced}.0`, `${spaced}.00`],
		...[`00${digits}`, `00 ${spaced.slice(1)}`, `00${digits}.0`, `${exitCode}${digits}`],
		...[`${exitCode} ${spaced.slice(1)}`, `tel:${number}`, `%2B${digits}`],
		spaced.replaceAll(' ', '%20'),
	];
	for (const home of [country, 'FR', 'DE', 'US', 'SG'])
		for (const typed of forms) {
			if (typed.startsWith(exitCode) && exitCode !== '00' && home !== country) continue;
			const isElsewhere = typed.startsWith('00') && isUnsure(home);
			expectOneOf(isElsewhere ? [number, undefined] : [number], typed, home);
		}
	expect(canonicalNumber(number)).toBe(number);
	expect(canonicalNumber(`00${digits}`)).toBe(number);
	expect(allCountries(number)).toBeUndefined();
	expect(countryRule([country])!(number)).toBeUndefined();
});

test.each(rows)('$country: as it is written at home', ({ country, example }) => {
	const national = example.formatNational();
	const forms = [national, national.replace(/\D/g, ''), `${national}.0`, `${national}.00`];
	for (const typed of forms)
		expect([typed, read(typed, country)]).toEqual([typed, example.number]);
});

test.each(rows)('$country: without its +, where it is no mobile number at home', ({ example }) => {
	const digits = example.number.slice(1);
	for (const { country: home } of rows) {
		const { countryCallingCode } = getExampleNumber(home, examples)!;
		if (countryCallingCode === example.countryCallingCode) continue;
		const plan = isFrench(countryCallingCode) ? 'FR' : home;
		const atHome = parsePhoneNumberFromString(digits, plan);
		const isMobile = /MOBILE/.test(atHome?.getType() ?? '');
		expectOneOf(
			[undefined, example.number, isMobile ? atHome!.number : undefined],
			digits,
			home,
		);
	}
});

/** How many digits its mobile numbers have, by the metadata of the library. */
function lengthsOf(country: CountryCode): number[] {
	const plan = metadata.countries[country]!;
	const types = plan[11] as Array<[pattern: string, lengths?: number[]] | 0>;
	return (types[1] && types[1][1]) || (plan[3] as number[]);
}

test.each(rows)('$country: a digit too many or too few', ({ country, example }) => {
	const { number, countryCallingCode } = example;
	const national = example.formatNational().replace(/\D/g, '');
	const written = (typed: string) => [typed, `${typed}.0`, `${typed}.00`];
	for (const change of [(text: string) => `${text}7`, (text: string) => text.slice(0, -1)]) {
		const changed = change(number);
		const length = changed.length - 1 - countryCallingCode.length;
		const possible = lengthsOf(country).includes(length) ? changed : undefined;
		// A trunk prefix is taken out where the library does so.
		const parsed = parsePhoneNumberFromString(changed);
		const known = parsed?.isValid() ? parsed.number : undefined;
		for (const home of [country, 'FR'])
			for (const typed of [...written(changed), `00${changed.slice(1)}`])
				expectOneOf([undefined, possible, known], typed, home);
		for (const typed of written(change(national)))
			expectOneOf([undefined, possible, known], typed, country);
	}
});

function expectOneOf(numbers: Array<string | undefined>, typed: string, home: string) {
	const number = read(typed, home);
	const isOne = numbers.includes(number);
	expect({ typed, home, number, isOne }).toEqual({ typed, home, number, isOne: true });
}

test('whatever is typed without a +, the number has these digits, and the code of the country or of what was dialled', () => {
	const code = fc.constantFrom(...rows.map(({ country }) => country));
	const changes = fc.constantFrom<(digits: string) => string>(
		(digits) => digits,
		(digits) => digits.slice(0, -1),
		(digits) => `${digits}0`,
		(digits) => `0${digits}`,
		(digits) => digits.slice(1),
	);
	const form = fc.constantFrom('E.164', 'national', 'significant');
	let accepted = 0;
	fc.assert(
		fc.property(
			code,
			code,
			fc.stringMatching(/^\d{4}$/),
			form,
			changes,
			(home, of, end, how, change) => {
				const { countryCallingCode, nationalNumber } = getExampleNumber(of, examples)!;
				const number = `+${countryCallingCode}${nationalNumber.slice(0, -end.length)}${end}`;
				const parsed = parsePhoneNumberFromString(number)!;
				const written = {
					'E.164': number,
					national: parsed.formatNational(),
					significant: parsed.nationalNumber,
				}[how];
				const typed = change(written.replace(/\D/g, ''));
				const result = read(typed, home);
				if (result === undefined) return;
				accepted++;
				const own = getCountryCallingCode(home);
				const isHome = isFrench(own) || result.startsWith(`+${own}`);
				const isRight =
					typed.endsWith(result.slice(-4)) && (isHome || typed.endsWith(result.slice(1)));
				expect({ home, typed, result, isRight }).toEqual({
					home,
					typed,
					result,
					isRight: true,
				});
			},
		),
		{ numRuns: 8_000, seed: 47 },
	);
	expect(accepted).toBeGreaterThan(500);
});

/** The territories overseas have codes of their own. */
const isFrench = (callingCode: string) => /^(33|590|594|596|262|508)$/.test(callingCode);

test('typed as it is shown, the number of an example goes nowhere', () => {
	for (const { country } of rows) {
		const { description = '' } = refusalOf(() => parseNumber('nobody', { country }));
		const [, national, international] = /Write it like (.*) or (\+[\d ]+)\.$/.exec(
			description,
		)!;
		for (const typed of [national, international])
			expect(refusalOf(() => parseNumber(typed, { country })).message).toMatch(
				/ is only an example$/,
			);
	}
});

/** Which country a number belongs to, and which of them the credential sends to: design ("Credential"). */
import { describe, expect, test } from 'vitest';
import { countryRule } from '../../../nodes/shared/service/allowedCountries.ts';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { countryOf } from '../../../nodes/shared/service/countryOf.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';

describe('the country of a number', () => {
	test.each<[number: string, code: string | undefined, what: string]>([
		['+33639981234', 'FR', 'France'],
		['+590690123456', 'FR', 'Guadeloupe, Saint-Martin, Saint-Barthélemy'],
		['+594694123456', 'FR', 'Guyane'],
		['+596696123456', 'FR', 'Martinique'],
		['+262692123456', 'FR', 'La Réunion'],
		['+262639012345', 'FR', 'Mayotte'],
		['+508551234', 'FR', 'Saint-Pierre-et-Miquelon'],
		['+689871234', 'PF', 'French Polynesia'],
		['+687751234', 'NC', 'New Caledonia'],
		['+681821234', 'WF', 'Wallis and Futuna'],
		['+32470123456', 'BE', 'Belgium'],
		['+447400123456', 'GB', 'the United Kingdom'],
		['+447797712345', 'GB', 'Jersey, which shares +44'],
		['+393123456789', 'IT', 'Italy'],
		['+4798765432', 'NO', 'Norway'],
		['+12125550123', 'US', 'New York'],
		['+18085550123', 'US', 'Hawaii'],
		['+14165550123', 'CA', 'Toronto'],
		['+16045550123', 'CA', 'Vancouver'],
		['+19425550123', 'CA', 'an area code of 2025'],
		['+18765550123', undefined, 'Jamaica'],
		['+18095550123', undefined, 'the Dominican Republic'],
		['+18295550123', undefined, 'the Dominican Republic'],
		['+12425550123', undefined, 'the Bahamas'],
		['+17875550123', undefined, 'Puerto Rico'],
		['+16715550123', undefined, 'Guam'],
		['+1416555012', undefined, 'a digit too few for +1'],
		['+11165550123', undefined, 'no area code of +1'],
		['+79161234567', undefined, 'Russia or Kazakhstan'],
		['+77011234567', undefined, 'Kazakhstan'],
		['+819012345678', undefined, 'Japan'],
		['+8613812345678', undefined, 'China'],
		['+8835100012345', undefined, 'an international network'],
		['0639981234', undefined, 'not in international format'],
		['', undefined, 'nothing'],
		['Info', undefined, 'a word'],
	])('%s: %s (%s)', (number, code) => expect(countryOf(number)?.code).toBe(code));

	/** Area codes by province (Canadian Numbering Administrator, 2026). */
	const CANADA = [
		...[368, 403, 587, 780, 825, 236, 250, 257, 604, 672, 778, 204, 431, 584, 428, 506, 709],
		...[879, 867, 782, 902, 226, 249, 289, 343, 365, 382, 387, 416, 437, 519, 548, 613, 647],
		...[683, 705, 742, 753, 807, 905, 942, 263, 354, 367, 418, 438, 450, 468, 514, 579, 581],
		...[819, 873, 306, 474, 639],
	];
	/** Of the other countries and territories (North American Numbering Plan Administrator). */
	const NEITHER = [
		...[242, 246, 264, 268, 284, 340, 345, 441, 473, 649, 658, 664, 670, 671, 684, 721, 758],
		...[767, 784, 787, 809, 829, 849, 868, 869, 876, 939],
	];
	test('each area code of +1', () => {
		const ofArea = (area: number) => countryOf(`+1${area}5550123`)?.code;
		expect(new Set(CANADA.map(ofArea))).toEqual(new Set(['CA']));
		expect(new Set(NEITHER.map(ofArea))).toEqual(new Set([undefined]));
		const others = Array.from({ length: 800 }, (_, index) => index + 200).filter(
			(area) => ![...CANADA, ...NEITHER, 600].includes(area),
		);
		expect(new Set(others.map(ofArea))).toEqual(new Set(['US']));
	});

	test('each country of the list has numbers of its own', () => {
		const sample: Record<string, string> = { US: '+12125550123', CA: '+14165550123' };
		for (const { code, callingCode } of COUNTRIES) {
			const number = sample[code] ?? `+${callingCode}612345678`;
			expect([code, countryOf(number)?.code]).toEqual([code, code]);
		}
	});

	test('no calling code of the list is the beginning of another one', () => {
		const codes = [...new Set(COUNTRIES.map(({ callingCode }) => callingCode))];
		const clashes = codes.filter((code) =>
			codes.some((other) => other !== code && other.startsWith(code)),
		);
		expect(clashes).toEqual([]);
	});
});

describe('the rule of the credential', () => {
	test.each([[undefined], [[]]])('all countries with %j', (value) =>
		expect(countryRule(value)).toBeUndefined(),
	);

	test('lets the chosen countries through, and says of others what they are', () => {
		const rule = countryRule(['FR', 'BE'])!;
		expect(rule('+33639981234')).toBeUndefined();
		expect(rule('+262692123456')).toBeUndefined();
		expect(rule('+32470123456')).toBeUndefined();
		const british = rule('+447400123456');
		expect(british).toBeInstanceOf(InputError);
		expect(british?.message).toBe(
			`'Phone Number' "+447400123456" is a number of United Kingdom that 'Allowed Countries' of the credential doesn't allow`,
		);
		expect(british?.description).toContain('France (+33), Belgium (+32)');
		expect(rule('+819012345678', 'Test Number')?.message).toBe(
			`'Test Number' "+819012345678" is a number that 'Allowed Countries' of the credential doesn't allow`,
		);
		expect(rule('')).toBeInstanceOf(InputError);
	});

	test.each<[allowed: string[], number: string, passes: boolean]>([
		[['US'], '+12125550123', true],
		[['US'], '+14165550123', false],
		[['CA'], '+14165550123', true],
		[['CA'], '+12125550123', false],
		[['US', 'CA'], '+18765550123', false],
		[['US', 'CA'], '+17875550123', false],
		[['FR'], '+590690123456', true],
		[['FR'], '+689871234', false],
		[['PF', 'NC'], '+33639981234', false],
	])('%j: %s passes: %s', (allowed, number, passes) =>
		expect(countryRule(allowed)!(number) === undefined).toBe(passes),
	);

	// 06 87 and 06 81 are French mobile numbers, +687 is New Caledonia, +681 Wallis and Futuna (Arcep, ITU).
	test.each<[allowed: string[], stored: string, passes: boolean]>([
		[['FR'], '687751234', false],
		[['NC'], '687751234', false],
		[['FR', 'NC'], '687751234', true],
		[['FR', 'WF'], '687751234', false],
		[['FR'], '68 18 21 234', false],
		[['FR', 'WF'], '681821234', true],
		[['FR'], '689871234', false],
		[['FR'], '0687751234', true],
		[['FR'], '+33687751234', true],
		[['FR'], '33687751234', true],
		[['FR'], '639981234', true],
		[['FR'], '687 75 12 3', false],
		[['NC'], '+687751234', true],
		[['NC'], '00687751234', true],
	])('%j: %j, as the service has stored it, passes: %s', (allowed, stored, passes) => {
		const refused = countryRule(allowed)!(stored);
		expect(refused === undefined).toBe(passes);
	});

	test('of a number that may be two, it says which', () => {
		const refused = countryRule(['FR'])!('687751234');
		expect(refused?.message).toContain('"+687751234" is a number of New Caledonia');
		expect(refused?.description).toContain('may be +33687751234 or +687751234');
	});

	test('every country of the list together leaves out what is not on it', () => {
		const rule = countryRule(COUNTRIES.map(({ code }) => code))!;
		for (const number of ['+79161234567', '+18765550123', '+819012345678', 'Info', '']) {
			expect(rule(number)).toBeInstanceOf(InputError);
		}
	});

	test.each([
		[null],
		[''],
		[true],
		[0],
		[{}],
		[[null]],
		[['FR', 'France']],
		[['FR', '']],
		[[['FR']]],
		['FR,BE'],
	])('%j can not be read, so that nothing passes', (value) => {
		const refused = countryRule(value)!('+33639981234');
		expect(refused).toBeInstanceOf(InputError);
		expect(refused?.message).toContain("'Allowed Countries'");
		expect(refused?.description).toContain('Nothing is sent');
	});

	test.each(['fr', ' FR ', ['fr']])('%j is France', (value) => {
		expect(countryRule(value)!('+33639981234')).toBeUndefined();
		expect(countryRule(value)!('+32470123456')).toBeInstanceOf(InputError);
	});
});

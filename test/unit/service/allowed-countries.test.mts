/** Which country a number belongs to, and which of them the credential sends to: design ("Credential"). */
import { describe, expect, test } from 'vitest';
import {
	allCountries,
	countryRule,
	SPECIAL_NUMBERS,
} from '../../../nodes/shared/service/allowedCountries.ts';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { countryOf } from '../../../nodes/shared/service/phone.ts';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { canonicalNumber, parseNumber } from '../../../nodes/shared/service/number.ts';

describe('the country of a number', () => {
	/** Where several share a code, by the ranges that their regulators publish; a code of its own: all-countries.test.mts. */
	const NUMBERS: Record<string, string> = {
		RE: '+262692123456',
		YT: '+262639012345',
		GB: '+447400123456 +447700900123',
		JE: '+447797712345',
		US: '+12125550123 +18085550123',
		CA: '+14165550123 +16045550123 +19425550123',
		JM: '+18765550123',
		DO: '+18095550123 +18295550123',
		PR: '+17875550123',
		RU: '+79161234567',
		KZ: '+77011234567',
		// No numbers of +1, of a network, of nothing.
		undefined: '+1416555012 +11165550123 +8835100012345 0639981234 Info +',
	};
	const rows = Object.entries(NUMBERS).flatMap(([code, numbers]) =>
		[...numbers.split(' ')].map((number) => [number, code] as const),
	);
	test.each(rows)('%s: %s', (number, code) => expect(String(countryOf(number)?.code)).toBe(code));

	/** Area codes by province (Canadian Numbering Administrator, 2026), but for those that nobody has yet. */
	const CANADA = [
		...[368, 403, 587, 780, 825, 236, 250, 257, 604, 672, 778, 204, 431, 584, 428, 506, 709],
		...[879, 867, 782, 902, 226, 249, 289, 343, 365, 382, 416, 437, 519, 548, 613, 647],
		...[683, 705, 742, 753, 807, 905, 942, 263, 354, 367, 418, 438, 450, 468, 514, 579, 581],
		...[819, 873, 306, 474, 639],
	];
	/** Of the other countries and territories (North American Numbering Plan Administrator). */
	const NEITHER = [
		...[242, 246, 264, 268, 284, 340, 345, 441, 473, 649, 658, 664, 670, 671, 684, 721, 758],
		...[767, 784, 787, 809, 829, 849, 868, 869, 876, 939],
	];
	/** Canadian, but of no area. */
	const NOT_GEOGRAPHIC = [600, 622, 633, 644, 655, 677, 688];
	/** For Canada. */
	const ANNOUNCED = [273, 387];
	test('each area code of +1', () => {
		const ofArea = (area: number) => countryOf(`+1${area}5550123`)?.code;
		expect(new Set(CANADA.map(ofArea))).toEqual(new Set(['CA']));
		const neither = NEITHER.map(ofArea);
		expect(neither.filter((code) => ['US', 'CA', undefined].includes(code))).toEqual([]);
		const others = Array.from({ length: 800 }, (_, index) => index + 200).filter(
			(area) => ![...CANADA, ...NEITHER, ...NOT_GEOGRAPHIC, ...ANNOUNCED].includes(area),
		);
		expect(new Set(others.map(ofArea))).toEqual(new Set(['US']));
	});
});

describe('the rule of the credential', () => {
	test.each([[undefined], [[]]])('all countries with %j', (value) =>
		expect(countryRule(value)).toBeUndefined(),
	);

	test('says of a number that it stops where it is from, and what is allowed', () => {
		const rule = countryRule(['FR', 'BE'])!;
		const british = rule('+447400123456');
		expect(british).toBeInstanceOf(InputError);
		expect(british?.message).toBe(
			`'Phone Number' "+447400123456" is a number of United Kingdom that 'Allowed Countries' of the credential doesn't allow`,
		);
		expect(british?.description).toContain('France (+33), Belgium (+32)');
		expect(rule('+819012345678', 'Test Number')?.message).toBe(
			`'Test Number' "+819012345678" is a number of Japan that 'Allowed Countries' of the credential doesn't allow`,
		);
		const unclear = countryRule(['FR'])!('687751234');
		expect(unclear?.message).toContain('"+687751234" is a number of New Caledonia');
		expect(unclear?.description).toContain('may be +33687751234 or +687751234');
	});

	const EVERY = COUNTRIES.map(({ code }) => code).join(' ');
	// 06 87 and 06 81 are French mobile numbers, +687 is New Caledonia, +681 Wallis and Futuna (Arcep, ITU): of
	// digits alone, nothing tells which.
	test.each<[allowed: string, passes: string, stops: string]>([
		['US', '+12125550123', '+14165550123, +18765550123'],
		['CA', '+14165550123', '+12125550123'],
		['US CA', '+12125550123', '+18765550123, +17875550123'],
		['FR BE', '+33639981234, +262692123456, +590690123456, +32470123456', '+68987123456, Info'],
		['RE', '+262692123456, 0692123456', '+33639981234, 0639981234, +262639012345'],
		['GB', '+447700900123', '+447797712345'],
		['IM', '+447624123456', '+447400123456'],
		['FR', '0687751234, +33687751234, 33687751234, 639981234', '687751234, 68 18 21 234'],
		['FR', '+33 06 39 98 12 34, 689871234', '687 75 12 3, 0044 07400 123456'],
		['NC', '+687751234, 00687751234', '687751234, +33639981234'],
		['FR NC', '687751234', '681821234'],
		['FR WF', '681821234', '687751234'],
		['PF NC', '+68987123456', '+33639981234'],
		[EVERY, '+33639981234, +79161234567, +18765550123', 'Info, +881612345678'],
	])('%s', (allowed, passes, stops) => {
		const rule = countryRule(allowed.split(' '))!;
		for (const number of passes.split(', ')) expect(rule(number), number).toBeUndefined();
		for (const number of [...stops.split(', '), '']) {
			expect(rule(number), number).toBeInstanceOf(InputError);
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

describe('numbers that no mobile phone has', () => {
	const SATELLITE = '+881612345678 +882161234567 +8835100012345 +870773111632';
	const SERVICES =
		'+979123456789 +80012345678 +19005550123 +33899123456 +33892123456 +33800123456 +33825123456 +449098790000 +448451234567 +3290312345 +499001234567 +39899123456 +34803123456 +41900123456 +31900123456';
	/** Premium rate, freephone and shared cost, as the numbering plans of the countries have them. */
	const SERVICES_ELSEWHERE =
		'+376912345 +37618001234 +971900234567 +971800123456 +971700012345 +38790123456 +38780123456 +38782123456 +3290012345 +3280012345 +3278791234 +35990123456 +35980012345 +35970012345 +97390123456 +97380123456 +97384123456 +23687761234 +242800123456 +56800123456 +566001234567 +420900123456 +420800123456 +420811234567 +209001234567 +208001234567 +50980012345 +911861123456789 +911800123456 +9118603451234 +96290012345 +96280012345 +96285012345 +254900223456 +254800223456 +2698001234 +96190123456 +96180123456 +4239002222 +4238002222 +37090012345 +37080012345 +37080812345 +37190123456 +37180123456 +37181123456 +37790123456 +37390012345 +37380012345 +37380812345 +38294515151 +38280080002 +38950012345 +38980012345 +38980123456 +22380012345 +22280012345 +35650037123 +35680071234 +2303012345 +2308001234 +529001234567 +528001234567 +523001234567 +687366711 +687050012 +64900123456 +64800123456 +96890012345 +96880071234 +5180512345 +5180012345 +5180112345 +250900123456 +250800123456 +966925012345 +9668001234567 +966920012345 +469001234567 +4620123456 +46771234567 +421900123456 +421800123456 +421850123456 +37871123456 +841900123456 +841800123456 +38390001234 +38380001234 +27862345678 +27801234567 +27860123456';
	const MOBILE =
		'+33639981234 +18005550123 +447400123456 +32470123456 +4915123456789 +393391234567 +34612345678 +79161234567 +262692123456';
	const MOBILE_ELSEWHERE =
		'+376312345 +971501234567 +38761123456 +32450001234 +35943012345 +97336001234 +23670012345 +242061234567 +56221234567 +420601123456 +201001234567 +50934101234 +918123456789 +962790123456 +254712123456 +2693212345 +96171123456 +423660234567 +37061234567 +37121234567 +377612345678 +37362112345 +38260123456 +38972345678 +22365012345 +22222123456 +35696961234 +23052512345 +522221234567 +687751234 +64211234567 +96892123456 +51912345678 +250720123456 +966512345678 +46701234567 +421912123456 +37866661212 +84912345678 +38343201234 +27711234567';
	const services = `${SERVICES} ${SERVICES_ELSEWHERE}`.split(' ');

	test.each([...SATELLITE.split(' '), ...services])('%s needs its name', (number) => {
		const [own, other] = SATELLITE.includes(number)
			? ['SATELLITE', 'SERVICES']
			: ['SERVICES', 'SATELLITE'];
		const home = countryOf(number)?.code;
		const refused = allCountries(number);
		expect(refused?.message).toBe(
			`'Phone Number' "${number}" is not the number of a mobile phone`,
		);
		const name = SPECIAL_NUMBERS.find(({ code }) => code === own)?.name;
		expect(refused?.description).toContain(`choose '${name}' in 'Allowed Countries'`);
		expect(countryRule([home ?? 'FR'])!(number)).toBeInstanceOf(InputError);
		expect(countryRule([home ?? 'FR', other])!(number)).toBeInstanceOf(InputError);
		expect(countryRule([home ?? 'FR', own])!(number)).toBeUndefined();
		if (home !== undefined)
			expect(countryRule(['BJ', own])!(number)).toBeInstanceOf(InputError);
	});

	test.each(`${MOBILE} ${MOBILE_ELSEWHERE}`.split(' '))('%s goes', (number) => {
		expect(allCountries(number)).toBeUndefined();
	});
});

describe('no spelling gets past', () => {
	/** Digits behind the country code, with the trunk prefix of the country. */
	const NUMBERS: Array<
		[code: string | undefined, callingCode: string, trunk: string, digits: string]
	> = [
		['FR', '33', '0', '639981234'],
		['FR', '590', '0', '690123456'],
		['FR', '262', '0', '692123456'],
		['BE', '32', '0', '470123456'],
		['GB', '44', '0', '7400123456'],
		['CI', '225', '', '0712345678'],
		['IT', '39', '', '3391234567'],
		['NC', '687', '', '751234'],
		['PF', '689', '', '87123456'],
		['MA', '212', '0', '612345678'],
		['DE', '49', '0', '15123456789'],
		['US', '1', '1', '2125550123'],
		['CA', '1', '1', '4165550123'],
		[undefined, '1', '1', '8765550123'],
		[undefined, '7', '', '9161234567'],
		[undefined, '81', '', '9012345678'],
		[undefined, '881', '', '612345678'],
	];
	const MARKS = ['', ' ', '.', '-', '\u00a0', '\u202f', '\u2013', '\u200b', '\ufeff'];
	const AROUND = ['%', ' %', '%\r\n', '\u202a%\u202c', '(%)', "'%", '="%"', '%.0', '%,00', '- %'];

	function* spellingsOf(callingCode: string, trunk: string, digits: string): Generator<string> {
		const prefixes = ['+', '00', '(+', '011', '0011', '+ ', ''];
		for (const mark of MARKS) {
			const grouped = digits.replace(/(\d{2})(?=\d)/g, `$1${mark}`);
			for (const prefix of prefixes) {
				const end = prefix === '(+' ? ')' : '';
				for (const zero of ['', trunk, `(${trunk})`, '(0)', '( 0 )', '0']) {
					const number = `${prefix}${callingCode}${end}${mark}${zero}${mark}${grouped}`;
					// One mark stands for all of them beside what may stand around.
					const arounds = mark === ' ' ? AROUND : ['%'];
					for (const around of arounds) yield around.replace('%', () => number);
				}
			}
			for (const zero of ['', trunk, `(${trunk})`]) yield `${zero}${mark}${grouped}`;
		}
		const [first, ...rest] = `${callingCode}${digits}`;
		yield `${first}.${rest.join('')}E+${rest.length}`;
		yield `+${first},${rest.join('')}e${rest.length}`;
	}

	/** The country by the digits that would be sent (ITU-T E.164), told without the code under test. */
	const OWNERS: Array<[code: string, prefix: RegExp]> = [
		['FR', /^(0[1-9]|\+(33|590|262))/],
		...NUMBERS.filter(([code]) => code !== undefined && !['FR', 'US', 'CA'].includes(code)).map(
			([code, callingCode]): [string, RegExp] => [code!, new RegExp(`^\\+${callingCode}`)],
		),
		['US', /^\+1(?!416|876)/],
		['CA', /^\+1416/],
	];

	test('of a number of any country, by a credential for any other', () => {
		const codes = ['FR', 'BE', 'GB', 'CI', 'IT', 'NC', 'PF', 'MA', 'DE', 'US', 'CA'];
		const rules = codes.map((code) => [code, countryRule([code])!] as const);
		let [spellings, sent] = [0, 0];
		for (const [code, callingCode, trunk, digits] of NUMBERS) {
			for (const typed of spellingsOf(callingCode, trunk, digits)) {
				for (const country of ['FR', code ?? 'US']) {
					spellings++;
					let number: string;
					try {
						number = parseNumber(typed, { country });
					} catch {
						continue;
					}
					sent++;
					const canonical = canonicalNumber(number);
					const [owner] = OWNERS.find(([, prefix]) => prefix.test(number)) ?? [];
					for (const [allowed, rule] of rules) {
						const passes = rule(canonical) === undefined;
						if (passes !== (owner === allowed)) {
							expect({ typed, country, number, allowed, passes }).toEqual(owner);
						}
					}
				}
			}
		}
		expect(spellings).toBeGreaterThan(25_000);
		expect(sent).toBeGreaterThan(5_000);
	}, 300_000);
});

/**
 * The French numbering plan (Arcep, decision 2018-0881 as amended): ten digits for the whole country,
 * while the territories overseas have country codes of their own. `0690 12 34 56` is therefore
 * +590 690 12 34 56 from abroad, and often written +33 690 12 34 56.
 */

/** Ranges of the territories, without the 0, by country code. */
const OVERSEAS: ReadonlyArray<[callingCode: string, range: RegExp]> = [
	['590', /^(69[01]|7090|590|587)/], // Guadeloupe, Saint-Barthélemy, Saint-Martin
	['594', /^(694|7093[0-4]|594|588)/], // Guyane
	['596', /^(69[67]|7091|596|589)/], // Martinique
	// La Réunion and Mayotte. 0639 98 is set apart, in the metropolis, for numbers in works of fiction.
	['262', /^(69[23]|639(?!98)|7092|7093[5-9]|26[239]|268[89])/],
	['508', /^(7084|7085)/], // Saint-Pierre-et-Miquelon
];

/** Whether a country code has numbers of the French plan. */
export function isFrenchCode(callingCode: string): boolean {
	return callingCode === '33' || OVERSEAS.some(([code]) => code === callingCode);
}

/**
 * A French number in international format.
 *
 * @param significant nine digits, as they follow the 0 of a national number or a +33
 */
export function internationalFrench(significant: string): string {
	// The numbers of Saint-Pierre-et-Miquelon have six digits, and its country code is their range.
	if (significant.startsWith('508')) return `+${significant}`;
	const [callingCode = '33'] = OVERSEAS.find(([, range]) => range.test(significant)) ?? [];
	return `+${callingCode}${significant}`;
}

/** The nine digits of a French number, national or international; undefined for any other number. */
export function frenchDigits(number: string): string | undefined {
	if (/^\+508\d{6}$/.test(number)) return number.slice(1);
	const [, prefix, digits] = /^(0|\+(?:33|590|594|596|262|508))([1-9]\d{8})$/.exec(number) ?? [];
	if (prefix === undefined) return undefined;
	// +262 has numbers of nothing but its own ranges; a metropolitan one there is a mistake, not French.
	const isOwn = prefix === '0' || prefix === '+33' || internationalFrench(digits) === number;
	return isOwn ? digits : undefined;
}

/**
 * Whether a number is certainly a French fixed line: 01 to 05 and 09. Those of Saint-Pierre-et-Miquelon
 * (0508) may be mobile.
 *
 * @param number in international format
 */
export function isFrenchFixedLine(number: string): boolean {
	const digits = frenchDigits(number);
	return digits !== undefined && /^[1-59]/.test(digits) && !digits.startsWith('508');
}

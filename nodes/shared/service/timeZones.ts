import { countryOf } from './countryOf';

/**
 * Time zones of the territories of France overseas whose numbers have country codes of their own. Those of
 * +262 are told apart where the range is that of one island (Arcep): elsewhere, both clocks count.
 */
const OVERSEAS: ReadonlyArray<[number: RegExp, zones: string]> = [
	[/^\+508/, 'America/Miquelon'],
	[/^\+590/, 'America/Guadeloupe'],
	[/^\+594/, 'America/Cayenne'],
	[/^\+596/, 'America/Martinique'],
	[/^\+262(26[23]|69[23])/, 'Indian/Reunion'],
	[/^\+262(269|639)/, 'Indian/Mayotte'],
	[/^\+262/, 'Indian/Reunion Indian/Mayotte'],
];

/**
 * The time zones in which the owner of a number may be at home.
 *
 * @param number as `canonicalNumber` gives it
 * @returns IANA names, one for each clock; undefined for a country that isn't on the list of Default Country
 */
export function zonesOf(number: string): readonly string[] | undefined {
	const [, overseas] = OVERSEAS.find(([range]) => range.test(number)) ?? [];
	const zones = overseas ?? countryOf(number)?.timeZones;
	return zones?.split(' ');
}

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
 * Time zones of the countries under Default Country, by ISO 3166-1 code (IANA, zone.tab): of zones whose
 * clocks agree, one. With those of the territories that share its calling code, also for mobile numbers: the
 * Christmas and Cocos Islands for Australia, northern Cyprus for Türkiye. Not those in which its numbers aren't used, such as Crimea for Ukraine.
 */
const OF_COUNTRY: Readonly<Record<string, string>> = {
	AD: 'Europe/Andorra',
	AE: 'Asia/Dubai',
	AL: 'Europe/Tirane',
	AT: 'Europe/Vienna',
	AU: 'Australia/Sydney Australia/Brisbane Australia/Adelaide Australia/Darwin Australia/Eucla Australia/Perth Australia/Lord_Howe Indian/Christmas Indian/Cocos',
	BA: 'Europe/Sarajevo',
	BE: 'Europe/Brussels',
	BF: 'Africa/Ouagadougou',
	BG: 'Europe/Sofia',
	BH: 'Asia/Bahrain',
	BI: 'Africa/Bujumbura',
	BJ: 'Africa/Porto-Novo',
	CA: 'America/St_Johns America/Halifax America/Blanc-Sablon America/Toronto America/Atikokan America/Winnipeg America/Regina America/Edmonton America/Inuvik America/Whitehorse America/Vancouver',
	CD: 'Africa/Kinshasa Africa/Lubumbashi',
	CF: 'Africa/Bangui',
	CG: 'Africa/Brazzaville',
	CH: 'Europe/Zurich',
	CI: 'Africa/Abidjan',
	CL: 'America/Santiago America/Punta_Arenas Pacific/Easter',
	CM: 'Africa/Douala',
	CY: 'Asia/Nicosia',
	CZ: 'Europe/Prague',
	DE: 'Europe/Berlin',
	DJ: 'Africa/Djibouti',
	DK: 'Europe/Copenhagen',
	DZ: 'Africa/Algiers',
	EE: 'Europe/Tallinn',
	EG: 'Africa/Cairo',
	ES: 'Europe/Madrid Atlantic/Canary',
	FI: 'Europe/Helsinki',
	FR: 'Europe/Paris',
	GA: 'Africa/Libreville',
	GB: 'Europe/London',
	GH: 'Africa/Accra',
	GN: 'Africa/Conakry',
	GR: 'Europe/Athens',
	HR: 'Europe/Zagreb',
	HT: 'America/Port-au-Prince',
	HU: 'Europe/Budapest',
	IE: 'Europe/Dublin',
	IL: 'Asia/Jerusalem',
	IN: 'Asia/Kolkata',
	IS: 'Atlantic/Reykjavik',
	IT: 'Europe/Rome',
	JO: 'Asia/Amman',
	KE: 'Africa/Nairobi',
	KM: 'Indian/Comoro',
	KW: 'Asia/Kuwait',
	LB: 'Asia/Beirut',
	LI: 'Europe/Vaduz',
	LT: 'Europe/Vilnius',
	LU: 'Europe/Luxembourg',
	LV: 'Europe/Riga',
	MA: 'Africa/Casablanca',
	MC: 'Europe/Monaco',
	MD: 'Europe/Chisinau',
	ME: 'Europe/Podgorica',
	MG: 'Indian/Antananarivo',
	MK: 'Europe/Skopje',
	ML: 'Africa/Bamako',
	MR: 'Africa/Nouakchott',
	MT: 'Europe/Malta',
	MU: 'Indian/Mauritius',
	MX: 'America/Cancun America/Mexico_City America/Matamoros America/Ciudad_Juarez America/Hermosillo America/Tijuana',
	NC: 'Pacific/Noumea',
	NE: 'Africa/Niamey',
	NG: 'Africa/Lagos',
	NL: 'Europe/Amsterdam',
	NO: 'Europe/Oslo',
	NZ: 'Pacific/Auckland Pacific/Chatham',
	OM: 'Asia/Muscat',
	PE: 'America/Lima',
	PF: 'Pacific/Tahiti Pacific/Marquesas Pacific/Gambier',
	PH: 'Asia/Manila',
	PL: 'Europe/Warsaw',
	PT: 'Europe/Lisbon Atlantic/Azores',
	QA: 'Asia/Qatar',
	RO: 'Europe/Bucharest',
	RS: 'Europe/Belgrade',
	RW: 'Africa/Kigali',
	SA: 'Asia/Riyadh',
	SE: 'Europe/Stockholm',
	SI: 'Europe/Ljubljana',
	SK: 'Europe/Bratislava',
	SM: 'Europe/San_Marino',
	SN: 'Africa/Dakar',
	TD: 'Africa/Ndjamena',
	TG: 'Africa/Lome',
	TJ: 'Asia/Dushanbe',
	TN: 'Africa/Tunis',
	TR: 'Europe/Istanbul Asia/Famagusta',
	UA: 'Europe/Kyiv',
	US: 'America/New_York America/Chicago America/Denver America/Phoenix America/Los_Angeles America/Anchorage America/Adak Pacific/Honolulu',
	VN: 'Asia/Ho_Chi_Minh',
	WF: 'Pacific/Wallis',
	XK: 'Europe/Belgrade',
	ZA: 'Africa/Johannesburg',
};

/**
 * The time zones in which the owner of a number may be at home.
 *
 * @param number as `canonicalNumber` gives it
 * @returns IANA names, one for each clock; undefined for a country that isn't on the list of Default Country
 */
export function zonesOf(number: string): readonly string[] | undefined {
	const [, overseas] = OVERSEAS.find(([range]) => range.test(number)) ?? [];
	const zones = overseas ?? OF_COUNTRY[countryOf(number)?.code ?? ''];
	return zones?.split(' ');
}

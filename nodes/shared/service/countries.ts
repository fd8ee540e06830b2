/** How a country writes its phone numbers, and what its clocks show. */
export interface Country extends Peculiarities {
	/** ISO 3166-1 alpha-2. */
	code: string;
	name: string;
	/** Digits after the + (ITU-T E.164). */
	callingCode: string;
	/** Trunk prefix of national numbers; empty where there is none. */
	trunkPrefix: string;
	/** Digits after the country code, or after the trunk prefix: the fewest and the most. */
	length: readonly [fewest: number, most: number];
	/**
	 * IANA names (zone.tab) with a space between: of zones whose clocks agree, one. With those of the territories that
	 * share its calling code, also for mobile numbers: the Christmas and Cocos Islands for Australia, northern Cyprus for
	 * Türkiye. Not those in which its numbers aren't used, such as Crimea for Ukraine.
	 */
	timeZones: string;
}

/** Patterns are of numbers without trunk prefix and country code. */
interface Peculiarities {
	/**
	 * Mobile numbers, where they have one length: digits that look like this are a number that lost its
	 * zero, not one without its country code, and no other number begins alike.
	 */
	mobile?: RegExp;
	/** All numbers, where lengths and mobile numbers say too little. */
	plan?: RegExp;
	/** A number can begin with 0, which is dialled from abroad, too. */
	keepsZero?: true;
	/** Premium-rate, freephone and shared-cost numbers, which no phone has. */
	services?: RegExp;
	/** Digits dialled in place of the +, where it isn't only 00. */
	exitCode?: string;
}

type Row = [
	code: string,
	name: string,
	callingCode: string,
	trunkPrefix: string,
	fewest: number,
	most: number,
	timeZones: string,
	peculiarities?: Peculiarities,
];

const NORTH_AMERICAN = /^[2-9]\d{2}[2-9]\d{6}$/;
const AUSTRALIAN =
	'Australia/Sydney Australia/Brisbane Australia/Adelaide Australia/Darwin Australia/Eucla Australia/Perth Australia/Lord_Howe Indian/Christmas Indian/Cocos';
const CANADIAN =
	'America/St_Johns America/Halifax America/Blanc-Sablon America/Toronto America/Atikokan America/Winnipeg America/Regina America/Edmonton America/Inuvik America/Whitehorse America/Vancouver';
const AMERICAN =
	'America/New_York America/Chicago America/Denver America/Phoenix America/Los_Angeles America/Anchorage America/Adak Pacific/Honolulu';
const MEXICAN =
	'America/Cancun America/Mexico_City America/Matamoros America/Ciudad_Juarez America/Hermosillo America/Tijuana';

/**
 * From the national numbering plans as their regulators publish them through the ITU (E.164). Left out
 * are countries in which a number can't be told from the code for calls abroad, such as 001.
 */
// prettier-ignore
const ROWS: readonly Row[] = [
	['AL', 'Albania', '355', '0', 8, 9, 'Europe/Tirane', { mobile: /^6[6-9]\d{7}$/ }],
	['DZ', 'Algeria', '213', '0', 8, 9, 'Africa/Algiers', { mobile: /^[5-7]\d{8}$/, services: /^80/ }],
	['AD', 'Andorra', '376', '', 6, 9, 'Europe/Andorra', { services: /^[19]/ }],
	['AU', 'Australia', '61', '0', 9, 9, AUSTRALIAN, { mobile: /^4\d{8}$/, exitCode: '0011' }],
	['AT', 'Austria', '43', '0', 4, 13, 'Europe/Vienna', { services: /^(8[0-2]|9[0-3])/ }],
	['BH', 'Bahrain', '973', '', 8, 8, 'Asia/Bahrain', { services: /^(8[04]|90)/ }],
	['BE', 'Belgium', '32', '0', 8, 9, 'Europe/Brussels', { mobile: /^4[5-9]\d{7}$/, services: /^(7[08]|800|90)/ }],
	['BJ', 'Benin', '229', '', 10, 10, 'Africa/Porto-Novo', { mobile: /^01\d{8}$/, plan: /^0[12]\d{8}$/, keepsZero: true }],
	['BA', 'Bosnia and Herzegovina', '387', '0', 8, 9, 'Europe/Sarajevo', { services: /^(8[02]|90)/ }],
	['BG', 'Bulgaria', '359', '0', 7, 9, 'Europe/Sofia', { mobile: /^8[7-9]\d{7}$/, services: /^([78]00|90)/ }],
	['BF', 'Burkina Faso', '226', '', 8, 8, 'Africa/Ouagadougou', { plan: /^[024-7]\d{7}$/, keepsZero: true }],
	['BI', 'Burundi', '257', '', 8, 8, 'Africa/Bujumbura'],
	['CM', 'Cameroon', '237', '', 9, 9, 'Africa/Douala'],
	['CA', 'Canada', '1', '1', 10, 10, CANADIAN, { mobile: NORTH_AMERICAN, plan: NORTH_AMERICAN, services: /^900/, exitCode: '011' }],
	['CF', 'Central African Republic', '236', '', 8, 8, 'Africa/Bangui', { services: /^8776/ }],
	['TD', 'Chad', '235', '', 8, 8, 'Africa/Ndjamena'],
	['CL', 'Chile', '56', '', 9, 9, 'America/Santiago America/Punta_Arenas Pacific/Easter', { services: /^[68]00/ }],
	['KM', 'Comoros', '269', '', 7, 7, 'Indian/Comoro', { services: /^8/ }],
	['CG', 'Congo', '242', '', 9, 9, 'Africa/Brazzaville', { mobile: /^0[1456]\d{7}$/, plan: /^[028]\d{8}$/, keepsZero: true, services: /^80/ }],
	['CD', 'Congo (Democratic Republic)', '243', '0', 9, 9, 'Africa/Kinshasa Africa/Lubumbashi', { mobile: /^[89]\d{8}$/ }],
	['CI', "Côte d'Ivoire", '225', '', 10, 10, 'Africa/Abidjan', { mobile: /^0[157]\d{8}$/, plan: /^[02]\d{9}$/, keepsZero: true }],
	['HR', 'Croatia', '385', '0', 8, 9, 'Europe/Zagreb', { services: /^(6[0145]|80)/ }],
	['CY', 'Cyprus', '357', '', 8, 8, 'Asia/Nicosia', { services: /^(80|90)/ }],
	['CZ', 'Czechia', '420', '', 9, 9, 'Europe/Prague', { services: /^(8[01]|90)/ }],
	['DK', 'Denmark', '45', '', 8, 8, 'Europe/Copenhagen', { services: /^(80|90)/ }],
	['DJ', 'Djibouti', '253', '', 8, 8, 'Africa/Djibouti'],
	['EG', 'Egypt', '20', '0', 8, 10, 'Africa/Cairo', { mobile: /^1[0125]\d{8}$/, services: /^[89]00/ }],
	['EE', 'Estonia', '372', '', 7, 8, 'Europe/Tallinn', { services: /^(800|900)/ }],
	['FI', 'Finland', '358', '0', 5, 12, 'Europe/Helsinki', { services: /^[678]00/ }],
	['FR', 'France', '33', '0', 9, 9, 'Europe/Paris', { mobile: /^[67]\d{8}$/, services: /^8/ }],
	['PF', 'French Polynesia', '689', '', 6, 8, 'Pacific/Tahiti Pacific/Marquesas Pacific/Gambier'],
	['GA', 'Gabon', '241', '', 7, 8, 'Africa/Libreville', { plan: /^(0[1-7]\d{6}|[1-7]\d{6,7})$/, keepsZero: true }],
	['DE', 'Germany', '49', '0', 5, 13, 'Europe/Berlin', { mobile: /^1[5-7]\d{8}$/, plan: /^(1[5-7]\d{8,9}|(?!1[5-7])[1-9]\d{4,12})$/, services: /^(137|180|700|800|900)/ }],
	['GH', 'Ghana', '233', '0', 9, 9, 'Africa/Accra'],
	['GR', 'Greece', '30', '', 10, 10, 'Europe/Athens', { services: /^(80[01]|90[19])/ }],
	['GN', 'Guinea', '224', '', 9, 9, 'Africa/Conakry'],
	['HT', 'Haiti', '509', '', 8, 8, 'America/Port-au-Prince', { services: /^8/ }],
	['HU', 'Hungary', '36', '06', 8, 9, 'Europe/Budapest', { mobile: /^[2357]0\d{7}$/, services: /^(80|9[01])/ }],
	['IS', 'Iceland', '354', '', 7, 9, 'Atlantic/Reykjavik', { services: /^(800|90)/ }],
	['IN', 'India', '91', '0', 10, 10, 'Asia/Kolkata', { mobile: /^[6-9]\d{9}$/, services: /^18/ }],
	['IE', 'Ireland', '353', '0', 7, 9, 'Europe/Dublin', { mobile: /^8[3-9]\d{7}$/ }],
	['IL', 'Israel', '972', '0', 8, 9, 'Asia/Jerusalem', { mobile: /^5\d{8}$/ }],
	['IT', 'Italy', '39', '', 6, 11, 'Europe/Rome', { mobile: /^3[1-9]\d{8}$/, plan: /^(0(?!3[1-9]\d{8}$)\d{5,10}|3[1-9]\d{7,8}|[18]\d{5,9})$/, keepsZero: true, services: /^[18]/ }],
	['JO', 'Jordan', '962', '0', 8, 9, 'Asia/Amman', { mobile: /^7[7-9]\d{7}$/, services: /^(8[05]|90)/ }],
	['KE', 'Kenya', '254', '0', 9, 9, 'Africa/Nairobi', { services: /^[89]00/ }],
	['XK', 'Kosovo', '383', '0', 8, 9, 'Europe/Belgrade', { services: /^[89]00/ }],
	['KW', 'Kuwait', '965', '', 8, 8, 'Asia/Kuwait'],
	['LV', 'Latvia', '371', '', 8, 8, 'Europe/Riga', { services: /^(8[01]|90)/ }],
	['LB', 'Lebanon', '961', '0', 7, 8, 'Asia/Beirut', { mobile: /^(7[01689]|81)\d{6}$/, services: /^(80|90)/ }],
	['LI', 'Liechtenstein', '423', '', 7, 9, 'Europe/Vaduz', { services: /^(80|90)/ }],
	['LT', 'Lithuania', '370', '0', 8, 8, 'Europe/Vilnius', { mobile: /^6\d{7}$/, services: /^(80[08]|90)/ }],
	['LU', 'Luxembourg', '352', '', 4, 11, 'Europe/Luxembourg', { services: /^(80[01]|90[015])\d{5}$/ }],
	['MG', 'Madagascar', '261', '0', 9, 9, 'Indian/Antananarivo', { mobile: /^3\d{8}$/ }],
	['ML', 'Mali', '223', '', 8, 8, 'Africa/Bamako', { services: /^80/ }],
	['MT', 'Malta', '356', '', 8, 8, 'Europe/Malta', { services: /^(50|800)/ }],
	['MR', 'Mauritania', '222', '', 8, 8, 'Africa/Nouakchott', { services: /^80/ }],
	['MU', 'Mauritius', '230', '', 7, 8, 'Indian/Mauritius', { services: /^(30|80)/ }],
	['MX', 'Mexico', '52', '', 10, 10, MEXICAN, { services: /^[389]00/ }],
	['MD', 'Moldova', '373', '0', 8, 8, 'Europe/Chisinau', { services: /^(80|90)/ }],
	['MC', 'Monaco', '377', '0', 8, 9, 'Europe/Monaco', { mobile: /^6\d{8}$/, services: /^(800|90)/ }],
	['ME', 'Montenegro', '382', '0', 8, 9, 'Europe/Podgorica', { services: /^(80|9[457])/ }],
	['MA', 'Morocco', '212', '0', 9, 9, 'Africa/Casablanca', { mobile: /^[67]\d{8}$/, services: /^(80|89)/ }],
	['NL', 'Netherlands', '31', '0', 9, 9, 'Europe/Amsterdam', { mobile: /^6\d{8}$/, services: /^(80|90)/ }],
	['NC', 'New Caledonia', '687', '', 6, 6, 'Pacific/Noumea', { services: /^(050|36)/ }],
	['NZ', 'New Zealand', '64', '0', 8, 10, 'Pacific/Auckland Pacific/Chatham', { services: /^(80|90)/ }],
	['NE', 'Niger', '227', '', 8, 8, 'Africa/Niamey'],
	['NG', 'Nigeria', '234', '0', 10, 10, 'Africa/Lagos'],
	['MK', 'North Macedonia', '389', '0', 8, 8, 'Europe/Skopje', { mobile: /^7\d{7}$/, services: /^[58]/ }],
	['NO', 'Norway', '47', '', 8, 8, 'Europe/Oslo', { services: /^8[012]/ }],
	['OM', 'Oman', '968', '', 8, 8, 'Asia/Muscat', { services: /^[89]00/ }],
	['PE', 'Peru', '51', '0', 8, 9, 'America/Lima', { mobile: /^9\d{8}$/, services: /^80/ }],
	['PH', 'Philippines', '63', '0', 8, 10, 'Asia/Manila', { mobile: /^9\d{9}$/ }],
	['PL', 'Poland', '48', '', 9, 9, 'Europe/Warsaw', { services: /^(70|80)/ }],
	['PT', 'Portugal', '351', '', 9, 9, 'Europe/Lisbon Atlantic/Azores', { services: /^(6[04]|70|76|80)/ }],
	['QA', 'Qatar', '974', '', 8, 8, 'Asia/Qatar'],
	['RO', 'Romania', '40', '0', 9, 9, 'Europe/Bucharest', { mobile: /^7\d{8}$/, services: /^(80|90)/ }],
	['RW', 'Rwanda', '250', '0', 9, 9, 'Africa/Kigali', { services: /^[89]00/ }],
	['SM', 'San Marino', '378', '', 6, 10, 'Europe/San_Marino', { plan: /^(0549\d{6}|[5-7]\d{7}|[89]\d{5})$/, keepsZero: true, services: /^7[178]/ }],
	['SA', 'Saudi Arabia', '966', '0', 9, 9, 'Asia/Riyadh', { mobile: /^5\d{8}$/, services: /^(800|92[05])/ }],
	['SN', 'Senegal', '221', '', 9, 9, 'Africa/Dakar', { services: /^8[018]/ }],
	['RS', 'Serbia', '381', '0', 8, 10, 'Europe/Belgrade', { services: /^(78|800|90)/ }],
	['SK', 'Slovakia', '421', '0', 9, 9, 'Europe/Bratislava', { mobile: /^9\d{8}$/, services: /^(8[05]0|900)/ }],
	['SI', 'Slovenia', '386', '0', 8, 8, 'Europe/Ljubljana', { services: /^(80|89|90)/ }],
	['ZA', 'South Africa', '27', '0', 9, 9, 'Africa/Johannesburg', { mobile: /^[6-8]\d{8}$/, services: /^(80|86)/ }],
	['ES', 'Spain', '34', '', 9, 9, 'Europe/Madrid Atlantic/Canary', { services: /^(70|80|90)/ }],
	['SE', 'Sweden', '46', '0', 7, 10, 'Europe/Stockholm', { mobile: /^7[02369]\d{7}$/, services: /^(20|77|900|939|944|99)/ }],
	['CH', 'Switzerland', '41', '0', 9, 9, 'Europe/Zurich', { mobile: /^7[5-9]\d{7}$/, services: /^(80|84|90)/ }],
	['TJ', 'Tajikistan', '992', '', 9, 9, 'Asia/Dushanbe', { plan: /^\d{9}$/, keepsZero: true }],
	['TG', 'Togo', '228', '', 8, 8, 'Africa/Lome'],
	['TN', 'Tunisia', '216', '', 8, 8, 'Africa/Tunis', { services: /^8/ }],
	['TR', 'Türkiye', '90', '0', 10, 10, 'Europe/Istanbul Asia/Famagusta', { mobile: /^5\d{9}$/, services: /^(800|900)/ }],
	['UA', 'Ukraine', '380', '0', 9, 9, 'Europe/Kyiv', { services: /^(800|900)/ }],
	['AE', 'United Arab Emirates', '971', '0', 8, 9, 'Asia/Dubai', { mobile: /^5\d{8}$/, services: /^[6-9]00/ }],
	['GB', 'United Kingdom', '44', '0', 9, 10, 'Europe/London', { mobile: /^7\d{9}$/, services: /^(70|8[047]|9)/ }],
	['US', 'United States', '1', '1', 10, 10, AMERICAN, { mobile: NORTH_AMERICAN, plan: NORTH_AMERICAN, services: /^900/, exitCode: '011' }],
	['VN', 'Viet Nam', '84', '0', 9, 10, 'Asia/Ho_Chi_Minh', { mobile: /^[35789]\d{8}$/, services: /^1[89]00/ }],
	['WF', 'Wallis and Futuna', '681', '', 6, 6, 'Pacific/Wallis'],
];

/** The countries whose national numbers are understood, by name; France with its overseas numbers. */
export const COUNTRIES: readonly Country[] = ROWS.map(
	([code, name, callingCode, trunkPrefix, fewest, most, timeZones, peculiarities]) => ({
		...{ code, name, callingCode, trunkPrefix, timeZones },
		length: [fewest, most],
		...peculiarities,
	}),
);

/** The country of a credential that names none. */
export const DEFAULT_COUNTRY = 'FR';

/** The country of an ISO 3166-1 alpha-2 code, in any case. */
export function findCountry(code: string): Country | undefined {
	const wanted = code.trim().toUpperCase();
	return COUNTRIES.find((country) => country.code === wanted);
}

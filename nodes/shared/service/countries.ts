/** How a country writes its phone numbers. */
export interface Country {
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
	 * Mobile numbers without the trunk prefix, where they have one length: digits that look like this
	 * are a number that lost its zero, not one without its country code.
	 */
	mobile?: RegExp;
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
	mobile?: RegExp,
	exitCode?: string,
];

/**
 * From the national numbering plans as their regulators publish them through the ITU (E.164). Left out
 * are countries in which a number can't be told from the code for calls abroad, such as 001.
 */
const ROWS: readonly Row[] = [
	['AL', 'Albania', '355', '0', 8, 9, /^6[6-9]\d{7}$/],
	['DZ', 'Algeria', '213', '0', 8, 9, /^[5-7]\d{8}$/],
	['AD', 'Andorra', '376', '', 6, 9],
	['AU', 'Australia', '61', '0', 9, 9, /^4\d{8}$/, '0011'],
	['AT', 'Austria', '43', '0', 4, 13],
	['BH', 'Bahrain', '973', '', 8, 8],
	['BE', 'Belgium', '32', '0', 8, 9, /^4[5-9]\d{7}$/],
	['BJ', 'Benin', '229', '', 10, 10, /^01\d{8}$/],
	['BA', 'Bosnia and Herzegovina', '387', '0', 8, 9],
	['BG', 'Bulgaria', '359', '0', 7, 9, /^8[7-9]\d{7}$/],
	['BF', 'Burkina Faso', '226', '', 8, 8],
	['BI', 'Burundi', '257', '', 8, 8],
	['CM', 'Cameroon', '237', '', 9, 9],
	['CA', 'Canada', '1', '1', 10, 10, /^[2-9]\d{2}[2-9]\d{6}$/, '011'],
	['CF', 'Central African Republic', '236', '', 8, 8],
	['TD', 'Chad', '235', '', 8, 8],
	['CL', 'Chile', '56', '', 9, 9],
	['KM', 'Comoros', '269', '', 7, 7],
	['CG', 'Congo', '242', '', 9, 9, /^0[1456]\d{7}$/],
	['CD', 'Congo (Democratic Republic)', '243', '0', 9, 9, /^[89]\d{8}$/],
	['CI', "Côte d'Ivoire", '225', '', 10, 10, /^0[157]\d{8}$/],
	['HR', 'Croatia', '385', '0', 8, 9],
	['CY', 'Cyprus', '357', '', 8, 8],
	['CZ', 'Czechia', '420', '', 9, 9],
	['DK', 'Denmark', '45', '', 8, 8],
	['DJ', 'Djibouti', '253', '', 8, 8],
	['EG', 'Egypt', '20', '0', 8, 10, /^1[0125]\d{8}$/],
	['EE', 'Estonia', '372', '', 7, 8],
	['FI', 'Finland', '358', '0', 5, 12],
	['FR', 'France', '33', '0', 9, 9, /^[67]\d{8}$/],
	['PF', 'French Polynesia', '689', '', 6, 8],
	['GA', 'Gabon', '241', '0', 7, 8],
	['DE', 'Germany', '49', '0', 5, 13, /^1[5-7]\d{8}$/],
	['GH', 'Ghana', '233', '0', 9, 9],
	['GR', 'Greece', '30', '', 10, 10],
	['GN', 'Guinea', '224', '', 9, 9],
	['HT', 'Haiti', '509', '', 8, 8],
	['HU', 'Hungary', '36', '06', 8, 9, /^[2357]0\d{7}$/],
	['IS', 'Iceland', '354', '', 7, 9],
	['IN', 'India', '91', '0', 10, 10, /^[6-9]\d{9}$/],
	['IE', 'Ireland', '353', '0', 7, 9, /^8[3-9]\d{7}$/],
	['IL', 'Israel', '972', '0', 8, 9, /^5\d{8}$/],
	['IT', 'Italy', '39', '', 6, 11],
	['JO', 'Jordan', '962', '0', 8, 9, /^7[7-9]\d{7}$/],
	['KE', 'Kenya', '254', '0', 9, 9],
	['XK', 'Kosovo', '383', '0', 8, 9],
	['KW', 'Kuwait', '965', '', 8, 8],
	['LV', 'Latvia', '371', '', 8, 8],
	['LB', 'Lebanon', '961', '0', 7, 8],
	['LI', 'Liechtenstein', '423', '', 7, 9],
	['LT', 'Lithuania', '370', '0', 8, 8, /^6\d{7}$/],
	['LU', 'Luxembourg', '352', '', 4, 11],
	['MG', 'Madagascar', '261', '0', 9, 9, /^3\d{8}$/],
	['ML', 'Mali', '223', '', 8, 8],
	['MT', 'Malta', '356', '', 8, 8],
	['MR', 'Mauritania', '222', '', 8, 8],
	['MU', 'Mauritius', '230', '', 7, 8],
	['MX', 'Mexico', '52', '', 10, 10],
	['MD', 'Moldova', '373', '0', 8, 8],
	['MC', 'Monaco', '377', '0', 8, 9, /^6\d{8}$/],
	['ME', 'Montenegro', '382', '0', 8, 9],
	['MA', 'Morocco', '212', '0', 9, 9, /^[67]\d{8}$/],
	['NL', 'Netherlands', '31', '0', 9, 9, /^6\d{8}$/],
	['NC', 'New Caledonia', '687', '', 6, 6],
	['NZ', 'New Zealand', '64', '0', 8, 10],
	['NE', 'Niger', '227', '', 8, 8],
	['NG', 'Nigeria', '234', '0', 10, 10],
	['MK', 'North Macedonia', '389', '0', 8, 8, /^7\d{7}$/],
	['NO', 'Norway', '47', '', 8, 8],
	['OM', 'Oman', '968', '', 8, 8],
	['PE', 'Peru', '51', '0', 8, 9],
	['PH', 'Philippines', '63', '0', 8, 10, /^9\d{9}$/],
	['PL', 'Poland', '48', '', 9, 9],
	['PT', 'Portugal', '351', '', 9, 9],
	['QA', 'Qatar', '974', '', 8, 8],
	['RO', 'Romania', '40', '0', 9, 9, /^7\d{8}$/],
	['RW', 'Rwanda', '250', '0', 9, 9],
	['SM', 'San Marino', '378', '', 6, 10],
	['SA', 'Saudi Arabia', '966', '0', 9, 9, /^5\d{8}$/],
	['SN', 'Senegal', '221', '', 9, 9],
	['RS', 'Serbia', '381', '0', 8, 10],
	['SK', 'Slovakia', '421', '0', 9, 9, /^9\d{8}$/],
	['SI', 'Slovenia', '386', '0', 8, 8],
	['ZA', 'South Africa', '27', '0', 9, 9, /^[6-8]\d{8}$/],
	['ES', 'Spain', '34', '', 9, 9],
	['SE', 'Sweden', '46', '0', 7, 10, /^7[02369]\d{7}$/],
	['CH', 'Switzerland', '41', '0', 9, 9, /^7[5-9]\d{7}$/],
	['TG', 'Togo', '228', '', 8, 8],
	['TN', 'Tunisia', '216', '', 8, 8],
	['TR', 'Türkiye', '90', '0', 10, 10, /^5\d{9}$/],
	['UA', 'Ukraine', '380', '0', 9, 9],
	['AE', 'United Arab Emirates', '971', '0', 8, 9, /^5\d{8}$/],
	['GB', 'United Kingdom', '44', '0', 9, 10, /^7\d{9}$/],
	['US', 'United States', '1', '1', 10, 10, /^[2-9]\d{2}[2-9]\d{6}$/, '011'],
	['VN', 'Viet Nam', '84', '0', 9, 10, /^[35789]\d{8}$/],
	['WF', 'Wallis and Futuna', '681', '', 6, 6],
];

/** The countries whose national numbers are understood, by name; France with its overseas numbers. */
export const COUNTRIES: readonly Country[] = ROWS.map(
	([code, name, callingCode, trunkPrefix, fewest, most, mobile, exitCode]) => ({
		code,
		name,
		callingCode,
		trunkPrefix,
		length: [fewest, most],
		...(mobile && { mobile }),
		...(exitCode !== undefined && { exitCode }),
	}),
);

/** The country of a credential that names none. */
export const DEFAULT_COUNTRY = 'FR';

/** The country of an ISO 3166-1 alpha-2 code, in any case. */
export function findCountry(code: string): Country | undefined {
	const wanted = code.trim().toUpperCase();
	return COUNTRIES.find((country) => country.code === wanted);
}

/** Whose clocks count: the time zones of a number. The oracle is the CLDR, which Node.js has. */
import { describe, expect, test } from 'vitest';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { zonesOf } from '../../../nodes/shared/service/timeZones.ts';

/** A number of each country. */
function numberOf(code: string, callingCode: string): string {
	if (code === 'US') return '+12125550123';
	return code === 'CA' ? '+14165550123' : `+${callingCode}612345678`;
}

/** Node.js has the second form from version 22 on; TypeScript knows neither. */
interface Region extends Intl.Locale {
	timeZones?: string[];
	getTimeZones?: () => string[];
}
function zonesOfRegion(code: string): string[] {
	const region: Region = new Intl.Locale(`und-${code}`);
	return region.getTimeZones?.() ?? region.timeZones ?? [];
}

/** The offsets of a zone in the next two years, every few days. */
function clocksOf(timeZone: string): string {
	const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
	const from = Date.now();
	const moments = Array.from({ length: 180 }, (_, index) => from + index * 4 * 86_400_000);
	return moments
		.map((moment) => format.formatToParts(moment).find(({ type }) => type === 'timeZoneName'))
		.map((part) => part?.value)
		.join();
}
/**
 * Territories with numbers of a country on the list, and time zones of their own (ITU-T E.164; libphonenumber's regions by
 * calling code). Northern Cyprus has +90 392 and mobile numbers of +90 5.
 */
const SHARING: Readonly<Record<string, string[]>> = {
	AU: ['CC', 'CX'],
	FI: ['AX'],
	GB: ['GG', 'IM', 'JE'],
	IT: ['VA'],
	MA: ['EH'],
	NO: ['SJ'],
};
const northernCyprus = { TR: ['Asia/Famagusta'] } as Readonly<Record<string, string[]>>;

const clocks = (zones: readonly string[]) => new Set(zones.map(clocksOf));

test.each(COUNTRIES.map(({ code, name, callingCode }) => [name, code, callingCode] as const))(
	'%s: all its clocks, and no others',
	(_, code, callingCode) => {
		const zones = zonesOf(numberOf(code, callingCode));
		const known = [code, ...(SHARING[code] ?? [])]
			.flatMap(zonesOfRegion)
			.concat(northernCyprus[code] ?? [])
			// Its numbers there are Russian ones.
			.filter((zone) => zone !== 'Europe/Simferopol');
		// The CLDR has none for Kosovo.
		expect(clocks(zones!)).toEqual(clocks(code === 'XK' ? ['Europe/Belgrade'] : known));
	},
);

describe('numbers of France', () => {
	test.each<[number: string, zones: string[]]>([
		['+33639981234', ['Europe/Paris']],
		['+262692123456', ['Indian/Reunion']],
		['+262693123456', ['Indian/Reunion']],
		['+262639012345', ['Indian/Mayotte']],
		['+262269612345', ['Indian/Mayotte']],
		['+262709212345', ['Indian/Reunion', 'Indian/Mayotte']],
		['+590690123456', ['America/Guadeloupe']],
		['+594694123456', ['America/Cayenne']],
		['+596696123456', ['America/Martinique']],
		['+508551234', ['America/Miquelon']],
		['+687751234', ['Pacific/Noumea']],
		['+689871234', ['Pacific/Tahiti', 'Pacific/Marquesas', 'Pacific/Gambier']],
		['+681821234', ['Pacific/Wallis']],
	])('%s', (number, zones) => expect(zonesOf(number)).toEqual(zones));
});

test.each(['+79161234567', '+18765550123', '+819012345678', '0639981234', ''])(
	'none is known for %j',
	(number) => expect(zonesOf(number)).toBeUndefined(),
);

test.each(['+61891621234', '+61891641234', '+61412345678'])(
	'%s may be on the Christmas or Cocos Islands',
	(number) =>
		expect(zonesOf(number)).toEqual(
			expect.arrayContaining(['Indian/Christmas', 'Indian/Cocos', 'Australia/Perth']),
		),
);

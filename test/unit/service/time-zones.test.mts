/** Whose clocks count: the time zones of a number. The oracle is the CLDR, which Node.js has. */
import { getExampleNumber, type CountryCode } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import { COUNTRIES } from '../../../nodes/shared/service/countries.ts';
import { zonesOf } from '../../../nodes/shared/service/timeZones.ts';

const numberOf = (country: CountryCode) => getExampleNumber(country, examples)!.number;

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
 * Territories that have the same mobile numbers, and time zones of their own (ITU-T E.164; libphonenumber's regions by
 * calling code). Northern Cyprus has mobile numbers of +90 5.
 */
const SHARING = ['AU CC CX', 'FI AX', 'GP BL MF', 'IT VA', 'MA EH', 'NO SJ'].map((codes) =>
	codes.split(' '),
);
const OTHERS: Readonly<Record<string, string[]>> = {
	...{ TR: ['Asia/Istanbul', 'Asia/Famagusta'], XK: ['Europe/Belgrade'] },
	...{ AC: ['Atlantic/St_Helena'], TA: ['Atlantic/St_Helena'], UA: ['Europe/Kyiv'] },
};

const clocks = (zones: readonly string[]) => new Set(zones.map(clocksOf));

test.each(COUNTRIES.map(({ code, name }) => [name, code as CountryCode] as const))(
	'%s: all its clocks, and no others',
	(_, code) => {
		const group = SHARING.find((codes) => codes.includes(code)) ?? [code];
		const known = OTHERS[code] ?? group.flatMap(zonesOfRegion);
		const zones = zonesOf(numberOf(code))!;
		expect(clocks(zones)).toEqual(clocks(known));
		expect(zones).toHaveLength(clocks(zones).size);
	},
);

describe('numbers of France', () => {
	test.each<[number: string, zones: string[]]>([
		['+33639981234', ['Europe/Paris']],
		['+262692123456', ['Indian/Reunion']],
		['+262693123456', ['Indian/Reunion']],
		['+262639012345', ['Indian/Mayotte']],
		['+262269612345', ['Indian/Mayotte']],
		['+262709212345', ['Indian/Reunion']],
		['+262709391234', ['Indian/Mayotte', 'Indian/Reunion']],
		['+590690123456', ['America/Guadeloupe']],
		['+594694123456', ['America/Cayenne']],
		['+596696123456', ['America/Martinique']],
		['+508551234', ['America/Miquelon']],
		['+687751234', ['Pacific/Noumea']],
		['+68987123456', ['Pacific/Tahiti', 'Pacific/Marquesas', 'Pacific/Gambier']],
		['+681821234', ['Pacific/Wallis']],
	])('%s', (number, zones) => expect(zonesOf(number)?.toSorted()).toEqual(zones.toSorted()));
});

test.each(['+881612345678', '+18765550', '0639981234', ''])('none is known for %j', (number) =>
	expect(zonesOf(number)).toBeUndefined(),
);

test.each<[number: string, zones: string[]]>([
	['+61412345678', ['Indian/Christmas', 'Indian/Cocos', 'Australia/Perth']],
	['+61891621234', ['Indian/Cocos']],
	['+61891641234', ['Indian/Christmas']],
	['+18765550123', ['America/Jamaica']],
	['+819012345678', ['Asia/Tokyo']],
	['+79161234567', ['Europe/Kaliningrad', 'Europe/Moscow', 'Asia/Vladivostok']],
])('%s may be in %j', (number, zones) =>
	expect(clocks(zonesOf(number)!)).toEqual(clocks([...zonesOf(number)!, ...zones])),
);

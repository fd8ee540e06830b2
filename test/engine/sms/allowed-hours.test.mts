/** Allowed Hours: a message at another time is kept by the service until then, or refused, by the clocks of the workflow or the recipient. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { KEY } from '../delivery/answers.mts';
import { SENDING, tries } from '../delivery/sending.mts';
import { reached, sim } from '../delivery/service.mts';
import { hintOf, jsonOf, statuses, textOf } from '../delivery/support.mts';
import { runNode } from '../harness.mts';
import { dates, hours, sending, WEEK } from './hours.mts';

const WORKDAYS = WEEK.slice(0, 5);
const recipients = (more: IDataObject = {}) => hours({ ...more, timeZone: 'recipient' });

const PARIS = '+33639981234';
const GUADELOUPE = '+590690123456';
const REUNION = '+262692123456';
const MAYOTTE = '+262639012345';
const EITHER_ISLAND = '+262709391234';
const GUYANE = '+594694123456';
const MARTINIQUE = '+596696123456';
const MIQUELON = '+508551234';
const NOUMEA = '+687751234';
const POLYNESIA = '+68987123456';
const LONDON = '+447400123456';
const NEW_YORK = '+12125550123';
const TORONTO = '+14165550123';

type Leaves = Record<string, string>;

// In Paris it is one hour later than in UTC in winter, two in summer. 15 January 2026 is a Thursday.
const ROWS: Array<[what: string, moment: string, more: IDataObject, leaves: Leaves]> = [
	[
		'an evening in Paris',
		'2026-01-15T19:30:20Z',
		{},
		{
			[PARIS]: '2026-01-16T07:00',
			[GUADELOUPE]: 'now',
			[MARTINIQUE]: 'now',
			[GUYANE]: 'now',
			[MIQUELON]: 'now',
			[REUNION]: '2026-01-16T04:00',
			[MAYOTTE]: '2026-01-16T05:00',
			[NOUMEA]: '2026-01-15T21:00',
			[POLYNESIA]: 'now',
			[LONDON]: 'now',
			'06 39 98 12 34': '2026-01-16T07:00',
			'0690 12 34 56': 'now',
		},
	],
	[
		'one clock, or two, in the Indian Ocean',
		'2026-01-15T16:30:00Z',
		{},
		{ [REUNION]: '2026-01-16T04:00', [MAYOTTE]: 'now', [EITHER_ISLAND]: '2026-01-16T05:00' },
	],
	[
		'the United States in winter, from New York to Hawaii',
		'2026-01-15T15:00:00Z',
		{},
		{ [NEW_YORK]: '2026-01-15T18:00', [TORONTO]: '2026-01-15T16:00' },
	],
	['the same in summer', '2026-07-15T17:00:00Z', {}, { [NEW_YORK]: '2026-07-15T18:00' }],
	[
		'clocks go forward in Saint-Pierre-et-Miquelon, and nowhere else overseas',
		'2026-03-08T04:30:00Z',
		{},
		{ [MIQUELON]: '2026-03-08T10:00', [GUADELOUPE]: '2026-03-08T12:00' },
	],
	[
		'hours across midnight',
		'2026-01-15T12:00:00Z',
		{ from: '22:00', to: '06:00' },
		{ [PARIS]: '2026-01-15T21:00', [GUADELOUPE]: '2026-01-16T02:00', [NOUMEA]: 'now' },
	],
	[
		'a weekend that begins earlier in the Pacific',
		'2026-01-16T10:00:00Z',
		{ days: WORKDAYS },
		{ [PARIS]: 'now', [NOUMEA]: '2026-01-18T21:00', [POLYNESIA]: '2026-01-16T18:00' },
	],
	[
		'a public holiday of France, by the calendar of the recipient',
		'2026-07-13T21:30:00Z',
		{ holidays: true, from: '06:00' },
		{ [GUADELOUPE]: 'now', [NOUMEA]: '2026-07-14T19:00', [PARIS]: '2026-07-15T04:00' },
	],
];

describe.each(ROWS)('%s', (_, moment, more, leaves) => {
	test('each in one batch', async () => {
		setClock(moment);
		const options = { ...recipients(more), skipDuplicates: false };
		const result = await runNode(sending(Object.keys(leaves), 'sendBatch', options));
		const expected = Object.values(leaves);
		expect(dates()).toEqual(expected);
		const told = jsonOf(result).map(({ scheduledFor }) =>
			scheduledFor === undefined ? 'now' : new Date(String(scheduledFor)).toISOString(),
		);
		expect(told.map((when) => when.slice(0, 16))).toEqual(expected);
		expect(statuses(result)).toEqual(
			expected.map((when) => (when === 'now' ? 'sent' : 'scheduled')),
		);
		const later = expected.filter((when) => when !== 'now').length;
		const scheduled = jsonOf(result).filter(({ status }) => status === 'scheduled');
		const [first] = scheduled.map(({ number }) => String(number));
		expect(hintOf(result).includes("'Allowed Hours'")).toBe(later > 0);
		if (later === 0) return;
		const moments = expected.filter((when) => when !== 'now').sort();
		const time = new Intl.DateTimeFormat('en-GB', {
			timeZone: 'Europe/Paris',
			timeStyle: 'short',
		});
		const at = time.format(new Date(`${moments[0]}Z`));
		const which = new Set(moments).size > 1 ? ', the first to' : ' to';
		const putOff = `'Allowed Hours' put off ${later} message${later === 1 ? '' : 's'}${which}`;
		const [, date] = hintOf(result).split(putOff);
		expect(date).toMatch(new RegExp(`^ \\d+ [\\w ]+, ${at} \\(Europe/Paris\\): \\${first}`));
	});

	// The URL form has no date.
	const otherwise = { send: 'refuse', sendByUrl: 'schedule' };
	test.each(Object.entries(leaves))('%s, refused unless now: %s', async (to, when) => {
		setClock(moment);
		for (const operation of ['send', 'sendByUrl'] as const) {
			sim.reset();
			const set = recipients({ ...more, otherwise: otherwise[operation] });
			const { error } = await runNode(sending([to], operation, set));
			expect(sim.requests).toHaveLength(when === 'now' ? 1 : 0);
			if (when === 'now') expect(error).toBeUndefined();
			else expect(error?.message).toContain("'Allowed Hours'");
		}
	});
});

test.each(['workflow', undefined])("the workflow's own hours with %s", async (timeZone) => {
	setClock('2026-01-15T19:30:00Z');
	const options = hours(timeZone === undefined ? {} : { timeZone });
	await runNode(sending([PARIS, GUADELOUPE, NEW_YORK, '+819012345678'], 'sendBatch', options));
	expect(dates()).toEqual(Array.from({ length: 4 }, () => '2026-01-16T07:00'));
});

test('Send At stays in the time zone of the workflow, and is put off to the hours of the recipient', async () => {
	setClock('2026-01-15T09:00:00Z');
	const date = '2026-01-16T19:30:00';
	await runNode(sending([PARIS, REUNION], 'send', { ...recipients(), date }));
	expect(dates()).toEqual(['2026-01-16T18:30', '2026-01-17T04:00']);
});

test('a dry run says for when a message would be scheduled', async () => {
	setClock('2026-01-15T19:30:00Z');
	const dry = await runNode(sending([PARIS], 'sendBatch', { ...hours(), dryRun: true }));
	const scheduledFor = '2026-01-16T08:00:00.000+01:00';
	expect(jsonOf(dry)).toMatchObject([{ status: 'wouldSend', scheduledFor }]);
	expect(dates()).toEqual([]);
});

test.each(SENDING)('%s: hours are judged when a message leaves', async (operation) => {
	const moveOn = setClock('2026-01-15T18:30:00Z');
	// An hour passes while the first message is being sent.
	const match = () => (moveOn(3_600_000), true);
	sim.faults.add({ path: /send$/, match, do: { kind: 'delay', ms: 0 } });
	const options = { ...hours({ otherwise: 'refuse' }), concurrency: 1 };
	const result = await runNode(sending([PARIS, REUNION, LONDON], operation, options));
	expect(reached()).toEqual([PARIS]);
	if (operation === 'sendBatch') {
		expect(statuses(result)).toEqual(['sent', 'notSent', 'notSent']);
		return expect(result.items[1].json.reason).toContain("'Allowed Hours'");
	}
	expect(result.error?.message).toBe('1 of 3 sent, 2 not sent');
	expect(textOf(result)).toContain("'Allowed Hours'");
});

describe('refused before anything is sent', () => {
	const NOWHERE = ['+881612345678', '+8835100012345'];

	test.each(['schedule', 'refuse'])(
		'hours that never hold in all zones: %s',
		async (otherwise) => {
			setClock('2026-01-15T09:00:00Z');
			const short = recipients({ from: '09:00', to: '12:00', otherwise });
			const { error } = await runNode(sending([PARIS, NEW_YORK], 'send', short));
			expect(error?.message).toContain('never overlap');
			expect(error?.description).toMatch(/Pacific\/Honolulu.*'Time Zone' of 'Allowed Hours'/);
			expect(error?.context.itemIndex).toBe(1);
			expect(sim.requests).toEqual([]);
		},
	);

	test.each(NOWHERE)('%s, of which the time zone is not known', async (to) => {
		const { error } = await runNode({
			...sending([PARIS, to], 'send', recipients()),
			credential: {
				...{ baseUrl: sim.baseUrl, apiKey: KEY },
				allowedCountries: ['FR', 'SATELLITE'],
			},
		});
		expect(error?.message).toBe(`The time zone of "${to}" is not known`);
		expect(error?.description).toContain("'Time Zone' of 'Allowed Hours'");
		expect(sim.requests).toEqual([]);
	});

	test.each([['Paris'], [null], [1]])('a time zone that is %j', async (timeZone) => {
		const { error } = await runNode(sending([PARIS], 'send', hours({ timeZone })));
		expect(error?.message).toContain("'Time Zone'");
		expect(sim.requests).toEqual([]);
	});
});

test('what was accepted keeps its receipt when the time zone is corrected', async () => {
	setClock('2026-01-15T09:00:00Z');
	sim.faults.add({ skip: 1, do: { kind: 'status', status: 400 } });
	const japan = '+819012345678';
	const { parameters } = sending([], 'send', recipients());
	const [failed, retried] = await tries(sending([japan, PARIS], 'send', hours()), { parameters });
	expect(failed.error?.context.itemIndex).toBe(1);
	expect(retried.error).toBeUndefined();
	expect(jsonOf(retried).map(({ number }) => number)).toEqual([japan, PARIS]);
	expect(statuses(retried)).toEqual(['sent', 'sent']);
	expect(reached()).toEqual([japan, PARIS]);
});

describe("hours that are read on other clocks than the recipient's", () => {
	const hintFor = async (to: string, settings: IDataObject, timeZone = 'America/New_York') => {
		setClock('2026-01-15T15:00:00Z');
		return hintOf(await runNode({ ...sending([to], 'send', settings), timeZone }));
	};

	test('are told with both', async () => {
		expect(await hintFor(PARIS, hours())).toContain(
			`'Allowed Hours' are in the workflow's time zone: 08:00 in America/New_York is 14:00 in Europe/Paris (${PARIS}). Change it in the workflow's Settings, or set 'Time Zone' of 'Allowed Hours' to Recipient's.`,
		);
	});

	test("are told of 'Send At', too, unless it has an offset", async () => {
		const at = async (date: string) => await hintFor(PARIS, { date });
		expect(await at('2026-12-24T22:30:00')).toContain(
			`'Send At' is in the workflow's time zone: 22:30 in America/New_York is 04:30 in Europe/Paris (${PARIS}). Change it in the workflow's Settings, or write the offset behind the time`,
		);
		expect(await at('2026-12-24T22:30:00+01:00')).not.toContain('time zone');
	});

	test('are told of the next day, too', async () => {
		const late = hours({ from: '20:00', to: '23:00', otherwise: 'schedule' });
		expect(await hintFor(PARIS, late)).toContain('20:00 in America/New_York is 02:00 in');
	});

	test.each([
		['the same clock', PARIS, hours(), 'Europe/Berlin'],
		['a country with several, one of them the same', TORONTO, hours(), 'America/New_York'],
		["the recipient's", PARIS, recipients(), 'America/New_York'],
		['no hours', PARIS, {}, 'America/New_York'],
	])('are not: %s', async (_, to, settings, timeZone) => {
		expect(await hintFor(to, settings, timeZone)).not.toContain('time zone');
	});
});

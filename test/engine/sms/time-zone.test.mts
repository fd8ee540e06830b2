/** Allowed Hours in the time zone of the recipient, with a clock that is set. */
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { setClock, useSimulator } from '../../harness/fixtures.mts';
import { deduplicationStore, retryExecution, runNode } from '../harness.mts';
import { hurry, jsonOf, smsRun } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => deduplicationStore.clear());

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const WORKDAYS = WEEK.slice(0, 5);
const hours = (more: IDataObject = {}): IDataObject => ({
	allowedHours: { hours: { from: '08:00', to: '20:00', days: WEEK, holidays: false, ...more } },
});
const recipients = (more: IDataObject = {}) => hours({ ...more, timeZone: 'recipient' });

const sending = (numbers: string[], options: IDataObject, operation = 'send') =>
	smsRun(
		sim,
		numbers.map((to) => ({ to })),
		{ operation, options },
		{ timeZone: 'Europe/Paris' },
	);
const dates = () =>
	sim
		.requestsTo('POST', /send$/)
		.map(({ bodyText }) => (JSON.parse(bodyText) as { date?: number }).date)
		.map((date) => (date === undefined ? 'now' : new Date(date).toISOString().slice(0, 16)));

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
		'three clocks in French Polynesia',
		'2026-01-15T17:30:00Z',
		{},
		{ [POLYNESIA]: '2026-01-15T18:00' },
	],
	[
		'the United States in winter, from New York to Hawaii',
		'2026-01-15T15:00:00Z',
		{},
		{ [NEW_YORK]: '2026-01-15T18:00', [TORONTO]: '2026-01-15T16:00' },
	],
	[
		'its evening begins in New York',
		'2026-01-16T01:00:00Z',
		{},
		{ [NEW_YORK]: '2026-01-16T18:00' },
	],
	['a minute before', '2026-01-16T00:59:00Z', {}, { [NEW_YORK]: 'now' }],
	['the same in summer', '2026-07-15T17:00:00Z', {}, { [NEW_YORK]: '2026-07-15T18:00' }],
	[
		'clocks go forward in Europe',
		'2026-03-28T20:30:00Z',
		{},
		{
			[LONDON]: '2026-03-29T07:00',
			[PARIS]: '2026-03-29T06:00',
			[REUNION]: '2026-03-29T04:00',
		},
	],
	[
		'clocks go back in Europe',
		'2026-10-24T20:30:00Z',
		{},
		{
			[LONDON]: '2026-10-25T08:00',
			[PARIS]: '2026-10-25T07:00',
			[REUNION]: '2026-10-25T04:00',
		},
	],
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
		const options = { ...recipients(more), concurrency: 1, skipDuplicates: false };
		const { items } = await runNode(sending(Object.keys(leaves), options, 'sendBatch'));
		expect(dates()).toEqual(Object.values(leaves));
		expect(jsonOf(items).map(({ status }) => status)).toEqual(
			Object.values(leaves).map((when) => (when === 'now' ? 'sent' : 'scheduled')),
		);
	});

	test.each(Object.entries(leaves))(
		'%s refused unless now, with Refuse: %s',
		async (to, when) => {
			setClock(moment);
			for (const operation of ['send', 'sendByUrl']) {
				sim.reset();
				const { error } = await runNode(
					sending([to], recipients({ ...more, otherwise: 'refuse' }), operation),
				);
				expect(sim.requests).toHaveLength(when === 'now' ? 1 : 0);
				if (when === 'now') expect(error).toBeUndefined();
				else expect(error?.message).toContain("'Allowed Hours'");
			}
		},
	);
});

test.each(['workflow', undefined])("the workflow's own hours with %s", async (timeZone) => {
	setClock('2026-01-15T19:30:00Z');
	const options = hours(timeZone === undefined ? {} : { timeZone });
	await runNode(sending([PARIS, GUADELOUPE, NEW_YORK, '+819012345678'], options, 'sendBatch'));
	expect(dates()).toEqual(Array.from({ length: 4 }, () => '2026-01-16T07:00'));
});

test('Send At stays in the time zone of the workflow, and is put off to the hours of the recipient', async () => {
	setClock('2026-01-15T09:00:00Z');
	const date = '2026-01-16T19:30:00';
	await runNode(sending([PARIS, REUNION], { ...recipients(), date, concurrency: 1 }));
	expect(dates()).toEqual(['2026-01-16T18:30', '2026-01-17T04:00']);
});

describe('refused before anything is sent', () => {
	test.each(['schedule', 'refuse'])(
		'hours that never hold in all time zones, with %s',
		async (otherwise) => {
			setClock('2026-01-15T09:00:00Z');
			const short = recipients({ from: '09:00', to: '12:00', otherwise });
			const { error } = await runNode(sending([PARIS, NEW_YORK], short));
			expect(error?.message).toContain('never overlap');
			expect(error?.description).toContain('Pacific/Honolulu');
			expect(error?.description).toMatch(
				/Choose longer hours .*'Time Zone' of 'Allowed Hours'/,
			);
			expect(error?.context.itemIndex).toBe(1);
			expect(sim.requests).toEqual([]);
		},
	);

	test.each(['+881612345678', '+8835100012345'])(
		'a number of which the time zone is not known: %s',
		async (to) => {
			const allowedCountries = ['FR', 'SATELLITE'];
			const { error } = await runNode({
				...sending([PARIS, to], recipients()),
				credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey, allowedCountries },
			});
			expect(error?.message).toBe(`The time zone of "${to}" is not known`);
			expect(error?.description).toContain("'Time Zone' of 'Allowed Hours'");
			expect(sim.requests).toEqual([]);
		},
	);

	test.each([['Paris'], [null], [1]])('a time zone that is %j', async (timeZone) => {
		const { error } = await runNode(sending([PARIS], hours({ timeZone })));
		expect(error?.message).toContain("'Time Zone'");
		expect(sim.requests).toEqual([]);
	});
});

test('what was accepted keeps its receipt when the time zone is corrected', async () => {
	setClock('2026-01-15T09:00:00Z');
	sim.faults.add({ skip: 1, do: { kind: 'status', status: 400 } });
	const japan = '+819012345678';
	const first = sending([japan, PARIS], { ...hours(), concurrency: 1 });
	const failed = await runNode(first);
	expect(failed.error?.context.itemIndex).toBe(1);
	const { parameters } = sending([], { ...recipients(), concurrency: 1 });
	const retried = await retryExecution(failed, first, { parameters });
	expect(retried.error).toBeUndefined();
	expect(jsonOf(retried.items).map(({ number, status }) => [number, status])).toEqual([
		[japan, 'sent'],
		[PARIS, 'sent'],
	]);
	expect(sim.messages.map(({ number }) => number)).toEqual([japan, PARIS]);
});

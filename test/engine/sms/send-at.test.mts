/** Send At: moments that are now, and hints about dates that may be meant otherwise. What an agent hears is in tool.test.mts. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { people, sms } from '../delivery/sending.mts';
import { SEND, sim } from '../delivery/service.mts';
import { hintOf, statuses } from '../delivery/support.mts';
import { runNode, succeeded } from '../harness.mts';
import { asked } from './hours.mts';

const dates = () => asked().map(({ date }) => date);
const sending = async (date: string, items = people(1), settings: IDataObject = {}) =>
	await runNode(sms('send', items, { date, ...settings }));

describe('now', () => {
	test.each([
		'={{ $now }}',
		'={{ $now.toISO() }}',
		'={{ $json.at ?? $now }}',
		'={{ $now.minus({ seconds: 50 }) }}',
		'={{ new Date() }}',
		'={{ Date.now() }}',
	])('%s is sent at once, without a date', async (date) => {
		const result = await sending(date, people(2));
		expect(statuses(result)).toEqual(['sent', 'sent']);
		expect(dates()).toEqual([undefined, undefined]);
	});

	test('where there is no date, as in a cell that was left empty, the message goes at once: told', async () => {
		const dated = ['2030-12-24T09:30', ''];
		const rows = people(2).map((row, index) => ({ ...row, at: dated[index] }));
		const [first, second] = people(2).map(({ to }) => String(to));
		expect(hintOf(await sending('', rows))).toContain(`means at once: ${first}, ${second}.`);
		const result = await sending('={{ $json.at }}', rows);
		expect(hintOf(result)).toContain(`at once: ${second}.`);
		// Nobody may overlook it.
		expect(result.hints?.[0].type).toBe('warning');
		expect(dates()).toEqual([undefined, undefined, Date.UTC(2030, 11, 24, 8, 30), undefined]);
	});

	test('stays now, however long the messages before it take', async () => {
		const moveOn = setClock('2030-01-15T09:00:00Z');
		// Each message takes five minutes.
		const match = () => {
			moveOn(300_000);
			return false;
		};
		sim.faults.add({ path: SEND, match, do: { kind: 'cutBody' } });
		expect((await sending('={{ $now }}', people(2))).error).toBeUndefined();
		expect(dates()).toEqual([undefined, undefined]);
	});

	test('tells no two messages apart', async () => {
		const same = [...people(1), ...people(1)];
		const result = await sending('={{ $now }}', same, { skipDuplicates: true });
		expect(statuses(result)).toEqual(['sent', 'skipped']);
	});

	test('earlier is past', async () => {
		const { error } = await sending('={{ $now.minus({ seconds: 70 }) }}');
		expect(error?.message).toContain('is in the past');
		expect(sim.requests).toEqual([]);
	});
});

describe('hints', () => {
	const told = async (date: string, settings: IDataObject = {}) => {
		const result = succeeded(await sending(date, people(1), settings));
		return hintOf(result);
	};

	test('a day without a time is midnight', async () => {
		expect(await told('2030-12-24')).toContain('is midnight: 2030-12-24 (+336');
		expect(dates()).toEqual([Date.UTC(2030, 11, 23, 23)]);
		expect(await told('2030-12-24T00:00')).not.toContain('midnight');
		expect(await told('2030-12-24 09:30')).not.toContain('midnight');
	});

	test.each(['2030-12-24', '2031-05-05', '2031-05-06'])(
		'the day comes before the month, on %s',
		async (day) => {
			setClock(`${day}T09:00:00Z`);
			const hint = await told('05/06/2031 09:30');
			expect(hint).toContain('day before the month: 05/06/2031 09:30 (+336');
			expect(dates()).toEqual([Date.UTC(2031, 5, 5, 7, 30)]);
			expect(await told('24/06/2031 09:30')).not.toContain('the month');
		},
	);

	test('read in a format that it does not have, it is refused, and the advice says so', async () => {
		const date = "={{ DateTime.fromFormat($json.at, 'MM/dd/yyyy') }}";
		const { error } = await sending(date, [{ ...people(1)[0], at: '12/25/2030 10:00' }]);
		expect(error?.description).toContain('another format than the one');
		// As the advice on such a date writes it.
		const advised = "={{ DateTime.fromFormat($json.at, 'M/d/yyyy H:mm') }}";
		await sending(advised, [{ ...people(1)[0], at: '12/25/2030 10:00' }]);
		expect(dates()).toEqual([Date.UTC(2030, 11, 25, 9)]);
	});

	test('with Allowed Hours, a date that is empty is not said to be at once', async () => {
		const moveOn = setClock('2030-12-17T23:00:00Z');
		const allowedHours = {
			hours: { from: '08:00', to: '20:00', days: ['tuesday', 'wednesday'] },
		};
		expect(await told('', { allowedHours })).not.toContain('at once');
		moveOn(12 * 3_600_000);
		expect(await told('', { allowedHours })).toContain('at once');
	});

	test('with Allowed Hours, nobody gets it at midnight', async () => {
		const allowedHours = { hours: { from: '08:00', to: '20:00', days: ['tuesday'] } };
		expect(await told('2030-12-24', { allowedHours })).not.toContain('midnight');
		expect(dates()).toEqual([Date.UTC(2030, 11, 24, 7)]);
		// But the day may still be another one.
		const hint = await told('05/06/2031 09:30', { allowedHours });
		expect(hint).toContain('day before the month: 05/06/2031 09:30 (+336');
	});
});

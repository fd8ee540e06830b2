/**
 * Allowed Hours of campaigns, with a clock that is set: Create puts its date into them or
 * is refused, Send is refused outside of them.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { setClock, useSimulator } from '../../harness/fixtures.mts';
import { retryExecution, runNode, succeeded, type RunOptions } from '../harness.mts';
import { addCampaign, byId, campaignRun, creation, hurry, jsonOf } from './support.mts';

hurry();
const sim = await useSimulator({ extended: true });

const WORKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];
const hours = (more: IDataObject = {}): INodeParameters => ({
	allowedHours: {
		hours: { from: '09:00', to: '19:00', days: WORKDAYS, holidays: true, ...more },
	} as INodeParameters,
});
const HOUR = 3_600_000;
const NUMBER = '+33639981234';

describe('Create', () => {
	const create = (options: INodeParameters, more: Partial<RunOptions> = {}): RunOptions =>
		campaignRun(sim, creation(sim.service.createList('Clients').id, { options }), {
			timeZone: 'Europe/Paris',
			...more,
		});
	const bodies = () =>
		sim
			.requestsTo('POST', /campaigns$/)
			.map(({ bodyText }) => JSON.parse(bodyText) as IDataObject);

	// Paris is an hour ahead of UTC in winter, two in summer. 15 January 2026 is a Thursday, 1 May a Friday.
	test.each<[date: string, leaves: string]>([
		['2026-01-15T08:59:00', '2026-01-15T09:00:00.000+01:00'],
		['2026-01-17T10:00:00', '2026-01-19T09:00:00.000+01:00'],
		['2026-04-30T20:00:00', '2026-05-04T09:00:00.000+02:00'],
		['2026-10-23T20:00:00', '2026-10-26T09:00:00.000+01:00'],
	])('a Send At of %s leaves at %s', async (date, leaves) => {
		setClock('2026-01-10T10:00:00Z');
		const { items } = succeeded(await runNode(create({ ...hours(), date })));
		expect(bodies().map((body) => body.date)).toEqual([Date.parse(leaves)]);
		expect(items[0].json.scheduledFor).toBe(leaves);
	});

	test('with Refuse, nothing is created, and the error says when', async () => {
		setClock('2026-01-10T10:00:00Z');
		const date = '2026-01-17T10:00:00';
		const { error } = await runNode(create({ ...hours({ otherwise: 'refuse' }), date }));
		expect(error?.message).toBe("The campaign is outside the 'Allowed Hours'");
		expect(error?.description).toMatch(
			/on 19 Jan, 09:00 \(Europe\/Paris\).*Choose another 'Send At'/,
		);
		expect(sim.requests).toEqual([]);
	});

	test('without Send At, it is created at any time, and does not leave', async () => {
		setClock('2026-01-17T23:00:00Z');
		const { items } = succeeded(await runNode(create(hours({ otherwise: 'refuse' }))));
		expect(bodies()[0]).not.toHaveProperty('date');
		expect(items[0].json).not.toHaveProperty('scheduledFor');
	});

	test('the advice for a date in the past is not to send now, because creating sends nothing', async () => {
		const { error } = await runNode(create({ date: '2020-01-09T03:00:00' }));
		expect(error?.description).toMatch(
			/ Pick a later date, or leave the field empty, and send the campaign with the operation Send Campaign\.$/,
		);
	});

	/** Two campaigns; the second one is created by a repeated request, an hour later. */
	function anHourLater(moveOn: (milliseconds: number) => void): void {
		sim.faults.add({
			path: /campaigns$/,
			match: ({ bodyText }) => {
				const isSecond = bodyText.includes('"Two"');
				if (isSecond) moveOn(HOUR);
				return isSecond;
			},
			do: { kind: 'status', status: 503, headers: { 'Retry-After': '1' } },
		});
	}
	function two(options: INodeParameters): RunOptions {
		const run = create(options);
		const parameters = { ...run.parameters, name: '={{ $json.name }}' };
		return { ...run, items: [{ name: 'One' }, { name: 'Two' }], parameters };
	}
	const created = () => [...sim.service.campaigns.values()].map(({ name }) => name);

	test.each(['schedule', 'refuse'])(
		'a date that has passed when the request leaves is refused, with Otherwise = %s',
		async (otherwise) => {
			anHourLater(setClock('2026-01-15T17:00:00Z'));
			const run = two({ ...hours({ otherwise }), date: '2026-01-15T18:30:00' });
			const failed = await runNode(run);
			expect(failed.error?.message).toBe('1 of 2 created, 1 not created');
			expect(failed.error?.description).toContain('is in the past');
			expect(failed.error?.context.itemIndex).toBe(1);
			expect(created()).toEqual(['One']);
			const options = { ...hours({ otherwise }), date: '2026-01-16T10:00:00' };
			const parameters = { ...run.parameters, options };
			const retried = succeeded(await retryExecution(failed, run, { parameters }));
			expect(created()).toEqual(['One', 'Two']);
			// The first one says when it leaves, not the time that is set by now.
			expect(jsonOf(retried.items).map(({ scheduledFor }) => scheduledFor)).toEqual([
				'2026-01-15T18:30:00.000+01:00',
				'2026-01-16T10:00:00.000+01:00',
			]);
		},
	);
});

describe('Send', () => {
	/** A campaign to one contact. */
	function campaign(): string {
		const list = sim.service.createList('Clients');
		list.addContact(NUMBER);
		return addCampaign(sim, sim.service.createId(), list.id);
	}
	const send = (options: INodeParameters, more: Partial<RunOptions> = {}): RunOptions =>
		campaignRun(
			sim,
			{ operation: 'send', campaign: byId('={{ $json.id }}'), options },
			{ timeZone: 'Europe/Paris', items: [{ id: campaign() }], ...more },
		);

	test("tells in the editor of hours that aren't on the clocks of the list", async () => {
		setClock('2026-01-15T15:00:00Z');
		const zoned = async (timeZone: string) =>
			(await runNode(send(hours(), { timeZone }))).hints;
		expect(await zoned('America/New_York')).toMatchObject([
			{
				message: expect.stringContaining(
					'09:00 in America/New_York is 15:00 in Europe/Paris.',
				),
			},
		]);
		expect(JSON.stringify(await zoned('Europe/Paris'))).not.toContain('time zone');
	});

	test.each([
		['2026-01-15T08:00:00Z', true],
		['2026-01-15T17:59:59Z', true],
		['2026-01-15T18:00:00Z', false],
		['2026-05-01T10:00:00Z', false],
		['2026-10-26T07:30:00Z', false],
	])('at %s: %s', async (moment, goes) => {
		setClock(moment);
		// Send Without Checks is about the campaign, not about the hours.
		const { error } = await runNode(send({ ...hours(), sendAnyway: !goes }));
		expect(sim.messages).toHaveLength(goes ? 1 : 0);
		if (goes) return expect(error).toBeUndefined();
		expect(error?.message).toBe("The campaign is outside the 'Allowed Hours'");
		expect(error?.description).toMatch(/^They begin on \d+ \w+, \d\d:00 \(Europe\/Paris\)/);
		expect(sim.requests).toEqual([]);
	});

	test('they are judged when it leaves, and a retry within them sends the rest', async () => {
		const moveOn = setClock('2026-01-15T17:30:00Z');
		const items = [{ id: campaign() }, { id: campaign() }];
		sim.faults.add({
			path: new RegExp(`${items[1].id}/send$`),
			match: () => {
				moveOn(HOUR);
				return true;
			},
			do: { kind: 'status', status: 503, headers: { 'Retry-After': '1' } },
		});
		const run = send(hours(), { items });
		const failed = await runNode(run);
		expect(sim.messages).toHaveLength(1);
		expect(failed.error?.message).toBe('1 of 2 sent, 1 not sent');
		expect(failed.error?.description).toMatch(/^Retry this execution[^]*'Allowed Hours'/);
		const tooLate = await retryExecution(failed, run);
		expect(tooLate.error).toBeDefined();
		expect(sim.messages).toHaveLength(1);
		moveOn(14 * HOUR);
		const { items: sent } = succeeded(await retryExecution(tooLate, run));
		expect(sim.messages).toHaveLength(2);
		expect(jsonOf(sent).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
	});
});

/** Helpers of the tests of Allowed Hours. */
import type { IDataObject } from 'n8n-workflow';
import { sms } from '../delivery/sending.mts';
import { sim } from '../delivery/service.mts';
import type { RunOptions } from '../harness.mts';

export const WEEK = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');

/** Allowed Hours from 08:00 to 20:00 on all days, unless it is said otherwise. */
export const hours = (more: IDataObject = {}): IDataObject => ({
	allowedHours: { hours: { from: '08:00', to: '20:00', days: WEEK, holidays: false, ...more } },
});

/** One message to each number, in a workflow in Paris. */
export const sending = (numbers: string[], operation: string, settings: IDataObject): RunOptions =>
	sms(
		operation,
		numbers.map((to) => ({ to, text: 'Bonjour' })),
		settings,
		{ timeZone: 'Europe/Paris' },
	);

/** The messages as they were asked for, by their JSON. */
export const asked = () =>
	sim
		.requestsTo('POST', /send$/)
		.map(({ bodyText }) => JSON.parse(bodyText) as { number: string; date?: number });

/** Their dates in UTC. */
export const dates = () =>
	asked().map(({ date }) =>
		date === undefined ? 'now' : new Date(date).toISOString().slice(0, 16),
	);

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { nextAllowed, readAllowedHours, type AllowedHours } from '../shared/service/allowedHours';
import { readOption, type Options } from '../shared/service/choices';
import { readSendDate } from '../shared/service/date';
import { InputError } from '../shared/service/InputError';

/** In the order of a week. */
const WEEK: INodePropertyOptions[] = [
	{ name: 'Monday', value: 'monday' },
	{ name: 'Tuesday', value: 'tuesday' },
	{ name: 'Wednesday', value: 'wednesday' },
	{ name: 'Thursday', value: 'thursday' },
	{ name: 'Friday', value: 'friday' },
	{ name: 'Saturday', value: 'saturday' },
	{ name: 'Sunday', value: 'sunday' },
];

/** When messages may be sent, and what happens to one at any other time. */
export const allowedHours: INodeProperties = {
	displayName: 'Allowed Hours',
	name: 'allowedHours',
	type: 'fixedCollection',
	default: {},
	placeholder: 'Add hours',
	description: "Hours in which messages may be sent, in the workflow's time zone",
	options: [
		{
			displayName: 'Hours',
			name: 'hours',
			values: [
				{
					displayName: 'Closed on Public Holidays',
					name: 'holidays',
					type: 'boolean',
					default: true,
					description: 'Whether to send nothing on the public holidays of France',
				},
				{
					displayName: 'Days',
					name: 'days',
					type: 'multiOptions',
					options: WEEK,
					default: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
					description: 'Days of the week on which these hours begin',
				},
				{
					displayName: 'From',
					name: 'from',
					type: 'string',
					default: '08:00',
					placeholder: 'e.g. 08:00',
					description: 'Time of day from which messages are sent',
				},
				{
					displayName: 'Otherwise',
					name: 'otherwise',
					type: 'options',
					options: [
						{
							name: 'Refuse',
							value: 'refuse',
							description: 'The message is not sent',
						},
						{
							name: 'Schedule',
							value: 'schedule',
							description: 'The service keeps it until the next allowed time',
						},
					],
					default: 'schedule',
					description: 'What happens to a message at any other time',
				},
				{
					displayName: 'To',
					name: 'to',
					type: 'string',
					default: '20:00',
					placeholder: 'e.g. 20:00',
					description:
						"Time of day from which no messages are sent. A time before 'From' is on the next day.",
				},
			],
		},
	],
};

/** When a message leaves. */
export interface Departure {
	/** Milliseconds since the Unix epoch; undefined for at once. */
	date?: number;
	/** Why it may not leave, unless it was accepted in an earlier try. */
	expired?: InputError;
}

/**
 * When a message leaves that is sent now: the later of 'Send At' and the next allowed time.
 *
 * @param now milliseconds; asked when the run begins and again when the message leaves
 * @param canWait whether the request has a date; without one, a message outside of the hours is refused
 * @throws InputError for a date or hours that are none
 */
export function departureAt(
	now: number,
	options: Options,
	timeZone: Item['timeZone'],
	canWait: boolean,
): Departure {
	const chosen = canWait ? readOption(options, 'date', 'Send At') : undefined;
	const own = readSendDate(chosen, timeZone, now);
	const hours = readAllowedHours(options);
	if (hours === undefined || own.expired !== undefined) return own;
	const wanted = Math.max(own.date ?? now, now);
	const allowed = nextAllowedOnce(hours, wanted, timeZone);
	if (allowed === wanted) return own;
	if (canWait && hours.otherwise === 'schedule') return { date: allowed };
	const next = new Date(allowed).toLocaleString('en-GB', { timeZone, timeZoneName: 'short' });
	const expired = new InputError(
		"The message is outside of the 'Allowed Hours'",
		`They begin at ${next}. ${canWait ? "Run it again then, or set 'Otherwise' to Schedule." : 'Run it again then. This operation has no date that the service could keep it until.'}`,
	);
	return { ...own, expired };
}

let last = { key: '', allowed: 0 };

/** The messages of a run ask for the same, mostly. */
function nextAllowedOnce(hours: AllowedHours, time: number, timeZone: string): number {
	const { days, ...rest } = hours;
	const key = JSON.stringify([[...days], rest, time, timeZone]);
	if (last.key !== key) last = { key, allowed: nextAllowed(hours, time, timeZone) };
	return last.allowed;
}

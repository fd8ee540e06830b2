import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
} from 'n8n-workflow';
import {
	HOLIDAYS,
	nextAllowed,
	OUTSIDE,
	readAllowedHours,
	TIME_ZONE,
	WEEK,
	type AllowedHours,
} from '../service/allowedHours';
import { readOption, type Options } from '../service/choices';
import {
	dueAt,
	isoIn,
	MINUTE,
	isLocal,
	offsetAt,
	readMoment,
	showDate,
	type ChosenMoment,
} from '../service/date';
import { InputError, show } from '../service/InputError';
import { zonesOf } from '../service/timeZones';

const timeZone: INodeProperties = {
	displayName: TIME_ZONE,
	name: 'timeZone',
	type: 'options',
	options: [
		{
			name: "Recipient's",
			value: 'recipient',
			description:
				"The time zone of the phone number's country. If it has several, the message is sent when it is allowed in all of them.",
		},
		{
			name: "Workflow's",
			value: 'workflow',
			description: "The time zone in the workflow's settings, for all recipients",
		},
	],
	default: 'workflow',
	description: "Time zone of these hours. 'Send At' is always in the workflow's time zone.",
};

/** In the order in which people say them. */
const hours: INodePropertyCollection = {
	displayName: 'Hours',
	name: 'hours',
	values: [
		{
			displayName: 'From',
			name: 'from',
			type: 'string',
			default: '08:00',
			placeholder: 'e.g. 08:00',
			description: 'Time of day from which messages may be sent',
		},
		{
			displayName: 'To',
			name: 'to',
			type: 'string',
			default: '20:00',
			placeholder: 'e.g. 20:00',
			description:
				"Time of day until which messages may be sent. If it is earlier than 'From', it is on the next day.",
		},
		{
			displayName: 'Days',
			name: 'days',
			type: 'multiOptions',
			options: WEEK.map((day) => ({ name: day[0].toUpperCase() + day.slice(1), value: day })),
			default: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'],
			description:
				'Days of the week on which messages may be sent. Hours past midnight belong to the day on which they begin.',
		},
		{
			displayName: OUTSIDE,
			name: 'otherwise',
			type: 'options',
			options: [
				{
					name: 'Refuse',
					value: 'refuse',
					description: 'Do not send the message',
				},
				{
					name: 'Schedule',
					value: 'schedule',
					description:
						'Let the service keep the message and send it at the next allowed time',
				},
			],
			default: 'schedule',
			description: 'What to do with a message outside these hours',
		},
		{
			displayName: HOLIDAYS,
			name: 'holidays',
			type: 'boolean',
			default: true,
			description:
				'Whether to send nothing on French public holidays, from midnight to midnight',
		},
		timeZone,
	],
};

/** Hours in which messages may be sent, and what happens to a message at any other time. */
export const allowedHours = fieldOf('Hours in which messages may be sent', hours.values);

/** The same for a campaign with a date: it has many recipients, so the clocks are the workflow's. */
export const campaignHours = fieldOf(
	"Hours to which 'Send At' is limited, in the workflow's time zone. Without 'Send At', they have no effect: set them in the operation Send Campaign.",
	hours.values.filter(({ name }) => name !== 'timeZone'),
);

/** The same for a campaign that is sent at once or not at all. */
export const allowedHoursNow = fieldOf(
	"Hours in which the campaign may be sent, in the workflow's time zone. At any other time, it is refused.",
	hours.values.filter(({ name }) => name !== 'timeZone' && name !== 'otherwise'),
);

function fieldOf(description: string, values: INodeProperties[]): INodeProperties {
	const defaults = values.map(({ name, default: value }) => [name, value] as const);
	return {
		displayName: 'Allowed Hours',
		name: 'allowedHours',
		type: 'fixedCollection',
		// An added option shows its fields at once.
		default: { hours: Object.fromEntries(defaults) as INodeParameters },
		placeholder: 'Add hours',
		description,
		options: [{ ...hours, values }],
	};
}

/** When something is sent. */
interface Departure {
	/** Milliseconds since the Unix epoch; undefined for at once. */
	date?: number;
	/** Why it may not be sent, unless it was accepted in an earlier try. */
	expired?: InputError;
}

/** When something may be sent: 'Send At' and 'Allowed Hours' as they were read. */
export interface Schedule {
	/** 'Send At'; undefined for at once. */
	chosen: ChosenMoment | undefined;
	/** The same as it was given, which may be now; milliseconds. */
	given: number | undefined;
	hours: AllowedHours | undefined;
	/** IANA name of the workflow's time zone. */
	timeZone: string;
	/** Whether its request has a date; without one, it is refused outside of the hours. */
	canWait: boolean;
	/** As errors call it. */
	what: 'message' | 'campaign';
	/** Phone number in international format, for the recipient's time zone. */
	recipient?: string;
}

/**
 * Reads 'Send At' and 'Allowed Hours'.
 *
 * @param orElse for the advice, what to do instead of picking a later date, where nothing is sent without one
 * @throws InputError for an invalid date or invalid hours
 */
export function readSchedule(
	options: Options,
	{
		orElse,
		what = 'message',
		...how
	}: Pick<Schedule, 'timeZone' | 'canWait'> & { what?: Schedule['what']; orElse?: string },
): Schedule {
	const value = how.canWait ? readOption(options, 'date', 'Send At') : undefined;
	const moment = readMoment(value, { timeZone: how.timeZone, orElse });
	// A moment that is now when it is read stays so, however long the request waits.
	const isLater = dueAt(moment, Date.now()).date !== undefined;
	const hours = readAllowedHours(options);
	return { ...how, what, chosen: isLater ? moment : undefined, given: moment?.moment, hours };
}

/**
 * The later of 'Send At' and the next allowed time.
 *
 * @param now milliseconds: when the run begins, and again when the request is made
 */
export function departureAt(schedule: Schedule, now: number): Departure {
	const { chosen, hours, timeZone, canWait, what, recipient = '' } = schedule;
	const own = dueAt(chosen, now);
	if (hours === undefined || own.expired !== undefined) return own;
	const refuse = (message: string, advice: string): Departure => ({
		...own,
		expired: new InputError(message, advice),
	});
	const zones = hours.timeZone === 'recipient' ? zonesOf(recipient) : [timeZone];
	if (zones === undefined) {
		return refuse(
			`The time zone of ${show(recipient)} is not known`,
			`Time zones are known for the countries in the dropdown 'Default Country' of the credential. Set '${TIME_ZONE}' of 'Allowed Hours' to the workflow's for other numbers, or leave them out.`,
		);
	}
	const wanted = own.date ?? now;
	const next = nextAllowed(hours, wanted, zones);
	if (next === wanted) return own;
	if (next === undefined) {
		return refuse(
			`The 'Allowed Hours' of the possible time zones of ${show(recipient)} never overlap`,
			`Its country has several time zones (${zones.join(', ')}), and a message is sent only when it is allowed in all of them. Choose longer hours or more days, or set '${TIME_ZONE}' of 'Allowed Hours' to the workflow's.`,
		);
	}
	if (canWait && hours.otherwise === 'schedule') return { date: next };
	return refuse(
		`The ${what} is outside the 'Allowed Hours'`,
		`They begin on ${showDate(next, timeZone)} (${timeZone}). ${wayOut(own, canWait)}`,
	);
}

/**
 * When something is sent whose request is made now: a pace, retries or other items may have kept it for longer
 * than its date or the hours allow.
 *
 * @returns milliseconds; undefined for at once
 * @throws InputError where it may no longer be sent
 */
export function departNow(schedule: Schedule): number | undefined {
	const { date, expired } = departureAt(schedule, Date.now());
	if (expired !== undefined) throw expired;
	return date;
}

/**
 * When the service sends it, as an ISO 8601 date in the workflow's time zone. Nothing for at once.
 *
 * @param timeZone IANA name of the workflow's
 */
export function scheduledFor(date: number | undefined, timeZone: string): IDataObject {
	if (date === undefined) return {};
	return { scheduledFor: isoIn(date, timeZone) };
}

/**
 * When the hours begin, or 'Send At' is, on the workflow's clocks and on the recipient's, where these differ: "08:00 in
 * America/New_York is 14:00 in Europe/Paris".
 *
 * @param recipient phone number in international format
 * @returns at most one of each
 */
export function otherClocks(
	{ hours, chosen, timeZone }: Pick<Schedule, 'hours' | 'chosen' | 'timeZone'>,
	recipient: string,
): { hours: string[]; sendAt: string[] } {
	const zones = hours || chosen ? (zonesOf(recipient) ?? []) : [];
	const [zone] = zones;
	const at = (time: number, minutes?: number): string[] => {
		const own = offsetAt(time, timeZone);
		if (zone === undefined || zones.some((other) => offsetAt(time, other) === own)) return [];
		const here = minutes ?? (time + own) / MINUTE;
		const there = here + (offsetAt(time, zone) - own) / MINUTE;
		return [`${clock(here)} in ${timeZone} is ${clock(there)} in ${zone}`];
	};
	return {
		hours:
			hours === undefined || hours.timeZone === 'recipient' ? [] : at(Date.now(), hours.from),
		sendAt: chosen && isLocal(chosen.given) ? at(chosen.moment) : [],
	};
}

/**
 * Says that times were read on other clocks than a recipient's.
 *
 * @param what "'Send At' is"
 * @param orElse instead of changing the workflow's
 */
export function describeClock(what: string, found: string, orElse = ''): string {
	return `${what} in the workflow's time zone: ${found}. Change it in the workflow's Settings${orElse}.`;
}

export const HOURS_ARE = "'Allowed Hours' are";

/** @param minutes since a midnight */
function clock(minutes: number): string {
	return new Date(minutes * MINUTE).toISOString().slice(11, 16);
}

function wayOut({ date }: Departure, canWait: boolean): string {
	if (!canWait) return "Send it then: this operation can't schedule it.";
	const later = date === undefined ? 'Send it then' : "Choose another 'Send At'";
	return `${later}, or set '${OUTSIDE}' to Schedule.`;
}

import type {
	IDataObject,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import {
	HOLIDAYS,
	nextAllowedInAll,
	OUTSIDE,
	readAllowedHours,
	type AllowedHours,
} from '../service/allowedHours';
import { readChoice, readOption, type Options } from '../service/choices';
import { isoIn, readSendDate } from '../service/date';
import { InputError, show } from '../service/InputError';
import { zonesOf } from '../service/timeZones';

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
			options: WEEK,
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
			description: 'What to do with a message at any other time',
		},
		{
			displayName: HOLIDAYS,
			name: 'holidays',
			type: 'boolean',
			default: true,
			description:
				'Whether to treat the public holidays of France as days without allowed hours',
		},
	],
};

/** When messages may be sent, and what happens to one at any other time. */
export const allowedHours: INodeProperties = {
	displayName: 'Allowed Hours',
	name: 'allowedHours',
	type: 'fixedCollection',
	// An added option shows its fields at once.
	default: { hours: defaultsOf(hours.values) },
	placeholder: 'Add hours',
	description: 'Hours in which messages may be sent',
	options: [hours],
};

const hoursNow = hours.values.filter(({ name }) => name !== 'otherwise');

/** For what is sent at once or not at all. */
export const allowedHoursNow: INodeProperties = {
	...allowedHours,
	default: { hours: defaultsOf(hoursNow) },
	description:
		"Hours in which the campaign may be sent, in the workflow's time zone. At any other time, it is refused.",
	options: [{ ...hours, values: hoursNow }],
};

function defaultsOf(fields: readonly INodeProperties[]): INodeParameters {
	return Object.fromEntries(fields.map(({ name, default: value }) => [name, value]));
}

/** Whose hours they are; beside `allowedHours`, for what has one recipient. */
export const timeZone: INodeProperties = {
	displayName: 'Allowed Hours Time Zone',
	name: 'timeZone',
	type: 'options',
	options: [
		{
			name: "Recipient's",
			value: 'recipient',
			description:
				'The time zone of the country of the phone number. If a country has several, the message is sent when it is allowed in all of them.',
		},
		{
			name: "Workflow's",
			value: 'workflow',
			description: "The time zone in the workflow's settings, for all recipients",
		},
	],
	default: 'workflow',
	description:
		"Whose time zone to use for 'Allowed Hours'. 'Send At' is always in the workflow's time zone.",
};

/** When something is sent. */
export interface Departure {
	/** Milliseconds since the Unix epoch; undefined for at once. */
	date?: number;
	/** Why it may not be sent, unless it was accepted in an earlier try. */
	expired?: InputError;
}

/** What is to be sent, and how. */
export interface Leaving {
	/** IANA name of the workflow's time zone. */
	timeZone: string;
	/** Whether its request has a date; without one, it is refused outside of the hours. */
	canWait: boolean;
	/** As errors call it. By default, a message. */
	what?: string;
	/** What to do instead of picking a later date, for the advice. By default, to send it now. */
	orElse?: string;
}

/**
 * Reads 'Send At' and 'Allowed Hours'.
 *
 * @param now milliseconds
 * @returns when something is sent: the later of 'Send At' and the next allowed time. It is asked when the run
 *   begins and again when the request is made, with the recipient's number in international format, where there
 *   is one.
 * @throws InputError for an invalid date or invalid hours
 */
export function readDeparture(
	options: Options,
	leaving: Leaving,
	now: number,
): (now: number, recipient?: string) => Departure {
	const { timeZone: workflowZone, canWait, what = 'message', orElse } = leaving;
	const chosen = canWait ? readOption(options, 'date', 'Send At') : undefined;
	const ownAt = (moment: number) => readSendDate(chosen, workflowZone, moment, undefined, orElse);
	ownAt(now);
	const allowed = readAllowedHours(options);
	const isRecipients = readTimeZone(options) === 'recipient';
	if (allowed === undefined && isRecipients) throw withoutHours();
	return (at, recipient = '') => {
		const own = ownAt(at);
		if (allowed === undefined || own.expired !== undefined) return own;
		const zones = isRecipients ? zonesOf(recipient) : [workflowZone];
		if (zones === undefined) return { ...own, expired: unknownZone(recipient) };
		const wanted = Math.max(own.date ?? at, at);
		const next = nextOf(allowed, wanted, zones);
		if (next === wanted) return own;
		if (next === undefined) return { ...own, expired: neverOpen(recipient, zones) };
		if (canWait && allowed.otherwise === 'schedule') return { date: next };
		const begin = new Date(next).toLocaleString('en-GB', {
			timeZone: workflowZone,
			timeZoneName: 'short',
		});
		const expired = new InputError(
			`The ${what} is outside the 'Allowed Hours'`,
			`They begin at ${begin}. ${wayOut(own, canWait)}`,
		);
		return { ...own, expired };
	};
}

/**
 * When something is sent whose request is made now: a pace, retries or other items may have kept it for longer
 * than its date or the hours allow.
 *
 * @param departure when it is sent if its request is made at a moment, in milliseconds
 * @returns milliseconds; undefined for at once
 * @throws InputError where it may no longer be sent
 */
export function departNow(departure: (now: number) => Departure): number | undefined {
	const { date, expired } = departure(Date.now());
	if (expired !== undefined) throw expired;
	return date;
}

function wayOut({ date }: Departure, canWait: boolean): string {
	if (!canWait) {
		return "Run it again then. This operation can't schedule it.";
	}
	const later = date === undefined ? 'Run it again then' : "Choose another 'Send At'";
	return `${later}, or set '${OUTSIDE}' to Schedule.`;
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

function readTimeZone(options: Options): 'recipient' | 'workflow' {
	const field = timeZone.displayName;
	const value = readOption(options, timeZone.name, field) ?? timeZone.default;
	return readChoice(value, ['recipient', 'workflow'], field);
}

/** Somebody may take it for the time zone of 'Send At'. */
function withoutHours(): InputError {
	return new InputError(
		"'Allowed Hours Time Zone' is set to the recipient's, but there are no 'Allowed Hours'",
		"Add 'Allowed Hours' under Options, or remove 'Allowed Hours Time Zone'. 'Send At' is always in the workflow's time zone.",
	);
}

function unknownZone(recipient: string): InputError {
	return new InputError(
		`The time zone of ${show(recipient)} is not known`,
		"Time zones are known for the countries in the dropdown 'Default Country' of the credential. Set 'Allowed Hours Time Zone' under Options to the workflow's for other numbers, or leave them out.",
	);
}

function neverOpen(recipient: string, zones: readonly string[]): InputError {
	return new InputError(
		`The 'Allowed Hours' of the possible time zones of ${show(recipient)} never overlap`,
		`Its country has several time zones (${zones.join(', ')}), and a message is sent only when it is allowed in all of them. Choose longer hours or more days, or set 'Allowed Hours Time Zone' under Options to the workflow's.`,
	);
}

/** Milliseconds; undefined for never. */
type Next = number | undefined;

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
/** Hours and time zones of which an answer is kept. */
const MOST_KEPT = 200;
const kept = new Map<string, { from: number; until: number; isOpen: boolean; next: Next }>();

/**
 * The next allowed time, computed once where the messages of a run ask for the same: it stays the next one
 * until it comes, and what is open stays so to the end of the minute.
 */
function nextOf(allowed: AllowedHours, time: number, zones: readonly string[]): Next {
	const { days, ...rest } = allowed;
	const key = JSON.stringify([[...days], rest, zones]);
	const known = kept.get(key);
	if (known !== undefined && time >= known.from && time < known.until) {
		return known.isOpen ? time : known.next;
	}
	const next = nextAllowedInAll(allowed, time, zones);
	const isOpen = next === time;
	const minute = Math.floor(time / MINUTE) * MINUTE;
	if (kept.size >= MOST_KEPT) kept.clear();
	kept.set(
		key,
		isOpen
			? { from: minute, until: minute + MINUTE, isOpen, next }
			: { from: time, until: next ?? time + DAY, isOpen, next },
	);
	return next;
}

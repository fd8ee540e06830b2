import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import { nextAllowedInAll, readAllowedHours, type AllowedHours } from '../service/allowedHours';
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

const hours: INodePropertyCollection = {
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
};

/** When messages may be sent, and what happens to one at any other time. */
export const allowedHours: INodeProperties = {
	displayName: 'Allowed Hours',
	name: 'allowedHours',
	type: 'fixedCollection',
	default: {},
	placeholder: 'Add hours',
	description: 'Hours in which messages may be sent',
	options: [hours],
};

/** For what is sent at once or not at all. */
export const allowedHoursNow: INodeProperties = {
	...allowedHours,
	description: "Hours in which it may be sent, in the workflow's time zone; refused otherwise",
	options: [{ ...hours, values: hours.values.filter(({ name }) => name !== 'otherwise') }],
};

/** Whose hours they are; beside `allowedHours`, for what has one recipient. */
export const timeZone: INodeProperties = {
	displayName: 'Time Zone',
	name: 'timeZone',
	type: 'options',
	options: [
		{
			name: "Recipient's",
			value: 'recipient',
			description:
				'That of the country of the number; where it has several, the hours have to hold in all of them',
		},
		{
			name: "Workflow's",
			value: 'workflow',
			description: "That of the workflow's settings, for all recipients",
		},
	],
	default: 'workflow',
	description:
		"Whose time zone 'Allowed Hours' are in. 'Send At' is read in the workflow's all the same.",
};

/** When something leaves. */
export interface Departure {
	/** Milliseconds since the Unix epoch; undefined for at once. */
	date?: number;
	/** Why it may not leave, unless it was accepted in an earlier try. */
	expired?: InputError;
}

/** What is to leave, and how. */
export interface Leaving {
	/** IANA name of the workflow's time zone. */
	timeZone: string;
	/** Whether its request has a date; without one, it is refused outside of the hours. */
	canWait: boolean;
	/** As errors call it. By default, a message. */
	what?: string;
}

/**
 * Reads 'Send At' and 'Allowed Hours'.
 *
 * @param now milliseconds
 * @returns when something leaves that is sent at a time: the later of 'Send At' and the next allowed time. It
 *   is asked when the run begins and again when it leaves, with the number that it goes to, in international
 *   format, where there is one.
 * @throws InputError for a date or hours that are none
 */
export function readDeparture(
	options: Options,
	leaving: Leaving,
	now: number,
): (now: number, recipient?: string) => Departure {
	const { timeZone: workflowZone, canWait, what = 'message' } = leaving;
	const chosen = canWait ? readOption(options, 'date', 'Send At') : undefined;
	readSendDate(chosen, workflowZone, now);
	const allowed = readAllowedHours(options);
	const isRecipients = readTimeZone(options) === 'recipient';
	if (allowed === undefined && isRecipients) throw withoutHours();
	return (at, recipient = '') => {
		const own = readSendDate(chosen, workflowZone, at);
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
			`The ${what} is outside of the 'Allowed Hours'`,
			`They begin at ${begin}. ${wayOut(own, canWait)}`,
		);
		return { ...own, expired };
	};
}

function wayOut({ date }: Departure, canWait: boolean): string {
	if (!canWait) {
		return 'Run it again then. This operation has no date that the service could keep it until.';
	}
	const later = date === undefined ? 'Run it again then' : "Choose another 'Send At'";
	return `${later}, or set 'Otherwise' to Schedule.`;
}

/**
 * When the service sends it: milliseconds, and the same for people. Nothing for at once.
 *
 * @param timeZone IANA name of the workflow's
 */
export function scheduledFor(date: number | undefined, timeZone: string): IDataObject {
	if (date === undefined) return {};
	return { scheduledFor: date, scheduledForIso: isoIn(date, timeZone) };
}

function readTimeZone(options: Options): 'recipient' | 'workflow' {
	const field = timeZone.displayName;
	const value = readOption(options, timeZone.name, field) ?? timeZone.default;
	return readChoice(value, ['recipient', 'workflow'], field);
}

/** Somebody may take it for the time zone of 'Send At'. */
function withoutHours(): InputError {
	return new InputError(
		"'Time Zone' is the recipient's, and there are no 'Allowed Hours' that it could hold for",
		"Add 'Allowed Hours' under Options, or take 'Time Zone' out. 'Send At' is always in the workflow's time zone.",
	);
}

function unknownZone(recipient: string): InputError {
	return new InputError(
		`The time zone of ${show(recipient)} is not known`,
		"The country of the number is not one of those under 'Default Country' in the credential. Set 'Time Zone' under Options to the workflow's for such numbers, or leave them out.",
	);
}

function neverOpen(recipient: string, zones: readonly string[]): InputError {
	return new InputError(
		`There is no time at which the 'Allowed Hours' hold wherever ${show(recipient)} may be`,
		`Its country has several time zones (${zones.join(', ')}), and the hours have to hold in all of them. Choose longer hours or more days, or set 'Time Zone' under Options to the workflow's.`,
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

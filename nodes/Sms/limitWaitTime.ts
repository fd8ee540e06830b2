import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readChoice, readOption, type Options } from '../shared/service/choices';
import { readSendDate } from '../shared/service/date';
import { InputError, show } from '../shared/service/InputError';

const FIELD = 'Limit Wait Time';
const UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** As n8n's own nodes have it. */
export const limitWaitTime: INodeProperties = {
	displayName: FIELD,
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: {
		values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' },
	},
	description:
		'How long to wait for an answer. If you leave this out, the workflow waits until the recipient answers.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Limit Type',
					name: 'limitType',
					type: 'options',
					options: [
						{
							name: 'After Time Interval',
							value: 'afterTimeInterval',
							description: 'Wait for a certain time',
						},
						{
							name: 'At Specified Time',
							value: 'atSpecifiedTime',
							description: 'Wait until a date and time',
						},
					],
					default: 'afterTimeInterval',
					description: 'Whether to wait for a certain time, or until a date and time',
				},
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'How long to wait',
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					displayOptions: { show: { limitType: ['afterTimeInterval'] } },
					options: [
						{ name: 'Days', value: 'days' },
						{ name: 'Hours', value: 'hours' },
						{ name: 'Minutes', value: 'minutes' },
					],
					default: 'hours',
					description: 'Time unit of the amount',
				},
				{
					displayName: 'Max Date and Time',
					name: 'maxDateAndTime',
					type: 'dateTime',
					displayOptions: { show: { limitType: ['atSpecifiedTime'] } },
					default: '',
					description: "When to stop waiting, in the workflow's time zone",
				},
			],
		},
	],
};

/** Until when to wait. */
export interface WaitLimit {
	/** Undefined where there is no end to it. */
	date?: Date;
	/** Why it is over before it began, unless the message was accepted in an earlier try. */
	expired?: InputError;
}

/**
 * The option Limit Wait Time: one group `values` with `limitType`, and `resumeAmount` and `resumeUnit` or
 * `maxDateAndTime`.
 *
 * @throws InputError for an invalid amount, and an invalid date
 */
export function readWaitLimit({ options, now, timeZone }: Item): WaitLimit {
	const option = readOption(options, 'limitWaitTime', FIELD);
	const values = (option as { values?: Options } | undefined)?.values;
	if (values === undefined || values === null) return {};
	const limitType = readChoice(
		readOption(values, 'limitType', 'Limit Type') ?? 'afterTimeInterval',
		['afterTimeInterval', 'atSpecifiedTime'],
		'Limit Type',
	);
	if (limitType === 'atSpecifiedTime') {
		const field = 'Max Date and Time';
		const orElse = `or remove '${FIELD}'`;
		const limit = readSendDate(values.maxDateAndTime, timeZone, now, field, orElse);
		if (limit.date !== undefined) return { ...limit, date: new Date(limit.date) };
		throw new InputError(`'${field}' is empty`, `Pick a date, ${orElse}.`);
	}
	const unit = readChoice(
		readOption(values, 'resumeUnit', 'Unit') ?? 'hours',
		['minutes', 'hours', 'days'],
		'Unit',
	);
	const amount = readOption(values, 'resumeAmount', 'Amount') ?? 1;
	const until = now + Number(amount) * UNITS[unit];
	const isNumber = typeof amount === 'number' || typeof amount === 'string';
	if (isNumber && Number(amount) > 0 && until < WAIT_INDEFINITELY.getTime()) {
		return { date: new Date(until) };
	}
	throw new InputError(
		`'Amount' ${show(amount)} of '${FIELD}' is not a time`,
		'Enter a number greater than 0.',
	);
}

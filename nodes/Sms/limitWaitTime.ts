import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { parseAmount, readChoice, readOption, type Options } from '../shared/service/choices';
import { dueAt, readMoment } from '../shared/service/date';
import { InputError } from '../shared/service/InputError';

const FIELD = 'Limit Wait Time';
const MILLISECONDS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
const [INTERVAL, TIME] = ['afterTimeInterval', 'atSpecifiedTime'] as const;

const limitType: INodeProperties = {
	displayName: 'Limit Type',
	name: 'limitType',
	type: 'options',
	options: [
		{
			name: 'After Time Interval',
			value: INTERVAL,
			description: 'Waits for a certain amount of time',
		},
		{
			name: 'At Specified Time',
			value: TIME,
			description: 'Waits until the set date and time to continue',
		},
	],
	default: INTERVAL,
	description: 'When the workflow continues without an answer',
};

const amountField: INodeProperties = {
	displayName: 'Amount',
	name: 'resumeAmount',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: 1,
	displayOptions: { show: { limitType: [INTERVAL] } },
	description: 'How long to wait',
};

const unitField: INodeProperties = {
	displayName: 'Unit',
	name: 'resumeUnit',
	type: 'options',
	options: [
		{ name: 'Minutes', value: 'minutes' },
		{ name: 'Hours', value: 'hours' },
		{ name: 'Days', value: 'days' },
	],
	default: 'hours',
	displayOptions: { show: { limitType: [INTERVAL] } },
	description: 'Time unit of the amount',
};

const dateField: INodeProperties = {
	displayName: 'Max Date and Time',
	name: 'maxDateAndTime',
	type: 'dateTime',
	default: '',
	displayOptions: { show: { limitType: [TIME] } },
	description: "Until when to wait, in the workflow's time zone",
};

/** As in n8n's own nodes. */
export const limitWaitTime: INodeProperties = {
	displayName: FIELD,
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { limitType: INTERVAL, resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for an answer. If you leave this out, the workflow waits until the recipient answers.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [limitType, amountField, unitField, dateField],
		},
	],
};

/**
 * Until when an answer is waited for; undefined without a limit.
 *
 * @returns also why the question can't be asked any more, where that is in the past
 * @throws InputError
 */
export function readWaitLimit({ options, run: { now, timeZone } }: Item): {
	until?: Date;
	expired?: InputError;
} {
	const { values } = (readOption(options, 'limitWaitTime', FIELD) ?? {}) as { values?: Options };
	if (values === undefined) return {};
	const type = readChoice(values.limitType ?? INTERVAL, [INTERVAL, TIME], limitType.displayName);
	if (type === TIME) return readTime(values.maxDateAndTime, timeZone, now);
	const unit = readChoice(values.resumeUnit, ['minutes', 'hours', 'days'], `Unit of ${FIELD}`);
	const after = (amount: number) => new Date(now + amount * MILLISECONDS[unit]);
	const amount = parseAmount(values.resumeAmount, {
		field: `Amount of ${FIELD}`,
		isAllowed: (given) => given > 0 && after(given) < WAIT_INDEFINITELY,
		advice: 'Enter a number greater than 0.',
		byDefault: 1,
	});
	return { until: after(amount) };
}

function readTime(value: unknown, timeZone: string, now: number) {
	const field = dateField.displayName;
	const orElse = `or remove '${FIELD}'`;
	const chosen = readMoment(value, { timeZone, orElse, field });
	if (chosen !== undefined)
		return { until: new Date(chosen.moment), expired: dueAt(chosen, now).expired };
	throw new InputError(`'${field}' is empty`, `Pick a date, ${orElse} to wait without a limit.`);
}

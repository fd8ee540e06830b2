import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { parseAmount, readChoice, readOption, type Options } from '../shared/service/choices';

const FIELD = 'Limit Wait Time';
const MILLISECONDS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

const amountField: INodeProperties = {
	displayName: 'Amount',
	name: 'resumeAmount',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: 1,
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
	description: 'Time unit of the amount',
};

/** As in n8n's own nodes, for a time interval. */
export const limitWaitTime: INodeProperties = {
	displayName: FIELD,
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for an answer. If you leave this out, the workflow waits until the recipient answers.',
	options: [{ displayName: 'Values', name: 'values', values: [amountField, unitField] }],
};

/**
 * @returns until when to wait; undefined without a limit
 * @throws InputError
 */
export function readWaitLimit({ options, run: { now } }: Item): Date | undefined {
	const { values } = (readOption(options, 'limitWaitTime', FIELD) ?? {}) as { values?: Options };
	if (values === undefined) return undefined;
	const unit = readChoice(values.resumeUnit, ['minutes', 'hours', 'days'], `Unit of ${FIELD}`);
	const after = (amount: number) => new Date(now + amount * MILLISECONDS[unit]);
	const amount = parseAmount(values.resumeAmount, {
		field: `Amount of ${FIELD}`,
		isAllowed: (given) => given > 0 && after(given) < WAIT_INDEFINITELY,
		advice: 'Enter a number greater than 0.',
		byDefault: 1,
	});
	return after(amount);
}

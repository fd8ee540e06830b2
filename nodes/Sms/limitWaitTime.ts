import { WAIT_INDEFINITELY, type INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readAmount, readChoice, readOption, type Options } from '../shared/service/choices';

const FIELD = 'Limit Wait Time';
const UNITS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** As in n8n's own nodes, for a time interval. */
export const limitWaitTime: INodeProperties = {
	displayName: FIELD,
	name: 'limitWaitTime',
	type: 'fixedCollection',
	default: { values: { resumeAmount: 45, resumeUnit: 'minutes' } },
	description:
		'How long to wait for an answer. If you leave this out, the workflow waits until the recipient answers.',
	options: [
		{
			displayName: 'Values',
			name: 'values',
			values: [
				{
					displayName: 'Amount',
					name: 'resumeAmount',
					type: 'number',
					typeOptions: { minValue: 0, numberPrecision: 2 },
					default: 1,
					description: 'How long to wait',
				},
				{
					displayName: 'Unit',
					name: 'resumeUnit',
					type: 'options',
					options: [
						{ name: 'Days', value: 'days' },
						{ name: 'Hours', value: 'hours' },
						{ name: 'Minutes', value: 'minutes' },
					],
					default: 'hours',
					description: 'Time unit of the amount',
				},
			],
		},
	],
};

/**
 * The option Limit Wait Time: one group `values` with `resumeAmount` and `resumeUnit`.
 *
 * @returns until when to wait; undefined without a limit
 * @throws InputError
 */
export function readWaitLimit({ options, run: { now } }: Item): Date | undefined {
	const option = readOption(options, 'limitWaitTime', FIELD) as { values?: Options } | undefined;
	const values = option?.values;
	if (values === undefined || values === null) return undefined;
	const unit = readChoice(
		readOption(values, 'resumeUnit', 'Unit') ?? 'hours',
		['minutes', 'hours', 'days'],
		'Unit',
	);
	const untilOf = (amount: number) => now + amount * UNITS[unit];
	const amount = readAmount(values, 'resumeAmount', {
		field: `Amount of ${FIELD}`,
		isAllowed: (given) => given > 0 && untilOf(given) < WAIT_INDEFINITELY.getTime(),
		advice: 'Enter a number greater than 0.',
		byDefault: 1,
	});
	return new Date(untilOf(amount));
}

import type { INodeProperties } from 'n8n-workflow';
import type { RunSettings } from '../shared/run/policy';
import { readChoice, readOption, readSwitch, type Options } from '../shared/service/choices';
import { InputError, requireText, show } from '../shared/service/InputError';

/** Options that hold for a batch as a whole, as its first item has them. */
export const batchOptions: INodeProperties[] = [
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		description:
			'Whether to check and look up everything as for sending, and send nothing: the results say what would become of each message',
	},
	{
		displayName: 'Include Input Fields',
		name: 'includeInputFields',
		type: 'boolean',
		default: false,
		description:
			'Whether each result keeps the fields of its input item, such as an ID of your CRM. Where both have a field of the same name, the one of the result stays.',
	},
	{
		displayName: 'Invalid Items',
		name: 'invalidItems',
		type: 'options',
		options: [
			{
				name: 'Report',
				value: 'report',
				description: "Send the others; the item's own result says what is wrong with it",
			},
			{
				name: 'Stop',
				value: 'stop',
				description: 'Send nothing as long as one item is wrong',
			},
		],
		default: 'report',
		description: "What to do when an item can't be sent, such as one without a phone number",
	},
	{
		displayName: 'Max Credits',
		name: 'maxCredits',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 2 },
		default: 100,
		description:
			'When the batch has used so many credits, nothing more begins; the rest is not sent. Messages that are under way by then still go.',
	},
];

/** @throws InputError */
export function readBatchSettings(options: Options): RunSettings {
	const invalidItems = readOption(options, 'invalidItems', 'Invalid Items') ?? 'report';
	return {
		invalidItems: readChoice(invalidItems, ['report', 'stop'], 'Invalid Items'),
		includesInput: readSwitch(options, 'includeInputFields', 'Include Input Fields'),
		maxCredits: readMaxCredits(options),
	};
}

function readMaxCredits(options: Options): number | undefined {
	const value = readOption(options, 'maxCredits', 'Max Credits');
	if (value === undefined) return undefined;
	const credits = typeof value === 'number' ? value : Number(requireText(value, 'Max Credits'));
	if (Number.isFinite(credits) && credits > 0) return credits;
	throw new InputError(
		`'Max Credits' is ${show(value)}`,
		'Give a number above 0, or take the option out for no limit.',
	);
}

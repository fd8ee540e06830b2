import type { INodeProperties } from 'n8n-workflow';
import { readChoice } from '../../shared/service/choices';
import { InputError, show } from '../../shared/service/InputError';
import { canonicalNumber, parseNumber } from '../../shared/service/number';
import { requireList, type Parameters } from '../parameters';

/** A message to look up: the latest one to a number, or a snapshot. */
export interface Target {
	/** The same for both formats of a number; its state is kept under it. */
	id: string;
	/** The query parameter of the look-up, and the field of the item. */
	field: 'identifier' | 'snapshotId';
	value: string;
}

const NUMBERS = 'Phone Numbers to Watch';
const SNAPSHOT_IDS = 'Snapshot IDs to Watch';

export const watchFields: INodeProperties[] = [
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		default: 'numbers',
		description: 'Which messages to watch',
		options: [
			{
				name: 'Phone Numbers',
				value: 'numbers',
				description: 'The latest message to each phone number',
			},
			{
				name: 'Snapshot IDs',
				value: 'snapshotIds',
				description: 'Single messages, by the IDs that the SMS node returned',
			},
		],
	},
	{
		displayName: NUMBERS,
		name: 'watchNumbers',
		type: 'string',
		typeOptions: { rows: 2 },
		required: true,
		default: '',
		placeholder: 'e.g. +33 6 12 34 56 78',
		description: 'Phone numbers in national or international format, separated by commas',
		displayOptions: { show: { watch: ['numbers'] } },
	},
	{
		displayName: SNAPSHOT_IDS,
		name: 'watchSnapshotIds',
		type: 'string',
		typeOptions: { rows: 2 },
		required: true,
		default: '',
		placeholder: 'e.g. 362891, 362892',
		description:
			"IDs of messages, separated by commas or spaces: 'snapshotId' in the results of the SMS node",
		displayOptions: { show: { watch: ['snapshotIds'] } },
	},
];

/** @throws InputError for what the user has to correct */
export function readTargets(parameters: Parameters): Target[] {
	const chosen = parameters.get('watch', 'numbers');
	const watch = readChoice(chosen, ['numbers', 'snapshotIds'], 'Watch');
	const targets = watch === 'numbers' ? readNumbers(parameters) : readSnapshotIds(parameters);
	// Both formats of a number are one number.
	return [...new Map(targets.map((target) => [target.id, target])).values()];
}

function readNumbers({ get, country }: Parameters): Target[] {
	const advice = 'Enter one or more phone numbers, separated by commas.';
	return requireList(get('watchNumbers', ''), NUMBERS, advice, /[,;\n]/).map((text) => {
		const value = parseNumber(text, { field: NUMBERS, country, several: advice });
		return { id: `number ${canonicalNumber(value)}`, field: 'identifier', value };
	});
}

function readSnapshotIds({ get }: Parameters): Target[] {
	const advice =
		'Enter one or more snapshot IDs, separated by commas. They are in the results of the SMS node.';
	// As people paste them: quoted, as a list in JSON, or as a spreadsheet has them.
	const separators = /[,;\s"'“”‘’«»[\]]+/;
	const typed = requireList(get('watchSnapshotIds', ''), SNAPSHOT_IDS, advice, separators);
	return typed.map((text) => {
		const value = parseSnapshotId(text);
		return { id: `snapshot ${value}`, field: 'snapshotId', value };
	});
}

function parseSnapshotId(text: string): string {
	const value = text.replace(/^(\d{1,30})\.0{1,30}$/, '$1');
	if (/^\d{1,100}$/.test(value)) return value;
	throw new InputError(
		`'${SNAPSHOT_IDS}' has ${show(text)}, which is not a snapshot ID`,
		"Enter IDs such as 362891, separated by commas: 'snapshotId' in the results of the SMS node.",
	);
}

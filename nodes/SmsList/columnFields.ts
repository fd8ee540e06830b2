import type { INodeProperties } from 'n8n-workflow';
import type { Client } from '../shared/run/client';
import type { LookUp } from '../shared/run/unknown';
import { readChoice } from '../shared/service/choices';
import { InputError, requireTrimmed, show } from '../shared/service/InputError';
import {
	COLUMN_TYPES,
	DATE_FORMATS,
	isSimilarName,
	LIST,
	readColumns,
	RICH_MESSAGE,
	tokenOf,
} from '../shared/service/lists';

/** A column that is to be added: the body of the request (interface document 4.5). */
export interface NewColumn {
	name: string;
	type: string;
	format?: string;
}

/**
 * The fields of a column, by their names in the form.
 *
 * @param nameField what its name has of its own
 */
export function columnFields(
	{ name, type, format }: Record<keyof NewColumn, string>,
	nameField: Partial<INodeProperties>,
): INodeProperties[] {
	return [
		{
			displayName: 'Column Name',
			name,
			type: 'string',
			default: '',
			placeholder: 'e.g. Last Name',
			...nameField,
		},
		{
			displayName: 'Column Type',
			name: type,
			type: 'options',
			options: [
				{ name: 'Boolean', value: 'BOOLEAN', description: 'Yes or no, stored as 1 or 0' },
				{
					name: 'Date',
					value: 'DATE',
					description: 'A date in the format that you choose below',
				},
				{ name: 'Number', value: 'NUMBER' },
				{ name: 'Text', value: 'STRING' },
			],
			default: 'STRING',
			description: 'What kind of values the column stores',
		},
		{
			displayName: 'Date Format',
			name: format,
			type: 'options',
			options: [
				{ name: 'Day/Month', value: 'dd/MM', description: 'Such as 24/12, for a birthday' },
				{ name: 'Day/Month/Year', value: 'dd/MM/yyyy', description: 'Such as 24/12/1990' },
				{ name: 'Month/Year', value: 'MM/yyyy', description: 'Such as 12/1990' },
			],
			default: 'dd/MM/yyyy',
			displayOptions: { show: { [type]: ['DATE'] } },
			description: 'Format of the dates in this column',
		},
	];
}

/**
 * @param format counts for the type DATE; by default the one with all parts
 * @throws InputError
 */
export function parseColumn(name: unknown, type: unknown, format: unknown): NewColumn {
	const column = {
		name: readName(name),
		type: readChoice(type ?? 'STRING', COLUMN_TYPES, 'Column Type'),
	};
	if (column.type !== 'DATE') return column;
	const chosen = readChoice(format || DATE_FORMATS[0], DATE_FORMATS, 'Date Format');
	return { ...column, format: chosen };
}

/** @throws InputError */
function readName(value: unknown): string {
	const name = requireTrimmed(value, 'Column Name', 'Give a name.');
	if (tokenOf(name) !== RICH_MESSAGE) return name;
	throw new InputError(
		`'Column Name' can't be ${show(name)}`,
		'In campaigns, ${rich_message} is the link to the landing page. Choose another name.',
	);
}

/** Advice on a column that looks like another. */
export const ALIKE =
	"Two columns can't have names that differ only in accents, case or spaces, or that have the same token in campaigns.";

/** Whether two columns would look the same, or have the same token in campaigns. */
export function areAlike(one: string, other: string): boolean {
	const token = tokenOf(one);
	return isSimilarName(one, other) || (token !== '' && token === tokenOf(other));
}

/** Looks for a column that may have been added: none of its name was there before. @throws StepFailed */
export async function findAdded(listId: string, name: string, client: Client): Promise<LookUp> {
	const get = { endpoint: LIST, path: { listId } };
	const columns = await client.get(get, readColumns, () => true);
	const added = columns.find((column) => column.name === name);
	return added === undefined ? 'absent' : { value: { id: added.id } };
}

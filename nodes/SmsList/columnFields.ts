import type { INodeProperties } from 'n8n-workflow';
import { readChoice } from '../shared/service/choices';
import { requireTrimmed } from '../shared/service/InputError';
import { COLUMN_TYPES, DATE_FORMATS } from '../shared/service/lists';

/** A column that is to be added: the body of the request (interface document 4.5). */
export interface NewColumn {
	name: string;
	type: string;
	format?: string;
}

export const columnTypeField: INodeProperties = {
	displayName: 'Column Type',
	name: 'columnType',
	type: 'options',
	options: [
		{ name: 'Boolean', value: 'BOOLEAN', description: 'Yes or no, stored as 1 or 0' },
		{ name: 'Date', value: 'DATE', description: 'A date in the format that you choose below' },
		{ name: 'Number', value: 'NUMBER' },
		{ name: 'Text', value: 'STRING' },
	],
	default: 'STRING',
	description: 'What kind of values the column stores',
};

export const dateFormatField: INodeProperties = {
	displayName: 'Date Format',
	name: 'dateFormat',
	type: 'options',
	options: [
		{ name: 'Day/Month', value: 'dd/MM', description: 'Such as 24/12, for a birthday' },
		{ name: 'Day/Month/Year', value: 'dd/MM/yyyy', description: 'Such as 24/12/1990' },
		{ name: 'Month/Year', value: 'MM/yyyy', description: 'Such as 12/1990' },
	],
	default: 'dd/MM/yyyy',
	description: 'Format of the dates in this column',
};

/**
 * @param format counts for the type DATE; by default the one with all parts
 * @throws InputError
 */
export function parseColumn(name: unknown, type: unknown, format: unknown): NewColumn {
	const column = {
		name: parseName(name, 'Column Name'),
		type: readChoice(type ?? 'STRING', COLUMN_TYPES, 'Column Type'),
	};
	if (column.type !== 'DATE') return column;
	return {
		...column,
		format: readChoice(format || DATE_FORMATS[0], DATE_FORMATS, 'Date Format'),
	};
}

/** Why a column is refused that looks like another. */
export const ALIKE = "Two columns can't have names that differ only in accents, case or spaces.";

/** @throws InputError for an empty name */
export function parseName(value: unknown, field: string): string {
	return requireTrimmed(value, field, 'Give a name.');
}

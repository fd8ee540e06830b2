import { asId, asObject, asRecord, isMissing, without } from './answers';
import type { Endpoint } from './endpoint';
import { InputError } from './InputError';
import { readCollection } from './records';

/** Types of a list's columns (interface document 2.3). */
export const COLUMN_TYPES = ['STRING', 'DATE', 'BOOLEAN', 'NUMBER'] as const;
type ColumnType = (typeof COLUMN_TYPES)[number];

/** Formats of a column of type DATE (interface document 2.3). */
export const DATE_FORMATS = ['dd/MM/yyyy', 'dd/MM', 'MM/yyyy'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/** A list as the list of all lists has it (interface document 2.2). */
interface ListSummary {
	id: string;
	name: string;
}

/** A column of a list (interface document 2.3). */
export interface Column {
	/** Key of the column's value in a contact. */
	id: string;
	name: string;
	/** STRING for a type that this package doesn't know. */
	type: ColumnType;
	/** Set for type DATE, where the service says which one. */
	format?: DateFormat;
}

/** Interface document 4.5. */
export const LISTS: Endpoint = 'GET /v2/lists/';
export const LIST: Endpoint = 'GET /v2/lists/{listId}';
export const ADD_COLUMN: Endpoint = 'POST /v2/lists/{listId}/fields';

/** All lists; what has no ID is left out. A single list may come without the list around it. */
export function readLists(body: unknown): ListSummary[] | undefined {
	return readCollection(body, readListSummary);
}

function readListSummary(record: unknown): ListSummary | undefined {
	const list = asRecord(record);
	return list && { ...list, name: asId(list.name) ?? list.id };
}

/** A list with its columns as the service has them; a list without columns may leave them out. */
export function readList(body: unknown): Record<string, unknown> | undefined {
	const list = readListSummary(body);
	const fields = readFields(body, readField);
	return list && fields && { ...list, fields };
}

/** The columns in the answer for one list; what has no ID is left out. */
export function readColumns(body: unknown): Column[] | undefined {
	return readListSummary(body) && readFields(body, readColumn);
}

function readFields<T>(
	body: unknown,
	readOne: (record: unknown) => T | undefined,
): T[] | undefined {
	const fields = asObject(body)?.fields;
	return isMissing(fields) ? [] : readCollection(fields, readOne);
}

/** Without the ID of the list, which stands above it, and without a format that it doesn't have. */
function readField(record: unknown): Record<string, unknown> | undefined {
	const field = asRecord(record);
	if (field === undefined) return undefined;
	return without(field, isMissing(field.format) ? ['listId', 'format'] : ['listId']);
}

function readColumn(record: unknown): Column | undefined {
	const field = asRecord(record);
	if (field === undefined) return undefined;
	const type = String(field.type).toUpperCase();
	return {
		id: field.id,
		name: asId(field.name) ?? field.id,
		type: COLUMN_TYPES.find((known) => known === type) ?? 'STRING',
		format: DATE_FORMATS.find((known) => known === field.format),
	};
}

/** The columns that a user can mean: by ID, else by name, else by name in other letters. */
export function columnsCalled(columns: readonly Column[], key: string): Column[] {
	const wanted = key.trim().toLowerCase();
	const ways = [
		columns.filter(({ id }) => id === key).slice(0, 1),
		columns.filter(({ name }) => name === key),
		columns.filter(({ name }) => name.trim().toLowerCase() === wanted),
	];
	return ways.find(({ length }) => length > 0) ?? [];
}

/**
 * The column that a user means: by ID, by name, or by name in other letters.
 *
 * @throws InputError naming the columns that there are, also where several have this name
 */
export function findColumn(columns: readonly Column[], key: string): Column {
	const [found, ...others] = columnsCalled(columns, key);
	if (others.length > 0) {
		const ids = [found, ...others].map(({ id }) => id).join(', ');
		throw new InputError(
			`The list has ${others.length + 1} columns '${key}'`,
			`Enter the ID of the one that you mean: ${ids}.`,
		);
	}
	if (found !== undefined) return found;
	const named = columns.map(({ name }) => `'${name}'`).join(', ');
	throw new InputError(
		`The list has no column '${key}'`,
		named === '' ? 'It has no columns at all.' : `Its columns are ${named}.`,
	);
}

/** The type of a column, in the words of the editor. */
export function describeColumn({ type, format }: Column): string {
	switch (type) {
		case 'BOOLEAN':
			return '0 or 1';
		case 'DATE':
			return format === undefined ? 'Date' : `Date (${format})`;
		case 'NUMBER':
			return 'Number';
		case 'STRING':
			return 'Text';
	}
}

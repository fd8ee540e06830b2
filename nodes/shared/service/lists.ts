import { asId, asObject } from './answers';

/** Types of a list's columns (interface document 2.3). */
export const COLUMN_TYPES = ['STRING', 'DATE', 'BOOLEAN', 'NUMBER'] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** Formats of a column of type DATE (interface document 2.3). */
export const DATE_FORMATS = ['dd/MM/yyyy', 'dd/MM', 'MM/yyyy'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

/** A list as the list of all lists has it (interface document 2.2). */
export interface ListSummary {
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

/** All lists; undefined unless each has an id. A single list may come without the array. */
export function readLists(body: unknown): ListSummary[] | undefined {
	const lists: ListSummary[] = [];
	for (const item of Array.isArray(body) ? (body as unknown[]) : [body]) {
		const fields = asObject(item);
		const id = asId(fields?.id);
		if (fields === undefined || id === undefined) return undefined;
		lists.push({ ...fields, id, name: asId(fields.name) ?? id });
	}
	return lists;
}

/** The columns of one list's answer; a list without columns may leave `fields` out. */
export function readColumns(body: unknown): Column[] | undefined {
	const list = asObject(body);
	if (asId(list?.id) === undefined) return undefined;
	const listed = list?.fields ?? [];
	if (!Array.isArray(listed)) return undefined;
	const columns: Column[] = [];
	for (const item of listed as unknown[]) {
		const fields = asObject(item);
		const id = asId(fields?.id);
		if (fields === undefined || id === undefined) return undefined;
		const type = String(fields.type).toUpperCase();
		columns.push({
			id,
			name: asId(fields.name) ?? id,
			type: COLUMN_TYPES.find((known) => known === type) ?? 'STRING',
			format: DATE_FORMATS.find((known) => known === fields.format),
		});
	}
	return columns;
}

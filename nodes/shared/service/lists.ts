import { asId, asObject, asRecord, isMissing, without } from './answers';
import type { Endpoint } from './endpoint';
import { InputError, oneLine } from './InputError';
import { readEach } from './records';

/** Types of a list's columns (interface document 2.3). */
export const COLUMN_TYPES = ['STRING', 'DATE', 'BOOLEAN', 'NUMBER'] as const;
type ColumnType = (typeof COLUMN_TYPES)[number];

/** Formats of a column of type DATE (interface document 2.3). */
export const DATE_FORMATS = ['dd/MM/yyyy', 'dd/MM', 'MM/yyyy'] as const;
export type DateFormat = (typeof DATE_FORMATS)[number];

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

/** A list as the list of all lists has it (interface document 2.2). */
export function readListSummary(record: unknown) {
	const list = asRecord(record);
	return list && { ...list, name: asId(list.name) ?? list.id };
}

/** A list with its columns as the service has them; a list without columns may leave them out. */
export function readList(body: unknown) {
	const list = readListSummary(body);
	const fields = readFields(body, readField);
	return list && fields && { ...list, fields };
}

/** The columns in the answer for one list; what has no ID is left out. */
export function readColumns(body: unknown): Column[] | undefined {
	return readListSummary(body) && readFields(body, readColumn);
}

function readFields<T>(body: unknown, readOne: (record: unknown) => T | undefined) {
	const fields = asObject(body)?.fields;
	return isMissing(fields) ? [] : readEach(fields, readOne);
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

/** Line breaks, no-break spaces and several spaces look like one space; `’` looks like `'`. */
const LOOKALIKES: ReadonlyArray<[look: RegExp, as: string]> = [
	[/[\p{Cf}\ufe0f]/gu, ''],
	[/\s+/g, ' '],
	[/[\u2018\u2019\u02bc\u2032\u00b4\u0060]/g, "'"],
	[/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"'],
	[/[\u2010\u2011]/g, '-'],
	[/^ ?(["'])(.*)\1 ?$/, '$2'],
];

/** A name without what nobody sees in it: accents are composed, and letters are lowercase. */
function visibleName(name: string): string {
	return LOOKALIKES.reduce((text, [look, as]) => text.replace(look, as), name.normalize())
		.trim()
		.toLowerCase();
}

/** A visible name without accents and blanks. */
function bareName(name: string): string {
	return visibleName(name)
		.normalize('NFD')
		.replace(/[\p{M}\s]/gu, '');
}

/** Whether two names differ at most in accents, case and blanks. */
export function isSimilarName(one: string, other: string): boolean {
	return bareName(one) === bareName(other);
}

/** Stands for the link to the landing page (interface document 2.5). */
export const RICH_MESSAGE = 'rich_message';

/**
 * The token of a column by its name (interface document 2.3): in lowercase, with underscores for spaces. For other
 * characters the rule is not shown: accents go, and signs become underscores.
 *
 * @returns empty for a name with other letters, which no message can have
 */
export function tokenOf(name: string): string {
	const token = bare(name)
		.replace(/[^\p{L}\p{N}]+/gu, '_')
		.replace(/^_+|_+$/g, '');
	return /^[a-z0-9_]+$/.test(token) ? token : '';
}

/** The letters and digits of a name: in lowercase, without accents. */
export function lettersOf(name: string): string {
	return bare(name).replace(/[^\p{L}\p{N}]/gu, '');
}

function bare(text: string): string {
	return text
		.toLowerCase()
		.replaceAll('œ', 'oe')
		.replaceAll('æ', 'ae')
		.normalize('NFD')
		.replace(/\p{M}/gu, '');
}

/** Columns by what they are called. */
type Named = Map<string, Column[]>;
type Index = Record<'ids' | 'names' | 'visible' | 'bare', Named>;

/** Made once for a list: a run looks up a name for each value of each item. */
const indexes = new WeakMap<readonly Column[], Index>();

function indexOf(columns: readonly Column[]): Index {
	const known = indexes.get(columns);
	if (known !== undefined) return known;
	const by = (keyOf: (column: Column) => string) => {
		const named: Named = new Map();
		for (const column of columns) {
			const key = keyOf(column);
			named.set(key, [...(named.get(key) ?? []), column]);
		}
		return named;
	};
	const index = {
		ids: by(({ id }) => id),
		names: by(({ name }) => name),
		visible: by(({ name }) => visibleName(name)),
		bare: by(({ name }) => bareName(name)),
	};
	indexes.set(columns, index);
	return index;
}

/** The columns that a user can mean: by ID, else by name, else by a name that looks the same. */
export function columnsCalled(columns: readonly Column[], key: string): readonly Column[] {
	const { ids, names, visible } = indexOf(columns);
	return ids.get(key)?.slice(0, 1) ?? names.get(key) ?? visible.get(visibleName(key)) ?? [];
}

/** The columns with a similar name: it differs at most in accents, case and blanks. */
export function columnsLike(columns: readonly Column[], name: string): readonly Column[] {
	return indexOf(columns).bare.get(bareName(name)) ?? [];
}

/** The name of the column with this ID; undefined for none, and where several columns have the name. */
export function nameOf(columns: readonly Column[], id: string): string | undefined {
	const { ids, names } = indexOf(columns);
	const name = ids.get(id)?.[0].name;
	return name !== undefined && names.get(name)?.length === 1 ? name : undefined;
}

/**
 * The column that a user means.
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
	const named = columns.map(({ name }) => `'${oneLine(name)}'`).join(', ');
	throw new InputError(
		`The list has no column '${key}'`,
		named === '' ? 'It has no columns at all.' : `Its columns are ${named}.`,
	);
}

/** The types in the words of the editor. */
const TYPES = { BOOLEAN: '0 or 1', DATE: 'Date', NUMBER: 'Number', STRING: 'Text' };

export function describeColumn({ type, format }: Column): string {
	return format === undefined ? TYPES[type] : `${TYPES[type]} (${format})`;
}

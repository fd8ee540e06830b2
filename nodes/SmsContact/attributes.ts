import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { fieldsOf } from '../shared/run/outcome';
import { writeColumnValue } from '../shared/service/columnValue';
import { InputError, show } from '../shared/service/InputError';
import { columnsCalled, findColumn, type Column } from '../shared/service/lists';

/** Values for the columns of the list, as typed fields. Needs the node method `getColumnFields`. */
export const attributesField: INodeProperties = {
	displayName: 'Columns',
	name: 'attributes',
	type: 'resourceMapper',
	default: { mappingMode: 'defineBelow', value: null },
	noDataExpression: true,
	typeOptions: {
		loadOptionsDependsOn: ['list.value'],
		resourceMapper: {
			resourceMapperMethod: 'getColumnFields',
			mode: 'add',
			valuesLabel: 'Values of the Contact',
			fieldWords: { singular: 'column', plural: 'columns' },
			addAllFields: true,
			supportAutoMap: true,
			refreshStaleSchemaOnOpen: true,
			multiKeyMatch: false,
			noFieldsError: 'No columns could be loaded',
		},
	},
	displayOptions: { hide: { list: [''] } },
	description:
		"Values of the contact for the columns of the list. Leave a column empty to store nothing. Dates are stored in the format of their column, in the workflow's time zone.",
};

/** The same of a contact that the list may have already. */
export const changedAttributesField: INodeProperties = {
	...attributesField,
	description:
		"Values of the contact for the columns of the list. Leave a column empty to keep its value in the list; use an expression that gives an empty value to clear it. Dates are stored in the format of their column, in the workflow's time zone.",
};

/** Values by column as the mapper or an expression gives them, not checked yet. */
export interface TypedValues {
	values: IDataObject;
	/** True where the values are those of the input item: what is no column is left out. */
	automatic: boolean;
}

/**
 * @param parameter the value of the mapper, or an object of values by column
 * @param item the input item, for "Map Automatically"
 * @throws InputError
 */
export function readAttributes(parameter: unknown, item: IDataObject): TypedValues {
	if (isMissing(parameter)) return { values: {}, automatic: false };
	if (typeof parameter !== 'object' || Array.isArray(parameter)) {
		throw new InputError(
			`'Columns' is ${show(parameter)}, not an object of values`,
			"Fill in the fields of 'Columns', or use an object with the names of columns and their values.",
		);
	}
	const { mappingMode, value } = parameter as IDataObject;
	if (mappingMode === 'autoMapInputData') return { values: item, automatic: true };
	const values = mappingMode === undefined ? parameter : isMissing(value) ? {} : value;
	return { values: values as IDataObject, automatic: false };
}

function isMissing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Also of a field that was switched to an expression, and left at that. */
function isBlank(typed: unknown): boolean {
	return isMissing(typed) || (typeof typed === 'string' && /^=?\s*$/.test(typed));
}

/**
 * The same without the columns whose fields were left empty in the form. An expression that gives nothing
 * for an item is another matter.
 *
 * @param typed the parameter as the workflow stores it
 */
export function withoutBlankFields(
	{ values, automatic }: TypedValues,
	typed: unknown,
): TypedValues {
	const fields = (typed as IDataObject | undefined)?.value;
	if (automatic || typeof fields !== 'object' || fields === null) return { values, automatic };
	const filled = Object.entries(values).filter(([key]) => !isBlank((fields as IDataObject)[key]));
	return { values: Object.fromEntries(filled), automatic };
}

/**
 * The values as the service takes them, by column ID (interface document 2.4), and the fields that are for no column.
 *
 * @param empty what stands for an empty value, which is left out by default. What an item doesn't have at all
 *   (undefined) is always left out.
 * @throws InputError naming the column and what it takes
 */
export function writeAttributes(
	{ values, automatic }: TypedValues,
	columns: readonly Column[],
	timeZone: string,
	empty?: string,
): { attributes: Record<string, string>; ignored: readonly string[] } {
	const keys = Object.keys(values);
	const { mapped, ignored } = automatic
		? mappingOf(keys, columns)
		: { mapped: keys, ignored: [] };
	const attributes: Record<string, string> = {};
	for (const key of mapped) {
		const value = values[key];
		if (value === undefined || (empty === undefined && isMissing(value))) continue;
		const column = findColumn(columns, key);
		const written = writeColumnValue(column, value, timeZone) ?? empty;
		if (written !== undefined) attributes[column.id] = written;
	}
	return { attributes, ignored };
}

interface Mapping {
	mapped: readonly string[];
	ignored: readonly string[];
}

/** The mappings of a run by the fields of an item, which most items share. */
const mappings = new WeakMap<readonly Column[], Map<string, Mapping>>();

/** The fields of an item that are for a column: for each one, that with its very name or ID, or else the first. */
function mappingOf(keys: readonly string[], columns: readonly Column[]): Mapping {
	const known = mappings.get(columns) ?? new Map<string, Mapping>();
	mappings.set(columns, known);
	const fields = JSON.stringify(keys);
	let mapping = known.get(fields);
	if (mapping === undefined) {
		const chosen = new Map<Column, string>();
		for (const key of keys) {
			const [column] = columnsCalled(columns, key);
			if (column === undefined) continue;
			const isExact = key === column.id || key === column.name;
			if (isExact || !chosen.has(column)) chosen.set(column, key);
		}
		const mapped = [...chosen.values()];
		mapping = { mapped, ignored: keys.filter((key) => !mapped.includes(key)) };
		known.set(fields, mapping);
	}
	return mapping;
}

/**
 * A function that puts the names of columns in the place of their IDs. Of two columns with the same
 * name, and for one that the list no longer has, the ID stays.
 */
export function namedBy(columns: readonly Column[]): (attributes: object) => IDataObject {
	const count = new Map<string, number>();
	for (const { name } of columns) count.set(name, (count.get(name) ?? 0) + 1);
	const names = new Map(
		columns.filter(({ name }) => count.get(name) === 1).map(({ id, name }) => [id, name]),
	);
	return (attributes) =>
		Object.fromEntries(
			Object.entries(fieldsOf(attributes)).map(([id, value]) => [names.get(id) ?? id, value]),
		);
}

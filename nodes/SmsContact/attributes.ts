import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { refuseNoValue } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { isMissing } from '../shared/service/answers';
import { writeColumnValue } from '../shared/service/columnValue';
import { InputError, readAll, show } from '../shared/service/InputError';
import {
	columnsCalled,
	columnsLike,
	findColumn,
	nameOf,
	type Column,
} from '../shared/service/lists';

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

/** Values of a contact that the list may have already. */
export const changedAttributesField: INodeProperties = {
	...attributesField,
	description:
		"Values of the contact for the columns of the list. Leave a column empty to keep its value in the list; use an expression that gives an empty value to clear it. Dates are stored in the format of their column, in the workflow's time zone.",
};

/**
 * The mapper's values of an item, or an object of values by column, not checked yet.
 *
 * @param keepsBlank leaves out columns whose fields were left empty in the form. An expression that gives nothing for
 *   an item is another matter.
 * @returns `automatic` where the values are those of the input item: fields without a column are left out
 * @throws InputError
 */
export function readAttributes(
	item: Item,
	keepsBlank: boolean,
): { values: IDataObject; automatic: boolean } {
	const parameter = item.parameter('attributes', null);
	if (isMissing(parameter)) return { values: {}, automatic: false };
	if (typeof parameter !== 'object' || Array.isArray(parameter)) {
		throw new InputError(
			`'Columns' is ${show(parameter)}, not an object of values`,
			"Fill in the fields of 'Columns', or use an object with the names of columns and their values.",
		);
	}
	const { mappingMode, value } = parameter as IDataObject;
	if (mappingMode === 'autoMapInputData') return { values: item.json, automatic: true };
	const given = mappingMode === undefined ? parameter : value;
	const values = (isMissing(given) ? {} : given) as IDataObject;
	const { value: fields } = (item.typed('attributes') ?? {}) as { value?: unknown };
	for (const [key, text] of Object.entries(values))
		if (typeof text === 'string') refuseNoValue(item, ['attributes', 'value', key], text, key);
	if (!keepsBlank || typeof fields !== 'object' || fields === null)
		return { values, automatic: false };
	const filled = Object.entries(values).filter(([key]) => !isBlank((fields as IDataObject)[key]));
	return { values: Object.fromEntries(filled), automatic: false };
}

/** Also of a field that was switched to an expression, and left at that. */
function isBlank(typed: unknown): boolean {
	return isMissing(typed) || (typeof typed === 'string' && /^=?\s*$/.test(typed));
}

/**
 * Maps fields to columns: to each one that with its very name, else with its ID, else the first that looks like it, be
 * it without accents and blanks.
 *
 * @returns `mapped`: each field with the ID of its column, or with its own name where several columns have that;
 *   `unknown`: fields without a column; `doubled`: those whose column has another field
 */
export function mappingOf(
	fields: readonly string[],
	columns: readonly Column[],
): {
	mapped: ReadonlyArray<[field: string, key: string]>;
	unknown: readonly string[];
	doubled: readonly string[];
} {
	const chosen = new Map<Column, [field: string, key: string]>();
	const unknown = new Set<string>();
	const rankOf = (field: string, { id, name }: Column) => [id, name].indexOf(field);
	for (const field of fields) {
		const called = columnsCalled(columns, field);
		const [column = columnsLike(columns, field)[0]] = called;
		if (column === undefined) {
			unknown.add(field);
			continue;
		}
		const [known] = chosen.get(column) ?? [];
		if (known === undefined || rankOf(field, column) > rankOf(known, column))
			chosen.set(column, [field, called.length > 1 ? field : column.id]);
	}
	const mapped = [...chosen.values()];
	const used = new Set(mapped.map(([field]) => field));
	const doubled = fields.filter((field) => !used.has(field) && !unknown.has(field));
	return { mapped, unknown: [...unknown], doubled };
}

/**
 * The values as the service takes them, by column ID (interface document 2.4).
 *
 * @param empty what stands for an empty value, which is left out by default. What an item doesn't have at all
 *   (undefined) is always left out.
 * @throws InputError naming the column and what it takes
 */
export function writeAttributes(
	values: IDataObject,
	columns: readonly Column[],
	timeZone: string,
	empty?: string,
): Record<string, string> {
	const attributes = new Map<string, string>();
	const given = Object.entries(values).filter(
		([, value]) => value !== undefined && !(empty === undefined && isMissing(value)),
	);
	const writes = given.map(([key, value]) => () => {
		const column = findColumn(columns, key);
		const written = writeColumnValue(column, value, timeZone) ?? empty;
		if (written !== undefined) attributes.set(column.id, written);
	});
	readAll(...writes);
	// A column may be called `__proto__`, which an assignment would not set.
	return Object.fromEntries(attributes);
}

/**
 * A function that puts the names of columns in the place of their IDs. Of two columns with the same
 * name, and for one that the list no longer has, the ID stays.
 */
export function namedBy(columns: readonly Column[]): (attributes: object) => IDataObject {
	return (attributes) =>
		Object.fromEntries(
			Object.entries(attributes).map(([id, value]) => [nameOf(columns, id) ?? id, value]),
		);
}

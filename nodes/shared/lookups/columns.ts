import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodePropertyOptions,
	type ResourceMapperField,
	type ResourceMapperFields,
} from 'n8n-workflow';
import { parseId } from '../fields/list';
import { isListMissing } from '../service/errorCodes';
import { columnsCalled, describeColumn, LIST, readColumns, type Column } from '../service/lists';
import { ask } from './ask';

/**
 * The columns of the list that is chosen in the node.
 *
 * @param whenGone the result for a list that the service doesn't have any more; by default, an error
 * @throws NodeApiError, NodeOperationError
 */
async function askForColumns(
	context: ILoadOptionsFunctions,
	whenGone?: Column[],
): Promise<Column[]> {
	const listId = parseId(context.getCurrentNodeParameter('list'), 'List');
	if (listId.startsWith('=')) {
		throw new NodeOperationError(
			context.getNode(),
			"The columns can't be loaded while 'List' is an expression",
			{ description: 'Choose a list to see its columns, then change it to the expression.' },
		);
	}
	const request = { endpoint: LIST, path: { listId } };
	return await ask(context, request, readColumns, (failure) =>
		isListMissing(failure) ? whenGone : undefined,
	);
}

const MAPPER_TYPES = { STRING: 'string', NUMBER: 'number' } as const;

/** As the service has them. A switch would be off, and written as 0, before anybody touched it. */
const YES_OR_NO = [
	{ name: 'No', value: '0' },
	{ name: 'Yes', value: '1' },
];

/** The columns as typed fields of the mapper (resource mapping method). */
export async function getColumnFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const gone: Column[] = [];
	const columns = await askForColumns(this, gone);
	const fields = columns.map((column) => toMapperField(column, keyOf(column, columns)));
	// n8n shows the notice above "Map Automatically", too, whether there are fields or not.
	if (fields.length > 0) return { fields };
	return {
		fields,
		// An error would be shown as "Can't load columns", whatever it says.
		emptyFieldsNotice:
			columns === gone
				? 'This list no longer exists. Choose another one.'
				: 'This list has no columns: a contact in it is a phone number only',
	};
}

/** n8n makes no field of these: it writes the key into a path. */
const NO_KEY = /["'`\\[\]]/;
/** n8n leaves fields with these names out when it copies a workflow. In other letters, they mean the same column. */
const DROPPED = /^(?:__proto__|constructor|prototype)$/;

/**
 * The key of a value in the workflow: the name, as a user writes it, and the ID only where the name
 * could mean another column.
 */
function keyOf(column: Column, columns: readonly Column[]): string {
	const { id, name } = column;
	const [meant, ...others] = columnsCalled(columns, name);
	const key = meant === column && others.length === 0 && !NO_KEY.test(name) ? name : id;
	return DROPPED.test(key) ? key.toUpperCase() : key;
}

function toMapperField({ name, type, format }: Column, key: string): ResourceMapperField {
	const title = key === name ? name : `${name} (${key})`;
	const field = {
		id: key,
		defaultMatch: false,
		canBeUsedToMatch: false,
		required: false,
		display: true,
	};
	if (type === 'BOOLEAN') {
		return { ...field, displayName: title, type: 'options', options: YES_OR_NO };
	}
	if (type !== 'DATE') return { ...field, displayName: title, type: MAPPER_TYPES[type] };
	// A date picker asks for a year, which the shorter formats don't have.
	const withYear = format === undefined || format === 'dd/MM/yyyy';
	return {
		...field,
		displayName: `${title} (${format ?? 'dd/MM/yyyy'})`,
		type: withYear ? 'dateTime' : 'string',
	};
}

/** The columns as a dropdown (load options method); none while no list is chosen. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	const list = this.getCurrentNodeParameter('list') as { value?: unknown } | string | undefined;
	const chosen = typeof list === 'object' ? list.value : list;
	if (String(chosen ?? '').trim() === '') return [];
	return (await askForColumns(this)).map((column) => ({
		name: column.name,
		value: column.id,
		description: describeColumn(column),
	}));
}

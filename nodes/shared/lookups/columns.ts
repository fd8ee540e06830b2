import {
	NodeOperationError,
	type ILoadOptionsFunctions,
	type INodePropertyOptions,
	type ResourceMapperField,
	type ResourceMapperFields,
} from 'n8n-workflow';
import { parseId } from '../fields/list';
import { describeColumn, listPath, readColumns, type Column } from '../service/lists';
import { ask } from './ask';

/**
 * The columns of the list that is chosen in the node.
 *
 * @throws NodeApiError, NodeOperationError
 */
export async function askForColumns(context: ILoadOptionsFunctions): Promise<Column[]> {
	const listId = parseId(context.getCurrentNodeParameter('list'), 'List');
	if (listId.startsWith('=')) {
		throw new NodeOperationError(
			context.getNode(),
			"The columns can't be shown while 'List' is an expression",
			{ description: 'Choose a list to see its columns, then change it to the expression.' },
		);
	}
	return await ask(context, listPath(listId), readColumns);
}

/** Whether a resource locator has a value. */
function isChosen(locator: unknown): boolean {
	const value =
		typeof locator === 'object' && locator !== null && 'value' in locator
			? locator.value
			: locator;
	return value !== undefined && value !== null && String(value).trim() !== '';
}

const MAPPER_TYPES = { STRING: 'string', NUMBER: 'number' } as const;

/** As the service has them. A switch would be off, and written as 0, before anybody touched it. */
const YES_OR_NO = [
	{ name: 'No', value: '0' },
	{ name: 'Yes', value: '1' },
];

/** The columns as typed fields of the mapper (resource mapping method). */
export async function getColumnFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const columns = await askForColumns(this);
	return {
		fields: columns.map(toMapperField),
		emptyFieldsNotice: 'This list has no columns: a contact in it is a phone number only',
	};
}

function toMapperField({ id, name, type, format }: Column): ResourceMapperField {
	const field = {
		id,
		defaultMatch: false,
		canBeUsedToMatch: false,
		required: false,
		display: true,
	};
	if (type === 'BOOLEAN') {
		return { ...field, displayName: name, type: 'options', options: YES_OR_NO };
	}
	if (type !== 'DATE') return { ...field, displayName: name, type: MAPPER_TYPES[type] };
	// A date picker asks for a year, which the shorter formats don't have.
	const withYear = format === undefined || format === 'dd/MM/yyyy';
	return {
		...field,
		displayName: `${name} (${format ?? 'dd/MM/yyyy'})`,
		type: withYear ? 'dateTime' : 'string',
	};
}

/** The columns as a dropdown (load options method); none while no list is chosen. */
export async function getColumns(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	if (!isChosen(this.getCurrentNodeParameter('list'))) return [];
	return (await askForColumns(this)).map((column) => ({
		name: column.name,
		value: column.id,
		description: describeColumn(column),
	}));
}

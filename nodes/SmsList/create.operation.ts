import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { defineOperation } from '../shared/run/define';
import { StepFailed } from '../shared/run/outcome';
import { InputError, show } from '../shared/service/InputError';
import { ADD_COLUMN } from '../shared/service/lists';
import { readCreated } from '../shared/service/records';
import {
	columnTypeField,
	dateFormatField,
	parseColumn,
	parseName,
	type NewColumn,
} from './columnFields';

const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Customers of Lyon',
	description: 'Name of the new list',
};

const columnsField: INodeProperties = {
	displayName: 'Columns',
	name: 'columns',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		sortable: true,
		fixedCollection: { itemTitle: '={{ $collection.item.value.name }}' },
	},
	placeholder: 'Add column',
	default: {},
	description:
		'What the list stores about each contact in addition to the phone number. You can add more columns later.',
	options: [
		{
			displayName: 'Column',
			name: 'column',
			values: [
				{
					displayName: 'Column Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. Last Name',
					description: 'Name of the column',
				},
				{ ...columnTypeField, name: 'type' },
				{
					...dateFormatField,
					displayName: 'Format',
					name: 'format',
					displayOptions: { show: { type: ['DATE'] } },
				},
			],
		},
	],
};

const request = 'POST /v2/lists/';

/** Interface document 4.5, "Create a list", then "Add a column" for each of its columns. */
export const create = defineOperation({
	name: 'Create List',
	value: 'create',
	action: 'Create list',
	description: 'Create an empty contact list, with its columns',
	builderHint:
		'Use to make a new list, with its columns such as a first name or a birthday, before contacts are added.',
	fields: [nameField, columnsField],
	request,
	sourceParameters: ['name'],
	verb: 'created',
	prepare(item) {
		const name = parseName(item.parameter('name'), 'Name');
		return {
			name,
			columns: parseColumns(item.parameter('columns', {})),
			subject: name,
			extra: { name },
		};
	},
	async execute({ name, columns }, client) {
		const list = await client.change(
			{ endpoint: request, body: { name }, step: 'list', content: [name] },
			readCreated,
		);
		const fields: IDataObject[] = [];
		for (const column of columns) {
			try {
				const { id } = await client.change(
					{
						endpoint: ADD_COLUMN,
						path: { listId: list.id },
						body: { ...column },
						step: `column ${column.name}`,
						content: [list.id, column.name],
					},
					readCreated,
				);
				fields.push({ id, ...column });
			} catch (error) {
				throw error instanceof StepFailed
					? error.after(halfDone(name, list.id, fields, column), { id: list.id, fields })
					: error;
			}
		}
		return { ...list, name, ...(columns.length > 0 ? { fields } : {}) };
	},
	howToFindOut: ({ name }) =>
		`The operation Get Many Lists tells whether there is a list ${show(name)}, the operation Get List which columns it has.`,
});

function halfDone(
	name: string,
	listId: string,
	fields: IDataObject[],
	{ name: failed }: NewColumn,
): string {
	const has =
		fields.length === 0
			? 'no columns yet'
			: `the columns ${fields.map((field) => show(field.name)).join(', ')}`;
	return `The list ${show(name)} exists now (ID ${listId}) and has ${has}; the column ${show(failed)} could not be added. Retry this execution to add the rest; no second list is created.`;
}

function parseColumns(value: unknown): NewColumn[] {
	const { column = [] } = value as { column?: Array<Record<string, unknown>> };
	const columns = column.map(({ name, type, format }) => parseColumn(name, type, format));
	const names = columns.map(({ name }) => name);
	const twice = names.find((name, at) => names.indexOf(name) !== at);
	if (twice === undefined) return columns;
	throw new InputError(`'Columns' has ${show(twice)} twice`, 'Each column needs its own name.');
}

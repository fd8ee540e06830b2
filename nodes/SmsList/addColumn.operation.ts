import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { InputError } from '../shared/service/InputError';
import { ADD_COLUMN, LIST, readColumns } from '../shared/service/lists';
import { readCreated } from '../shared/service/records';
import { columnTypeField, dateFormatField, parseColumn } from './columnFields';

const columnNameField: INodeProperties = {
	displayName: 'Column Name',
	name: 'columnName',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Last Name',
	description:
		'Name of the new column. To insert its values in a campaign, write the name in lowercase with underscores, such as ${last_name}.',
};

const ONE_OF_EACH = 'Of two columns with one name, nobody could tell which is meant.';

/** How long the columns that there are may take to come. Milliseconds. */
const LONGEST_WAIT = 10_000;

/** Interface document 4.5, "Add a column". */
export const addColumn = defineOperation({
	name: 'Add Column to List',
	value: 'addColumn',
	action: 'Add column to list',
	description: 'Add a column of text, numbers, dates or yes/no values to a contact list',
	fields: [
		listLocatorField,
		columnNameField,
		columnTypeField,
		{ ...dateFormatField, displayOptions: { show: { columnType: ['DATE'] } } },
	],
	request: ADD_COLUMN,
	sourceParameters: ['list', 'columnName'],
	verb: 'added',
	prepare(item) {
		const listId = readListId(item);
		const column = parseColumn(
			item.parameter('columnName'),
			item.parameter('columnType'),
			item.parameter('dateFormat', ''),
		);
		return {
			path: { listId },
			body: { ...column },
			target: [listId],
			content: [column.name],
			subject: column.name,
			extra: { listId, ...column },
		};
	},
	async check(column, client, { index }) {
		const { path, subject: name } = column;
		const first = await client.together(`column ${path.listId} ${name}`, () =>
			Promise.resolve(index),
		);
		if (first !== index) {
			throw new InputError(
				`An item before this one adds a column '${name}' to the list already`,
				ONE_OF_EACH,
			);
		}
		// An earlier try may have added it.
		if (client.isUnknown) return column;
		// A list that can't be looked at may take the column all the same.
		const list = await client.together(
			`columns ${path.listId}`,
			async () => await client.tryGet({ endpoint: LIST, path }, readColumns, LONGEST_WAIT),
		);
		if (!list?.some((other) => other.name === name)) return column;
		throw new InputError(
			`The list already has a column '${name}'`,
			`Use that one, or choose another name. ${ONE_OF_EACH}`,
		);
	},
	execute: async ({ path, body }, client) =>
		await client.change({ endpoint: ADD_COLUMN, path, body }, readCreated),
	howToFindOut: () => 'The operation Get List tells which columns the list has.',
});

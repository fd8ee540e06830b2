import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { invalid } from '../shared/run/outcome';
import { InputError } from '../shared/service/InputError';
import { ADD_COLUMN, isSimilarName, LIST, readColumns } from '../shared/service/lists';
import { readCreated } from '../shared/service/records';
import { ALIKE, columnTypeField, dateFormatField, parseColumn } from './columnFields';

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
	compare(entries) {
		entries.forEach((entry, at) => {
			const { path, subject } = entry.prepared;
			const other = entries
				.slice(0, at)
				.find(
					({ prepared }) =>
						prepared.path.listId === path.listId &&
						isSimilarName(prepared.subject, subject),
				);
			if (other === undefined) return;
			const message = `Item ${other.index} already adds a column '${other.prepared.subject}'`;
			entry.outcome = invalid(new InputError(message, ALIKE));
		});
	},
	async check(column, client) {
		const { path, subject } = column;
		// An earlier try may have added it.
		if (client.isUnknown) return column;
		// A list that can't be looked at may take the column all the same.
		const columns = await client.together(
			`columns ${path.listId}`,
			async () => await client.tryGet({ endpoint: LIST, path }, readColumns, LONGEST_WAIT),
		);
		const other = columns?.find(({ name }) => isSimilarName(name, subject));
		if (other === undefined) return column;
		throw new InputError(
			`The list already has a column '${other.name}'`,
			`Use that one, or choose another name. ${ALIKE}`,
		);
	},
	execute: async ({ path, body }, client) =>
		await client.change({ endpoint: ADD_COLUMN, path, body }, readCreated),
	howToFindOut: () => 'The operation Get List tells which columns the list has.',
});

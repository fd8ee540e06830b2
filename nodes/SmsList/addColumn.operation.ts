import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { ADD_COLUMN } from '../shared/service/lists';
import { readCreated } from '../shared/service/records';
import { columnTypeField, dateFormatField, parseColumn } from './columnFields';

const columnNameField: INodeProperties = {
	displayName: 'Column Name',
	name: 'columnName',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Nom de famille',
	description:
		'Name of the new column. To insert its values in a campaign, write the name in lowercase with underscores, such as ${nom_de_famille}.',
};

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
		...settingsFields({ requests: [repeatUnknown, ...paceOptions] }),
	],
	request: ADD_COLUMN,
	madeOf: ['list', 'columnName'],
	deed: 'added',
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
			essence: [column.name],
			subject: column.name,
			extra: { listId, ...column },
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	carryOut: async ({ path, body }, requests) =>
		await requests.change({ endpoint: ADD_COLUMN, path, body }, readCreated),
	howToFindOut: () => 'The operation Get List tells which columns the list has.',
});

import { refuseNoValue } from '../shared/fields/expressions';
import { listLocatorField, readListId } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { rowOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { ADD_COLUMN, LIST, readColumns } from '../shared/service/lists';
import { readCreated } from '../shared/service/records';
import { ALIKE, areAlike, columnFields, findAdded, parseColumn } from './columnFields';

/** Interface document 4.5, "Add a column". */
export const addColumn = defineOperation({
	name: 'Add Column to List',
	value: 'addColumn',
	action: 'Add column to list',
	description: 'Add a column of text, numbers, dates or yes/no values to a contact list',
	fields: [
		listLocatorField,
		...columnFields(
			{ name: 'columnName', type: 'columnType', format: 'dateFormat' },
			{
				required: true,
				description:
					'Name of the new column. To insert its values in a campaign, write the name in lowercase with underscores, such as ${last_name}.',
			},
		),
	],
	request: ADD_COLUMN,
	kind: 'change',
	prepare(item) {
		const listId = readListId(item);
		const column = parseColumn(
			item.parameter('columnName'),
			item.parameter('columnType'),
			item.parameter('dateFormat', ''),
		);
		refuseNoValue(item, 'columnName', column.name, 'Column Name');
		return {
			path: { listId },
			body: { ...column },
			target: [listId, column.name],
			subject: column.name,
			extra: { listId, ...column },
		};
	},
	words: { verb: 'added' },
	async check(column, client, { index }) {
		const { path, subject: name } = column;
		const taken = await client.cached(`columns ${path.listId}`, async () => {
			const get = { endpoint: LIST, path };
			// A list that can't be looked at may take the column all the same.
			const columns = (await client.tryGet(get, readColumns)) ?? [];
			return columns.map((one) => ({
				name: one.name,
				problem: `The list already has a column '${one.name}'`,
			}));
		});
		const other = taken.find((one) => areAlike(one.name, name));
		if (other !== undefined)
			throw new InputError(other.problem, `Use that one, or choose another name. ${ALIKE}`);
		taken.push({ name, problem: `Column '${name}' is already added by ${rowOf(index)}` });
		return column;
	},
	execute: async ({ path, body }, client) =>
		await client.change({ endpoint: ADD_COLUMN, path, body }, readCreated),
	lookUp: async ({ path, subject }, client) => await findAdded(path.listId, subject, client),
});

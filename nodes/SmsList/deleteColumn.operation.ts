import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, readId, readListId } from '../shared/fields/list';
import { notThere } from '../shared/numbers';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import { columnsCalled, findColumn, LIST, readColumns } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

const columnField: INodeProperties = {
	displayName: 'Column Name or ID',
	name: 'column',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getColumns', loadOptionsDependsOn: ['list.value'] },
	default: '',
	required: true,
	description:
		'Column to delete with all its values. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

const request = 'DELETE /v2/lists/{listId}/fields/{fieldId}';

/** A column and its values (extended: public facts). */
export const deleteColumn = defineOperation({
	name: 'Delete Column From List',
	value: 'deleteColumn',
	action: 'Delete column from list',
	description: 'Delete a column of a contact list with its values permanently',
	fields: [listLocatorField, columnField],
	request,
	kind: 'delete',
	prepare(item): Prepared & { listId: string; column: string } {
		const listId = readListId(item);
		const column = readId(item, 'column', item.parameter('column'), 'Column Name or ID');
		return {
			...{ listId, column, target: [listId, column], subject: column },
			extra: { listId, column },
		};
	},
	words: { verb: 'deleted', done: 'done', summaryOf: notThere('column', 'there') },
	async check(deletion, client) {
		const { listId, column } = deletion;
		const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
		// Then it is asked for as it was chosen, and not found.
		if (client.isUnknown && columnsCalled(columns, column).length === 0) return deletion;
		const { id, name } = findColumn(columns, column);
		return { ...deletion, column: id, extra: { id, name, listId } };
	},
	async execute({ listId, column }, client) {
		const path = { listId, fieldId: column };
		return { deleted: await client.delete({ endpoint: request, path }, readNothing) };
	},
});

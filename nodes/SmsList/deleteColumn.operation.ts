import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import type { Prepared } from '../shared/run/RoutedOperation';
import { routed } from '../shared/run/routing';
import { findColumn, listPath, LISTS_PATH, readColumns } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

interface Deletion extends Prepared {
	listId: string;
	column: string;
}

const columnField: INodeProperties = {
	displayName: 'Column Name or ID',
	name: 'column',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getColumns', loadOptionsDependsOn: ['list.value'] },
	default: '',
	required: true,
	description:
		'The column to delete, with its values. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** Extended: DELETE /v2/lists/<list_id>/fields/<field_id> (public facts). */
export const deleteColumn: Operation = {
	option: {
		name: 'Delete Column',
		value: 'deleteColumn',
		action: 'Delete column of list',
		description: 'Delete a column of a contact list with its values permanently (extended)',
		routing: routed<unknown, Deletion>({
			method: 'DELETE',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const listId = parseId(list, 'List');
				const column = parseId(this.getNodeParameter('column'), 'Column Name or ID');
				return { listId, column, subject: column, extra: { listId } };
			},
			async check(prepared, requests) {
				const { listId } = prepared;
				const columns = await requests.once(listPath(listId), readColumns);
				const { id, name } = findColumn(columns, prepared.column);
				return {
					...prepared,
					url: listPath(listId, `/fields/${encodeURIComponent(id)}`),
					extra: { id, name, listId },
				};
			},
			read: readNothing,
			result: () => ({ deleted: true }),
		}),
	},
	fields: [listLocatorField, columnField, optionsField(paceOptions)],
};

import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { listPath, LISTS_PATH } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

/** Interface document 4.5, "Delete a list". */
export const deleteList: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete list',
		description: 'Delete a contact list with its columns and contacts permanently',
		routing: routed({
			method: 'DELETE',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const id = parseId(list, 'List');
				return { url: listPath(id), subject: id, extra: { id } };
			},
			read: readNothing,
			result: () => ({ deleted: true }),
		}),
	},
	fields: [listLocatorField, optionsField(paceOptions)],
};

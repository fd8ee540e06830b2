import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { listPath, LISTS_PATH, readList } from '../shared/service/lists';

/** Interface document 4.5, "Get one list". */
export const get: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get list',
		description: 'Retrieve a contact list with its columns',
		routing: routed({
			method: 'GET',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const listId = parseId(list, 'List');
				return { url: listPath(listId), subject: listId };
			},
			read: readList,
		}),
	},
	fields: [listLocatorField, optionsField(paceOptions)],
};

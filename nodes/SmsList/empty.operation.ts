import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { listPath, LISTS_PATH } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

/** Extended: POST /v2/lists/<list_id>/empty (public facts). */
export const empty: Operation = {
	option: {
		name: 'Empty',
		value: 'empty',
		action: 'Empty list',
		description:
			'Delete all contacts of a list permanently and keep the list with its columns (extended)',
		routing: routed({
			method: 'POST',
			url: LISTS_PATH,
			// An empty list can be emptied again without harm.
			repeatable: true,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const id = parseId(list, 'List');
				return { url: listPath(id, '/empty'), subject: id, extra: { id } };
			},
			read: readNothing,
			result: () => ({ emptied: true }),
		}),
	},
	fields: [listLocatorField, optionsField(paceOptions)],
};

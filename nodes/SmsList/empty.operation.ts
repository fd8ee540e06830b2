import { aboutList, listLocatorField } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { readNothing } from '../shared/service/records';

const request = 'POST /v2/lists/{listId}/empty';

/** All contacts of a list (extended: public facts). */
export const empty = defineOperation({
	name: 'Clear List',
	value: 'empty',
	action: 'Clear list',
	description: 'Delete all contacts of a list permanently and keep the list with its columns',
	builderHint: 'Use to remove all contacts of a list and keep its columns, for a fresh start.',
	fields: [listLocatorField],
	request,
	kind: 'change',
	prepare(item) {
		const about = aboutList(item);
		return { ...about, target: [about.listId], extra: { id: about.listId } };
	},
	words: {
		verb: 'emptied',
		ifUnknown: () =>
			"'Get Many Contacts' shows whether the list is empty. If it isn't, clear it in a new execution.",
	},
	// Not repeated by a later try: contacts that came since would be deleted too.
	execute: async ({ path }, client) =>
		await client.change(
			{ endpoint: request, path, repeats: 'atOnce' },
			(body) => readNothing(body) && { emptied: true },
		),
});

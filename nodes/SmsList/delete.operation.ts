import { listLocatorField, readListId } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { isListMissing } from '../shared/service/errorCodes';
import { readNothing } from '../shared/service/records';

const request = 'DELETE /v2/lists/{listId}';

/** Interface document 4.5, "Delete a list". */
export const deleteList = defineOperation({
	name: 'Delete List',
	value: 'delete',
	action: 'Delete list',
	description: 'Delete a contact list with its columns and contacts permanently',
	fields: [listLocatorField],
	request,
	kind: 'delete',
	verb: 'deleted',
	prepare(item) {
		const id = readListId(item);
		return { target: [id], subject: id, extra: { id } };
	},
	execute: async ({ subject: listId }, client) => ({
		deleted: await client.delete(
			{ endpoint: request, path: { listId }, isNothing: isListMissing },
			readNothing,
		),
	}),
});

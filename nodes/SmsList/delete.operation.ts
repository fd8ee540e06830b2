import { aboutList, listLocatorField } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { notThere } from '../shared/numbers';
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
	prepare(item) {
		const about = aboutList(item);
		return { ...about, target: [about.listId], extra: { id: about.listId } };
	},
	words: { verb: 'deleted', done: 'done', summaryOf: notThere('list', 'there') },
	async execute({ path }, client) {
		const deletion = { endpoint: request, path, isNothing: isListMissing } as const;
		return { deleted: await client.delete(deletion, readNothing) };
	},
});

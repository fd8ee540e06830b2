import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
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
	fields: [listLocatorField, ...settingsFields({ requests: paceOptions })],
	request,
	madeOf: ['list'],
	deed: 'deleted',
	prepare(item) {
		const id = readListId(item);
		return { target: [id], subject: id, extra: { id } };
	},
	carryOut: async ({ subject: listId }, requests) => ({
		deleted: await requests.delete(
			{ endpoint: request, path: { listId }, isNothing: isListMissing },
			readNothing,
		),
	}),
	howToFindOut: () =>
		'The operation Get Many Lists tells whether the list is still there. A retry deletes it if it is.',
});

import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { isListMissing } from '../shared/service/errorCodes';
import { listPath } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

/** Interface document 4.5, "Delete a list". */
export const deleteList = defineOperation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete list',
	description: 'Delete a contact list with its columns and contacts permanently',
	fields: [listLocatorField, ...settingsFields({ delivery: paceOptions })],
	request: { method: 'DELETE', url: listPath('list') },
	madeOf: ['list'],
	deed: 'deleted',
	prepare(item) {
		const id = readListId(item);
		return { url: listPath(id), essence: [id], subject: id, extra: { id } };
	},
	async carryOut({ url }, requests) {
		return { deleted: await requests.delete({ url, isNothing: isListMissing }, readNothing) };
	},
	howToFindOut: () =>
		'The operation Get Many tells whether the list is still there. A retry deletes it if it is.',
});

import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, parseId, readListId } from '../shared/fields/list';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { listPath } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';

const contactIdField: INodeProperties = {
	displayName: 'Contact ID',
	name: 'contactId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4c',
	description: "ID of the contact, as 'Get Many' gives it",
};

/** Interface document 4.5, "Delete a contact by id". */
export const deleteById = defineOperation({
	name: 'Delete by ID',
	value: 'deleteById',
	action: 'Delete contact by ID',
	description: 'Delete a contact from a list permanently',
	fields: [listLocatorField, contactIdField, optionsField(paceOptions)],
	request: { method: 'DELETE', url: listPath('list', '/contacts/contact') },
	madeOf: ['list', 'contactId'],
	deed: 'deleted',
	prepare(item) {
		const listId = readListId(item);
		const id = parseId(item.parameter('contactId'), 'Contact ID');
		return {
			url: listPath(listId, `/contacts/${encodeURIComponent(id)}`),
			essence: [listId, id],
			subject: id,
			extra: { id, listId },
		};
	},
	async carryOut({ url }, requests) {
		return { deleted: await requests.delete({ url }, readNothing) };
	},
	howToFindOut: ({ subject }) =>
		`The operation Get Many tells whether ${subject} is still in the list. A retry deletes it if it is.`,
});

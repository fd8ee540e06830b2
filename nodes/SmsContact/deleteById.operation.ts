import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { listPath, LISTS_PATH } from '../shared/service/lists';
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
export const deleteById: Operation = {
	option: {
		name: 'Delete by ID',
		value: 'deleteById',
		action: 'Delete contact by ID',
		description: 'Delete a contact from a list permanently',
		routing: routed({
			method: 'DELETE',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const listId = parseId(list, 'List');
				const id = parseId(this.getNodeParameter('contactId'), 'Contact ID');
				return {
					url: listPath(listId, `/contacts/${encodeURIComponent(id)}`),
					subject: id,
					extra: { id, listId },
				};
			},
			read: readNothing,
			result: () => ({ deleted: true }),
		}),
	},
	fields: [listLocatorField, contactIdField, optionsField(paceOptions)],
};

import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { listPath } from '../shared/service/lists';
import { deleteContact, prepareById, whetherDeleted } from './deletion';

export const contactIdField: INodeProperties = {
	displayName: 'Contact ID',
	name: 'contactId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4c',
	description: "ID of the contact, as 'Get Many' gives it",
};

/** Delete by contact ID as an operation of its own, for workflows that have it: the form has *Delete By*. */
export const deleteById = defineOperation({
	name: 'Delete by ID',
	value: 'deleteById',
	action: 'Delete contact by ID',
	description: "Delete a contact from a list permanently. The same as 'Delete' by contact ID.",
	isOfferedWhereChosen: true,
	fields: [listLocatorField, contactIdField, ...settingsFields({ delivery: paceOptions })],
	request: { method: 'DELETE', url: listPath('list', '/contacts/contact') },
	madeOf: ['list', 'contactId'],
	deed: 'deleted',
	prepare: prepareById,
	carryOut: deleteContact,
	howToFindOut: whetherDeleted,
});

import type { INodeProperties } from 'n8n-workflow';
import { numberAsTyped } from '../shared/fields/asTyped';
import { listLocatorField, readId, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { notThere } from '../shared/numbers';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import type { Deletion } from '../shared/run/client';
import { readChoice } from '../shared/service/choices';
import { DELETE_BY_NUMBER } from '../shared/service/contacts';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { deletionOf } from './changeContact';

const deleteByField: INodeProperties = {
	displayName: 'Delete By',
	name: 'deleteBy',
	type: 'options',
	options: [
		{
			name: 'Contact ID',
			value: 'id',
			description: 'The ID that the operation Get Many Contacts returns',
		},
		{
			name: 'Phone Number',
			value: 'number',
			description: 'The phone number, in national or international format',
		},
	],
	default: 'number',
	description: 'How to find the contact',
};

const contactIdField: INodeProperties = {
	displayName: 'Contact ID',
	name: 'contactId',
	type: 'string',
	default: '',
	required: true,
	displayOptions: { show: { deleteBy: ['id'] } },
	placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4c',
	description: 'ID of the contact, as returned by the operation Get Many Contacts',
};

/** The deletion of a contact, by number where nothing else is chosen (interface document 4.5). */
export const deleteContact = defineOperation({
	name: 'Delete Contact',
	value: 'delete',
	action: 'Delete contact from list',
	description: 'Delete a contact from a list permanently, by phone number or contact ID',
	builderHint:
		"Use to erase a person from a list, for example on a GDPR request. It doesn't keep anybody from being texted: use SMS Blacklist for that.",
	fields: [
		listLocatorField,
		deleteByField,
		{ ...numberField, displayOptions: { show: { deleteBy: ['number'] } } },
		contactIdField,
		...settingsFields({ options: paceOptions }),
	],
	request: DELETE_BY_NUMBER.contacts,
	kind: 'delete',
	verb: 'deleted',
	done: 'done',
	asTyped: numberAsTyped,
	prepare(item): Prepared & { deletion: Deletion } {
		const by = readChoice(item.parameter('deleteBy'), ['number', 'id'], 'Delete By');
		const listId = readListId(item);
		if (by === 'id') {
			const id = readId(item, 'contactId', item.parameter('contactId'), 'Contact ID');
			const deletion = deletionOf(listId, { id });
			return { deletion, target: [listId, id], subject: id, extra: { id, listId } };
		}
		const identifier = item.number({ anyCountry: true });
		const number = canonicalNumber(identifier);
		const deletion = deletionOf(listId, { identifier });
		const target = [listId, number];
		return { deletion, target, subject: identifier, extra: { number, listId } };
	},
	summaryOf: notThere('contact', 'in the list'),
	execute: async ({ deletion }, client) => ({
		deleted: await client.delete(deletion, readNothing),
	}),
});

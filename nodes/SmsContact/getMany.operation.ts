import { aboutList, listLocatorField } from '../shared/fields/list';
import { defineGetMany } from '../shared/getMany';
import { CONTACTS, readContact } from '../shared/service/contacts';
import { attributeKeys, readAttributeKeys, showContacts } from './shown';

/** Interface document 4.5, "Get contacts of a list". */
export const getMany = defineGetMany({
	name: 'Get Many Contacts',
	value: 'getMany',
	action: 'Get many contacts in list',
	description: 'Retrieve the contacts of a list with the values of its columns',
	builderHint:
		'Use to read or export the contacts of a list. To look up one person, use Get Contact.',
	fields: [listLocatorField],
	options: [attributeKeys],
	request: CONTACTS,
	prepare(item) {
		const { listId, path, subject } = aboutList(item);
		return { listId, subject, at: { path }, keys: readAttributeKeys(item) };
	},
	readRecord: readContact,
	toJson: async (wanted, contacts, client) => await showContacts(wanted, contacts, client),
});

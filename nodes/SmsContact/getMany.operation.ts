import type { IDataObject } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import { defineGetMany } from '../shared/run/getMany';
import { fieldsOf } from '../shared/run/outcome';
import { readOptionChoice } from '../shared/service/choices';
import { CONTACTS, readContacts, type Contact } from '../shared/service/contacts';
import { LIST, readColumns } from '../shared/service/lists';
import { withNumber } from '../shared/service/number';
import { namedBy } from './attributes';

/** Interface document 4.5, "Get contacts of a list". */
export const getMany = defineGetMany({
	name: 'Get Many Contacts',
	value: 'getMany',
	action: 'Get many contacts in list',
	description: 'Retrieve the contacts of a list with the values of its columns',
	builderHint: 'Use to read or export the contacts of a list.',
	fields: [listLocatorField],
	options: settingsFields({
		options: [
			{
				displayName: 'Name Columns By',
				name: 'attributeKeys',
				type: 'options',
				options: [
					{
						name: 'Column IDs',
						value: 'ids',
						description: 'Stay the same if you rename a column',
					},
					{
						name: 'Column Names',
						value: 'names',
						description: 'Names of the columns in the list',
					},
				],
				default: 'names',
				description: "What to call the columns in 'attributes' of each result",
			},
		],
	}),
	request: CONTACTS,
	prepare(item) {
		const keys = ['names', 'ids'] as const;
		const listId = readListId(item);
		return {
			listId,
			subject: listId,
			at: { path: { listId } },
			keys: readOptionChoice(item.options, 'attributeKeys', keys, 'Name Columns By'),
		};
	},
	read: readContacts,
	async toJson({ listId, keys }, contacts, client) {
		const hasValues = contacts.some(({ attributes }) => Object.keys(attributes).length > 0);
		if (keys === 'ids' || !hasValues) return shown;
		const get = { endpoint: LIST, path: { listId } };
		const rename = namedBy(await client.once(get, readColumns));
		return (contact) => shown({ ...contact, attributes: rename(contact.attributes) });
	},
});

/** The values before the ID, so that they are seen. */
function shown({ id, ...contact }: Contact): IDataObject {
	return fieldsOf({ ...withNumber(contact), ...(id === undefined ? {} : { id }) });
}

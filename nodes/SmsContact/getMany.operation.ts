import { listLocatorField, readListId } from '../shared/fields/list';
import { optionsField } from '../shared/fields/options';
import { defineGetMany } from '../shared/run/collection';
import { asObject } from '../shared/service/answers';
import { readChoice, readOption } from '../shared/service/choices';
import { listPath, readColumns } from '../shared/service/lists';
import { asRecords } from '../shared/service/records';
import { namedBy } from './attributes';
import { hasValues, readContact, type Rename } from './contacts';

/** Interface document 4.5, "Get contacts of a list". */
export const getMany = defineGetMany({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many contacts of list',
	description: 'Retrieve the contacts of a list with the values of its columns',
	fields: [listLocatorField],
	options: [
		optionsField([
			{
				displayName: 'Attribute Keys',
				name: 'attributeKeys',
				type: 'options',
				options: [
					{
						name: 'Column IDs',
						value: 'ids',
						description:
							'As the service gives them; they stay when a column is renamed',
					},
					{
						name: 'Column Names',
						value: 'names',
						description: 'As the columns are named in the list',
					},
				],
				default: 'names',
				description: 'By what the values of a contact are called',
			},
		]),
	],
	url: listPath('list', '/contacts'),
	prepare(item) {
		const keys = readOption(item.options, 'attributeKeys', 'Attribute Keys') ?? 'names';
		const listId = readListId(item);
		return {
			listId,
			subject: listId,
			at: { url: listPath(listId, '/contacts') },
			keys: readChoice(keys, ['names', 'ids'], 'Attribute Keys'),
		};
	},
	read: (body) => asRecords(body)?.map((record) => asObject(record) ?? {}),
	async toJson({ listId, keys }, contacts, requests) {
		const rename: Rename =
			keys === 'names' && contacts.some(hasValues)
				? namedBy(await requests.once({ url: listPath(listId) }, readColumns))
				: (attributes) => attributes;
		return (contact) => readContact(contact, rename);
	},
});

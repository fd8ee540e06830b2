import type { IDataObject } from 'n8n-workflow';
import { numberAsTyped } from '../shared/fields/number';
import { listLocatorField, readListId } from '../shared/fields/list';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { CONTACTS, type Contact } from '../shared/service/contacts';
import { groupBy } from './groupBy';
import { fetchContacts, numberOf, unreadable } from './readList';
import { attributeKeys, readAttributeKeys, showContacts } from './shown';
import { contactChoiceFields, readContactChoice, type By } from './whichContact';

const BY: By = { name: 'getBy', displayName: 'Get By' };

/** One contact of "Get contacts of a list" (interface document 4.5). */
export const get = defineOperation({
	name: 'Get Contact',
	value: 'get',
	action: 'Get contact from list',
	description: 'Look up one contact of a list, by phone number or contact ID',
	builderHint:
		"Use to find out whether a person is in a list, and with which values. For one who isn't, 'exists' is false.",
	fields: [listLocatorField, ...contactChoiceFields(BY)],
	options: [attributeKeys],
	request: CONTACTS,
	kind: 'read',
	prepare(item) {
		const listId = readListId(item);
		const { shown } = readContactChoice(item, BY);
		return { listId, wanted: shown, keys: readAttributeKeys(item), extra: shown };
	},
	words: { asTyped: numberAsTyped },
	async execute({ listId, wanted, keys }, client) {
		const contact = await findContact(listId, wanted, client);
		if (contact === undefined) return { ...wanted, exists: false };
		const show = await showContacts({ listId, keys }, [contact], client);
		return { exists: true, ...show(contact) };
	},
});

/** The keys by which a contact is looked up, as results have them. */
const KEYS = { id: ({ id = '' }: Contact) => id, number: numberOf };

/**
 * Finds a contact. The service has no request for one: the list is read, once in a run.
 *
 * @returns undefined where the list doesn't have it
 * @throws StepFailed also where a contact that can't be read could be it
 */
async function findContact(
	listId: string,
	wanted: IDataObject,
	client: Client,
): Promise<Contact | undefined> {
	const [[name, value]] = Object.entries(wanted) as Array<[keyof typeof KEYS, string]>;
	const { records, leftOut } = await fetchContacts(listId, client);
	const byKey = await client.cached(
		`contacts ${listId} by ${name}`,
		async () => await groupBy(records, KEYS[name]),
	);
	const [contact, ...others] = byKey.get(value) ?? [];
	if (others.length > 0)
		client.warn(
			`The list has ${others.length + 1} contacts with the number ${value}. The result is the first one; Get Many Contacts returns all.`,
		);
	const unread = leftOut + (byKey.get('')?.length ?? 0);
	if (contact !== undefined || unread === 0) return contact;
	throw client.refuse(unreadable(unread, `: one of them could be ${value}`));
}

import type { IDataObject } from 'n8n-workflow';
import { numberAsTyped } from '../shared/fields/asTyped';
import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { invalidNow } from '../shared/run/outcome';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { canonicalNumber } from '../shared/service/number';
import { groupBy } from './groupBy';
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
	fields: [
		listLocatorField,
		...contactChoiceFields(BY),
		...settingsFields({ options: [attributeKeys] }),
	],
	request: CONTACTS,
	kind: 'read',
	asTyped: numberAsTyped,
	prepare(item) {
		const listId = readListId(item);
		const { shown } = readContactChoice(item, BY);
		return { listId, wanted: shown, keys: readAttributeKeys(item), extra: shown };
	},
	async execute({ listId, wanted, keys }, client) {
		const contact = await findContact(listId, wanted, client);
		if (contact === undefined) return { ...wanted, exists: false };
		const show = await showContacts({ listId, keys }, [contact], client);
		return { exists: true, ...show(contact) };
	},
});

/** What a contact is looked up by: as results have it, one of the two. */
const KEYS = {
	id: ({ id }: Contact) => id,
	number: ({ identifier }: Contact) =>
		identifier === undefined ? undefined : canonicalNumber(identifier),
};

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
	const { records, leftOut } = await client.cached(
		`contacts ${listId}`,
		async () => await client.getAll({ endpoint: CONTACTS, path: { listId } }, readContact),
	);
	const byKey = await client.cached(
		`contacts ${listId} by ${name}`,
		async () => await groupBy(records, (contact) => KEYS[name](contact) ?? ''),
	);
	const [contact, ...others] = byKey.get(value) ?? [];
	if (others.length > 0)
		client.warn(
			`The list has ${others.length + 1} contacts with the number ${value}. The result is the first one; Get Many Contacts returns all.`,
		);
	const unreadable = leftOut + (byKey.get('')?.length ?? 0);
	if (contact !== undefined || unreadable === 0) return contact;
	const error = new InputError(
		`${countOf(unreadable, 'contact')} of the list can't be read: one of them could be ${value}`,
		'Please report this to the maintainers of the node.',
	);
	throw client.refuse(invalidNow(error));
}

import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { forEachConcurrently } from '../shared/run/chunks';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import type { OpenEntry } from '../shared/run/operation';
import { failureOf, type Outcome } from '../shared/run/outcome';
import { LIST, readColumns } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { attributesField, namedBy, withoutBlankFields, writeAttributes } from './attributes';
import { changeContact, unchangeable } from './changeContact';
import { differenceOf, type Wanted } from './difference';
import { ADDING, contactSettings, readContact, type NewContact } from './newContact';
import { readList, type ListContents } from './readList';

/** With its object, like all others; n8n's lint knows it as "Create or Update", below a resource. */
const NAME = 'Create or Update Contact';
const DESCRIPTION = 'Add a contact, or change the values of the one that has its number';

const replaces: INodeProperties = {
	displayName:
		'The service can only delete a contact and add it again: a contact that is changed gets a new ID. Columns that you leave empty keep their values.',
	name: 'replacesAll',
	type: 'notice',
	default: '',
};

type Contact = NewContact & Wanted;

/** Adds a contact, or replaces the one with its number (interface document 4.5). */
export const upsert = defineOperation<Contact>({
	...ADDING,
	name: NAME,
	value: 'upsert',
	action: 'Create or update contact in list',
	description: DESCRIPTION,
	builderHint:
		"Use to change the values of a contact, such as a first name, or to add it if it isn't there yet.",
	fields: [listLocatorField, numberField, replaces, attributesField, ...contactSettings],
	verb: 'written',
	prepare(item) {
		const contact = readContact(item);
		const typed = withoutBlankFields(contact.typed, item.typed('attributes'));
		return { ...contact, typed, columns: [], attributes: {}, timeZone: item.timeZone };
	},
	async check(contact, client) {
		const { listId, typed, timeZone } = contact;
		const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
		return { ...contact, columns, attributes: writeAttributes(typed, columns, timeZone, '') };
	},
	executeAll: writeContacts,
	execute: () => [],
	howToFindOut: ({ subject }) =>
		`The operation Get Many Contacts tells whether ${subject} is in the list now. A retry of this execution reads the list and does what is missing.`,
});

/** Reads each list once. Items about the same number go one after the other, in their order. */
async function writeContacts(
	entries: ReadonlyArray<OpenEntry<Contact>>,
	clientOf: (entry: OpenEntry<Contact>) => Client,
): Promise<ReadonlyMap<number, Outcome>> {
	const outcomes = new Map<number, Outcome>();
	const lists = new Map<string, Promise<ListContents>>();
	const groups = new Map<string, Array<OpenEntry<Contact>>>();
	for (const entry of entries) {
		const { listId, identifier } = entry.prepared;
		if (!lists.has(listId)) lists.set(listId, readList(listId, clientOf(entry)));
		const key = `${listId} ${canonicalNumber(identifier)}`;
		groups.set(key, [...(groups.get(key) ?? []), entry]);
	}
	await forEachConcurrently(groups.values(), async (group) => {
		for (const entry of group) {
			const outcome = await writeContact(entry.prepared, clientOf(entry), lists).then(
				(value): Outcome => ({ status: 'done', value }),
				failureOf,
			);
			outcomes.set(entry.index, outcome);
		}
	});
	return outcomes;
}

/** @throws StepFailed */
async function writeContact(
	contact: Contact,
	client: Client,
	lists: ReadonlyMap<string, Promise<ListContents>>,
): Promise<IDataObject> {
	const { contacts, columns } = await lists.get(contact.listId)!;
	const number = canonicalNumber(contact.identifier);
	const wanted = { ...contact, columns };
	const difference = differenceOf(wanted, contacts.get(number) ?? []);
	const { action, problem, kept, attributes } = difference;
	if (problem !== undefined) throw client.refuse(unchangeable(problem));
	const now = action === 'unchanged' ? kept! : await changeContact(wanted, difference, client);
	contacts.set(number, [now]);
	return { action, id: now.id, attributes: namedBy(columns)(attributes) };
}

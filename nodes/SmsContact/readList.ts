import type { Client } from '../shared/run/client';
import { forEach } from '../shared/run/chunks';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';

/** A list as it is now. */
export interface ListContents {
	columns: readonly Column[];
	/** By number in international format, whatever spelling of it the service has stored. */
	contacts: Map<string, Contact[]>;
	/** Number of contacts. */
	size: number;
}

/**
 * Reads the columns, then the contacts (interface document 4.5); the columns once more where somebody has added one
 * meanwhile, since a contact that is replaced would lose its value in it.
 *
 * @throws StepFailed also where a contact can't be read: it could be anyone, and be added twice
 */
export async function readList(listId: string, client: Client): Promise<ListContents> {
	const path = { listId };
	const columns = await client.once({ endpoint: LIST, path }, readColumns);
	const { records, leftOut } = await client.getAll({ endpoint: CONTACTS, path }, readContact);
	const contacts = new Map<string, Contact[]>();
	const known = new Set(columns.map(({ id }) => id));
	let areKnown = true;
	await forEach(records, (contact) => {
		areKnown &&= Object.keys(contact.attributes).every((id) => known.has(id));
		// A contact without a number is nobody.
		if (contact.identifier === undefined) return;
		const number = canonicalNumber(contact.identifier);
		const same = contacts.get(number);
		if (same === undefined) contacts.set(number, [contact]);
		else same.push(contact);
	});
	const unread = contacts.size > 0 ? leftOut : leftOut + records.length;
	if (unread > 0) {
		throw client.refuse({
			status: 'notSent',
			message: `${countOf(unread, 'contact')} of the list can't be read`,
			advice: 'Nothing is changed, because somebody could be added twice. Please report this to the maintainers of the node.',
			transient: false,
			general: true,
		});
	}
	return {
		columns: areKnown ? columns : await client.get({ endpoint: LIST, path }, readColumns),
		contacts,
		size: records.length,
	};
}

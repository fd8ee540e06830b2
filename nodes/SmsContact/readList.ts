import type { Client } from '../shared/run/client';
import { forEach } from '../shared/run/chunks';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { unreadContacts } from './changeContact';
import { byNumber } from './difference';

/** A list as it is now. */
export interface ListContents {
	columns: readonly Column[];
	/** By number in international format. */
	contacts: Map<string, Contact[]>;
}

/**
 * Reads the columns, then the contacts (interface document 4.5); the columns once more where somebody has added one
 * meanwhile, since a contact that is replaced would lose its value in it.
 *
 * @throws StepFailed
 */
export async function readList(listId: string, client: Client): Promise<ListContents> {
	const path = { listId };
	const columns = await client.once({ endpoint: LIST, path }, readColumns);
	const read = await client.getAll({ endpoint: CONTACTS, path }, readContact);
	const unread = unreadContacts(read);
	if (unread !== undefined) throw client.refuse(unread);
	const known = new Set(columns.map(({ id }) => id));
	let areKnown = true;
	await forEach(read.records, ({ attributes }) => {
		areKnown &&= Object.keys(attributes).every((id) => known.has(id));
	});
	return {
		columns: areKnown ? columns : await client.get({ endpoint: LIST, path }, readColumns),
		contacts: await byNumber(read.records),
	};
}

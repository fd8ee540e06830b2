import { collectionOf, type Collection } from '../shared/http/collectionOf';
import type { Client } from '../shared/run/client';
import { invalidNow, type Failed } from '../shared/run/outcome';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { LIST, readColumns } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { namedBy } from './attributes';
import { groupBy } from './groupBy';

/** A list as it is now. */
export type ListContents = Awaited<ReturnType<typeof readContents>>;

/** The contacts of a list (interface document 4.5), fetched once in a run. @throws StepFailed */
export async function fetchContacts(listId: string, client: Client): Promise<Collection<Contact>> {
	return await client.once({ endpoint: CONTACTS, path: { listId } }, collectionOf(readContact));
}

/** An item that can't be carried out because of contacts that can't be read. */
export function unreadable(count: number, doubt: string, consequence = ''): Failed {
	const error = new InputError(
		`${countOf(count, 'contact')} of the list can't be read${doubt}`,
		`${consequence}Please report this to the maintainers of the node.`,
	);
	return invalidNow(error);
}

/**
 * Reads the columns, then the contacts, once in a run.
 *
 * @returns the contacts by number in international format, whatever spelling of it the service has stored; and a
 *   function that puts the names of the columns in the place of their IDs
 * @throws StepFailed also where a contact can't be read: it could be anyone, and be added twice
 */
export async function readContents(listId: string, client: Client) {
	return await client.cached(`contents ${listId}`, async () => {
		const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
		const { records, leftOut } = await fetchContacts(listId, client);
		const contacts = await groupBy(records, numberOf);
		const unread = leftOut + (contacts.get('')?.length ?? 0);
		if (unread > 0) {
			const why = 'Nothing is changed, because somebody could be added twice. ';
			throw client.refuse({ ...unreadable(unread, '', why), concernsAll: true });
		}
		return { columns, named: namedBy(columns), contacts, size: records.length };
	});
}

/** The number of a contact in international format, empty for one without. */
export function numberOf({ identifier }: Contact): string {
	return identifier === undefined ? '' : canonicalNumber(identifier);
}

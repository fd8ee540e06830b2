import type { IDataObject } from 'n8n-workflow';
import type { Client } from '../shared/run/client';
import { invalidNow } from '../shared/run/outcome';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { namedBy } from './attributes';
import { groupBy } from './groupBy';

/** A list as it is now. */
export interface ListContents {
	columns: readonly Column[];
	/** Puts the names of the columns in the place of their IDs. */
	named: (attributes: object) => IDataObject;
	/** By number in international format, whatever spelling of it the service has stored. */
	contacts: Map<string, Contact[]>;
	/** Number of contacts. */
	size: number;
}

/**
 * Reads the columns, then the contacts (interface document 4.5), once in a run.
 *
 * @throws StepFailed also where a contact can't be read: it could be anyone, and be added twice
 */
export async function readList(listId: string, client: Client): Promise<ListContents> {
	const path = { listId };
	return await client.together(`contents ${listId}`, async () => {
		const columns = await client.once({ endpoint: LIST, path }, readColumns);
		const { records, leftOut } = await client.getAll(
			{ endpoint: CONTACTS, path },
			readNumbered,
		);
		if (leftOut > 0) {
			const error = new InputError(
				`${countOf(leftOut, 'contact')} of the list can't be read`,
				'Nothing is changed, because somebody could be added twice. Please report this to the maintainers of the node.',
			);
			throw client.refuse({ ...invalidNow(error), concernsAll: true });
		}
		const contacts = await groupBy(records, ({ identifier }) => canonicalNumber(identifier!));
		return { columns, named: namedBy(columns), contacts, size: records.length };
	});
}

function readNumbered(record: unknown): Contact | undefined {
	const contact = readContact(record);
	return contact?.identifier === undefined ? undefined : contact;
}

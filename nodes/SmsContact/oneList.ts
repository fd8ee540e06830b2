import type { Client } from '../shared/run/client';
import { InputError } from '../shared/service/InputError';

/**
 * For an operation that is about one list, whatever the number of items.
 *
 * @param advice what to do where they are about several
 * @throws InputError where the list is another one than that of the items before
 */
export async function requireOneList(
	listId: string,
	client: Client,
	advice: string,
): Promise<void> {
	// All items share what is kept under one key: the first one says which list it is.
	const first = await client.together('list', () => Promise.resolve(listId));
	if (listId === first) return;
	throw new InputError("'List' differs from the list of the items before", advice);
}

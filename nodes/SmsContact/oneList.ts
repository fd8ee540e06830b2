import type { Requests } from '../shared/run/Requests';
import { InputError } from '../shared/service/InputError';

/**
 * For an operation that is about one list, whatever the number of items.
 *
 * @param advice what to do where they are about several
 * @throws InputError where the list is another one than that of the items before
 */
export async function requireOneList(
	listId: string,
	requests: Requests,
	advice: string,
): Promise<void> {
	// All items share what is kept under one key: the first one says which list it is.
	const first = await requests.together('list', () => Promise.resolve(listId));
	if (listId === first) return;
	throw new InputError("'List' differs from the list of the items before", advice);
}

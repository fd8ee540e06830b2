import type { OpenEntry, Prepared } from '../shared/run/operation';
import { invalid } from '../shared/run/outcome';
import { InputError } from '../shared/service/InputError';

/**
 * Refuses items that are about another list than the first one.
 *
 * @param advice for an operation that is about one list
 */
export function refuseOtherLists(
	entries: ReadonlyArray<OpenEntry<Prepared & { listId: string }>>,
	advice: string,
): void {
	for (const entry of entries) {
		if (entry.prepared.listId === entries[0].prepared.listId) continue;
		const error = new InputError("'List' differs from the list of the items before", advice);
		entry.outcome = invalid(error);
	}
}

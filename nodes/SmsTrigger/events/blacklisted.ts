import { asId } from '../../shared/service/answers';
import {
	BLACKLIST_ENTRIES,
	CATEGORY_BLACKLISTS,
	readCategoryBlacklists,
	readEntry,
	type BlacklistEntry,
	type BlacklistKind,
} from '../../shared/service/blacklists';
import { canonicalNumber } from '../../shared/service/number';
import { asRecords } from '../../shared/service/records';
import { head, identified, titleOf } from '../items';
import { fromCollection, type CollectionState } from './collection';
import type { Source } from './Source';

/**
 * Numbers that are new on a blacklist: of a category (interface document 2.11, 4.4), or of the
 * account (2.1, 4.1).
 *
 * @param event the name of the event that a new number makes
 */
export function blacklisted(
	event: string,
	kind: BlacklistKind,
	category: string | undefined,
): Source<CollectionState> {
	return category === undefined ? ofAccount(event, kind) : ofCategory(event, kind, category);
}

function ofAccount(event: string, kind: BlacklistKind): Source<CollectionState> {
	// An entry is recognised by its ID: a number that was removed and added again has a new one.
	const idOf = ({ id, identifier }: BlacklistEntry) => id ?? canonicalNumber(identifier);
	return fromCollection<BlacklistEntry>({
		key: `${event}:`,
		title: titleOf(kind, undefined),
		query: { endpoint: BLACKLIST_ENTRIES, path: { blacklist: kind } },
		records: asRecords,
		entry: readEntry,
		idOf,
		isRemoved: ({ deleted }) => deleted,
		toItem: (entry) => ({
			...head(event, undefined, idOf(entry)),
			...identified(entry.identifier),
		}),
	});
}

function ofCategory(event: string, kind: BlacklistKind, category: string): Source<CollectionState> {
	// Numbers have no ID here. Both formats of a French number are the same number.
	const idOf = (identifier: string) => canonicalNumber(identifier);
	return fromCollection<string>({
		key: `${event}:${category}`,
		title: titleOf(kind, category),
		query: { endpoint: CATEGORY_BLACKLISTS, qs: { category } },
		records: (body) => readCategoryBlacklists(body)?.[kind].identifiers,
		entry: asId,
		idOf,
		toItem: (identifier) => ({
			...head(event, category, idOf(identifier)),
			...identified(identifier),
		}),
	});
}

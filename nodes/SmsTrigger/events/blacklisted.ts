import { collectionOf } from '../../shared/http/collectionOf';
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
import { identified } from '../items';
import { fromCollection } from './collection';

/**
 * Numbers that are new on a blacklist: of a category (interface document 2.11, 4.4), or of the
 * account (2.1, 4.1).
 *
 * @param event the name of the event that a new number makes
 */
export function blacklisted(event: string, kind: BlacklistKind, category: string | undefined) {
	return category === undefined ? ofAccount(event, kind) : ofCategory(event, kind, category);
}

function ofAccount(event: string, kind: BlacklistKind) {
	return fromCollection<BlacklistEntry>({
		event,
		what: kind,
		query: { endpoint: BLACKLIST_ENTRIES, path: { blacklist: kind } },
		read: collectionOf(readEntry),
		// A number that was removed and added again has a new ID.
		idOf: ({ id, identifier }) => id ?? canonicalNumber(identifier),
		isRemoved: ({ deleted }) => deleted,
		fieldsOf: ({ identifier }) => identified(identifier),
	});
}

function ofCategory(event: string, kind: BlacklistKind, category: string) {
	return fromCollection<string>({
		event,
		what: kind,
		category,
		query: { endpoint: CATEGORY_BLACKLISTS, qs: { category } },
		read: collectionOf(asId, (body) => readCategoryBlacklists(body)?.[kind].identifiers),
		// Numbers have no ID here. Both formats of a French number are the same number.
		idOf: canonicalNumber,
		fieldsOf: identified,
	});
}

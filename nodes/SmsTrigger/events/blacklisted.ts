import { asId, asObject } from '../../shared/service/answers';
import { canonicalNumber } from '../../shared/service/number';
import { readIdentifiers } from '../../shared/service/blacklists';
import { fromCollection, head, titleOf, type Source } from './Source';

/** The event, and where the service keeps what it is about. */
const BLACKLISTS = {
	unsubscribed: { path: 'unsubscribers', title: 'unsubscribers' },
	bounced: { path: 'bounces', title: 'bounces' },
} as const;

export type BlacklistEvent = keyof typeof BLACKLISTS;

/**
 * Numbers that are new on a blacklist: of a category (interface document 2.11, 4.4), or of the
 * account (2.1, 4.1).
 */
export function blacklisted(event: BlacklistEvent, category: string | undefined): Source {
	return category === undefined ? ofAccount(event) : ofCategory(event, category);
}

type Entry = Record<string, unknown>;

function ofAccount(event: BlacklistEvent): Source {
	const { path, title } = BLACKLISTS[event];
	// An entry is recognised by its ID: a number that was removed and added again has a new one.
	const idOf = (entry: Entry) => asId(entry.id) ?? canonicalNumber(String(entry.identifier));
	return fromCollection<Entry>({
		key: `${event}:`,
		title: titleOf(title, undefined),
		query: { url: `/v2/${path}/default/contacts` },
		read: readEntries,
		idOf,
		isRemoved: (entry) => entry.deleted === true || entry.deleted === 'true',
		toItem: (entry) => ({
			...head(event, undefined, idOf(entry)),
			identifier: asId(entry.identifier) ?? null,
		}),
	});
}

function ofCategory(event: BlacklistEvent, category: string): Source {
	const { path, title } = BLACKLISTS[event];
	// Numbers have no ID here. Both formats of a French number are the same number.
	const idOf = (identifier: string) => canonicalNumber(identifier);
	return fromCollection<string>({
		key: `${event}:${category}`,
		title: titleOf(title, category),
		query: { url: '/v2/messages/blacklists', qs: { category } },
		read: (body) => readIdentifiers(asObject(body)?.[path]),
		idOf,
		toItem: (identifier) => ({ ...head(event, category, idOf(identifier)), identifier }),
	});
}

function readEntries(body: unknown): Entry[] | undefined {
	const list = Array.isArray(body) ? body : [body];
	return list.every(isEntry) ? list : undefined;
}

function isEntry(entry: unknown): entry is Entry {
	const fields = asObject(entry);
	return fields === entry && asId(fields?.identifier) !== undefined;
}

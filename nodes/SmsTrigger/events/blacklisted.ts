import { asId, asObject } from '../../shared/service/answers';
import { canonicalNumber } from '../../shared/service/number';
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

/**
 * The numbers of one blacklist of a category. Their notation is "not shown" (2.11): a list, or an
 * object whose values they are. No notation at all is understood where the count says 0.
 */
function readIdentifiers(blacklist: unknown): string[] | undefined {
	const { identifiers, number } = asObject(blacklist) ?? {};
	if (identifiers === undefined || identifiers === null) {
		return Number(number) === 0 && number !== '' ? [] : undefined;
	}
	if (typeof identifiers !== 'object') return undefined;
	const list: unknown[] = Array.isArray(identifiers) ? identifiers : Object.values(identifiers);
	return list.every((identifier) => typeof identifier === 'string')
		? (list as string[])
		: readOtherIdentifiers(list);
}

/** Numbers that came as JSON numbers, or as objects that hold one. */
function readOtherIdentifiers(list: readonly unknown[]): string[] | undefined {
	const identifiers = list.map((entry) => asId(entry) ?? asId(asObject(entry)?.identifier));
	return identifiers.every((identifier) => identifier !== undefined) ? identifiers : undefined;
}

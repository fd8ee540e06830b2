import { asId, asNumber, asObject, isEmpty, isMissing, withIds, without } from './answers';
import { isOn, readChoice } from './choices';
import type { Endpoint } from './endpoint';
import { explain } from './errorCodes';
import { canonicalNumber } from './number';
import { readEach } from './records';

/** The account's blacklists (interface document 2.1): STOP, and unassigned numbers. */
export const BLACKLISTS = ['unsubscribers', 'bounces'] as const;
export type BlacklistKind = (typeof BLACKLISTS)[number];

/** @throws InputError for a value that only an expression can give */
export function parseBlacklist(value: unknown): BlacklistKind {
	return readChoice(value, BLACKLISTS, 'Blacklist');
}

/** Interface document 4.1. */
export const BLACKLIST_ENTRIES: Endpoint = 'GET /v2/{blacklist}/default/contacts';

/** Interface document 4.4. */
export const CATEGORY_BLACKLISTS: Endpoint = 'GET /v2/messages/blacklists';

/** An entry of one of the account's blacklists (interface document 2.1). */
export interface BlacklistEntry {
	id?: string;
	/** A phone number in international format. */
	identifier: string;
	deleted: boolean;
}

/** One record of a blacklist (interface document 4.1): it has a number. */
export function readEntry(record: unknown): BlacklistEntry | undefined {
	const fields = asObject(record);
	const identifier = asId(fields?.identifier);
	if (fields === undefined || identifier === undefined) return undefined;
	return { ...withIds(fields, ['id']), identifier, deleted: isOn(fields.deleted) };
}

/** The reason for which a number on a blacklist gets nothing. */
export const BLACKLISTED: Readonly<Record<BlacklistKind, string>> = {
	unsubscribers: explain({ code: 12 }).message,
	bounces: explain({ code: 13 }).message,
};

/** The number of a record of a blacklist, in one spelling; null for an entry that is marked as deleted. */
export function readListedNumber(record: unknown): string | null | undefined {
	const entry = readEntry(record);
	return entry && (entry.deleted ? null : canonicalNumber(entry.identifier));
}

/** Interface document 2.11. Numbers are in the format of the service. */
type CategoryBlacklists = Record<BlacklistKind, { number: number; identifiers: string[] }>;

/**
 * The blacklists of a category. One that the answer leaves out is empty, as are both in an empty
 * answer: what the service says of a category without messages is not shown. Undefined when an answer
 * has other things only, or when a blacklist makes no sense.
 */
export function readCategoryBlacklists(body: unknown): CategoryBlacklists | undefined {
	const fields = isEmpty(body) ? { bounces: [] } : asObject(body);
	if (fields === undefined || !BLACKLISTS.some((kind) => kind in fields)) return undefined;
	const bounces = readCategoryBlacklist(fields.bounces);
	const unsubscribers = readCategoryBlacklist(fields.unsubscribers);
	return bounces && unsubscribers && { ...without(fields, BLACKLISTS), bounces, unsubscribers };
}

/** As results have them: how many, and the numbers in international format where that is certain. */
export function shownBlacklists({
	bounces,
	unsubscribers,
	...further
}: CategoryBlacklists): Record<string, unknown> {
	const shown = ({ number, identifiers, ...more }: CategoryBlacklists[BlacklistKind]) => ({
		...more,
		count: number,
		numbers: identifiers.map(canonicalNumber),
	});
	return { unsubscribers: shown(unsubscribers), bounces: shown(bounces), ...further };
}

/** The numbers of one blacklist of a category: a list (public facts). None is needed where the count says 0. */
function readCategoryBlacklist(value: unknown): CategoryBlacklists[BlacklistKind] | undefined {
	if (isEmpty(value)) return { number: 0, identifiers: [] };
	const blacklist = asObject(value);
	const count = asNumber(blacklist?.number);
	const isNone = count === 0 && isEmpty(blacklist?.identifiers);
	const identifiers = isNone ? [] : readEach(blacklist?.identifiers, asId);
	const number = isMissing(blacklist?.number) ? identifiers?.length : count;
	if (identifiers === undefined || number === undefined) return undefined;
	return { ...blacklist, number, identifiers };
}

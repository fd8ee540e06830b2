import { readBlacklist, type BlacklistEntry } from './answers';
import { readChoice } from './choices';
import { canonicalNumber, parseNumber } from './number';
import { asRecords } from './records';

/** The account's blacklists (interface document 2.1): STOP, and unassigned numbers. */
export const BLACKLISTS = ['unsubscribers', 'bounces'] as const;
export type BlacklistKind = (typeof BLACKLISTS)[number];

/** @throws InputError for a value that only an expression can give */
export function parseBlacklist(value: unknown): BlacklistKind {
	return readChoice(value, BLACKLISTS, 'Blacklist');
}

/** Path of a blacklist's entries (interface document 4.1). */
export function blacklistPath(kind: BlacklistKind): string {
	return `/v2/${kind}/default/contacts`;
}

/**
 * A number as blacklists hold it: in international format with a leading + (interface document 2.1).
 *
 * @throws InputError when it is not a phone number
 */
export function parseListedNumber(value: unknown): string {
	return canonicalNumber(parseNumber(value));
}

/** The entries of a blacklist; a single one may come without the list around it. */
export function readEntries(body: unknown): BlacklistEntry[] | undefined {
	return readBlacklist(asRecords(body));
}

/** The numbers of a blacklist that count, in one spelling; deleted entries don't. */
export function readListedNumbers(body: unknown): ReadonlySet<string> | undefined {
	const entries = readEntries(body);
	return (
		entries &&
		new Set(
			entries
				.filter(({ deleted }) => !deleted)
				.map(({ identifier }) => canonicalNumber(identifier)),
		)
	);
}

import type { Guard, OpenEntry } from './operation';
import type { Outcome } from './outcome';
import type { Receipts } from './receipts';

/** A duplicate counts only against an item that is sent, or may be: in this run, or before in this execution. */
export const duplicates: Guard = (entries, { receipts }, end) => {
	const firsts = new Map<string, number>();
	for (const entry of entries) {
		const { index, identity } = entry;
		const { dedupeKeys = [] } = identity;
		const own = dedupeKeys.filter(({ onlyKept }) => !onlyKept);
		const shared = own.find(({ key }) => receipts.usedBy(key, entry) ?? firsts.has(key));
		if (shared === undefined) {
			for (const { key } of own) firsts.set(key, index);
			continue;
		}
		const { key, what, isKey } = shared;
		const isOfNow = receipts.usedBy(key, entry) === undefined;
		const duplicateOf = isOfNow ? firsts.get(key) : undefined;
		if (!isKey) receipts.skip(index, identity, key);
		const isSame =
			duplicateOf !== undefined &&
			own.some((one) => !one.isKey && firsts.get(one.key) === duplicateOf);
		const message = isOfNow ? `Same ${what} as another item` : sameAsEarlier(what);
		end(entry, { status: 'skipped', message, duplicateOf, isSame });
	}
};

function sameAsEarlier(what: string): string {
	return `Same ${what} as an earlier one of this execution`;
}

/** A duplicate that an earlier try has left out stays one: since then, its text may be another one. */
export function leftOut(
	entry: OpenEntry,
	receipts: Pick<Receipts, 'skippedFor' | 'usedBy'>,
): Outcome | undefined {
	const { dedupeKeys = [] } = entry.identity;
	const content = dedupeKeys.find(({ isKey, onlyKept }) => !isKey && !onlyKept);
	const key = content && receipts.skippedFor(entry.index, entry.identity);
	if (key === undefined || receipts.usedBy(key, entry) === undefined) return undefined;
	return { status: 'skipped', message: sameAsEarlier(content!.what) };
}

import type { Guard, OpenEntry } from './operation';
import type { Outcome } from './outcome';
import type { Receipts } from './receipts';

export type { Claims, End, Guard } from './operation';

/** A checksum that duplicates share. */
interface DedupeKey {
	key: string;
	/** Stands for it in a reason: "recipient and text". */
	what: string;
	/** It is of what is sent: a once key that several items share is a mistake that a retry can correct. */
	isContent: boolean;
	onlyKept: boolean;
}

/** A duplicate counts only against an item that is sent, or may be: in this run, or before in this execution. */
export const duplicates: Guard = {
	begin(entries, { receipts }, end) {
		const firsts = new Map<string, number>();
		for (const entry of entries) {
			const { index, identity } = entry;
			const own = dedupeKeysOf(entry).filter(({ onlyKept }) => !onlyKept);
			const shared = own.find(({ key }) => receipts.usedBy(key, entry) ?? firsts.has(key));
			if (shared === undefined) {
				for (const { key } of own) firsts.set(key, index);
				continue;
			}
			const { key, what, isContent } = shared;
			const isOfNow = receipts.usedBy(key, entry) === undefined;
			const duplicateOf = isOfNow ? firsts.get(key) : undefined;
			if (isContent) receipts.skip(index, identity, key);
			const isSame =
				duplicateOf !== undefined &&
				own.some((one) => one.isContent && firsts.get(one.key) === duplicateOf);
			const message = isOfNow ? `Same ${what} as another item` : sameAsEarlier(what);
			end(entry, { status: 'skipped', message, duplicateOf, isSame });
		}
	},
};

function sameAsEarlier(what: string): string {
	return `Same ${what} as an earlier one of this execution`;
}

/** A duplicate that an earlier try has left out stays one: since then, its text may be another one. */
export function leftOut(
	entry: OpenEntry,
	receipts: Pick<Receipts, 'skippedFor' | 'usedBy'>,
): Outcome | undefined {
	const content = dedupeKeysOf(entry).find(({ isContent, onlyKept }) => isContent && !onlyKept);
	const key = content && receipts.skippedFor(entry.index, entry.identity);
	if (key === undefined || receipts.usedBy(key, entry) === undefined) return undefined;
	return { status: 'skipped', message: sameAsEarlier(content!.what) };
}

function dedupeKeysOf({ identity, prepared }: OpenEntry): DedupeKey[] {
	const { dedupeBy = [], onceKey } = prepared;
	return (identity.dedupeKeys ?? []).map((key, at) => {
		const { what, value, onlyKept = false } = dedupeBy[at];
		return { key, what, isContent: value !== onceKey, onlyKept };
	});
}

/** Whether an item has claimed its once key in this execution: a retry may have been given another one. */
export function hasClaimedKey(entry: OpenEntry, receipts: Receipts): boolean {
	const own = dedupeKeysOf(entry).filter(({ isContent }) => !isContent);
	return own.every(({ key }) => receipts.hasClaimed(key, entry.index));
}

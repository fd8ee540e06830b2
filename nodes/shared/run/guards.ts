import type { Guard, OpenEntry } from './operation';
import type { Receipts } from './receipts';

export type { Claims, End, Guard } from './operation';

/** A checksum that duplicates share. */
interface DedupeKey {
	key: string;
	/** Stands for it in a reason: "recipient and text". */
	what: string;
	/** It is of what is sent: a once key that several items share is a mistake that a retry can correct. */
	isContent: boolean;
}

/** A duplicate counts only against an item that is sent, or may be: in this run, or before in this execution. */
export const duplicates: Guard = {
	begin(entries, { receipts }, end) {
		const firsts = new Map<string, number>();
		for (const entry of entries) {
			const { index, identity } = entry;
			const own = dedupeKeysOf(entry);
			const content = own.find(({ isContent }) => isContent);
			// Since an earlier try left it out, its text may be another one.
			const earlier = content && receipts.skippedFor(index, identity);
			const isLeftOut = earlier !== undefined && receipts.usedBy(earlier, entry);
			const shared =
				own.find(({ key }) => receipts.usedBy(key, entry) ?? firsts.has(key)) ??
				(isLeftOut && content ? { ...content, key: earlier } : undefined);
			if (shared === undefined) {
				for (const { key } of own) firsts.set(key, index);
				continue;
			}
			const { key, what, isContent } = shared;
			const isOfNow = receipts.usedBy(key, entry) === undefined;
			const duplicateOf = isOfNow ? firsts.get(key) : undefined;
			if (isContent) receipts.skip(index, identity, key);
			const isSame =
				duplicateOf !== undefined && firsts.get(content?.key ?? '') === duplicateOf;
			const other = isOfNow ? 'another item' : 'an earlier message of this execution';
			const message = `Same ${what} as ${other}`;
			end(entry, { status: 'skipped', message, duplicateOf, isSame });
		}
	},
};

function dedupeKeysOf({ identity, prepared }: OpenEntry): DedupeKey[] {
	const { dedupeBy = [], onceKey } = prepared;
	return (identity.dedupeKeys ?? []).map((key, at) => {
		const { what, value } = dedupeBy[at];
		return { key, what, isContent: value !== onceKey };
	});
}

/** Whether an item has claimed its once key in this execution: a retry may have been given another one. */
export function hasClaimedKey(entry: OpenEntry, receipts: Receipts): boolean {
	const own = dedupeKeysOf(entry).filter(({ isContent }) => !isContent);
	return own.every(({ key }) => receipts.hasClaimed(key, entry.index));
}

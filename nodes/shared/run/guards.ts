import type { Client } from './client';
import type { Entry, OpenEntry, Prepared } from './operation';
import type { Outcome } from './outcome';

/** Gives an entry that isn't to be sent its outcome. */
export type End = (entry: Entry, outcome: Outcome) => void;

/** Looks at all open items before the first one is sent, such as for a blacklist. */
export interface Guard<P extends Prepared = Prepared> {
	/** @throws StepFailed, InputError: then no item is sent */
	begin(entries: ReadonlyArray<OpenEntry<P>>, client: Client, end: End): Promise<void> | void;
}

/** Asks for each item, in its turn, whether it may be sent: after all guards, since it has to take back what it gave. */
export interface Claims<P extends Prepared = Prepared> extends Guard<P> {
	/**
	 * Called for one item after the other, in order; answers may come later.
	 *
	 * @returns why the item isn't sent; undefined where it may be
	 */
	claim(entry: OpenEntry<P>, isStopped: () => boolean): Promise<Outcome | undefined> | undefined;
	/** Called for each item that was claimed, with its outcome. */
	done(entry: OpenEntry<P>, outcome: Outcome): void;
	/** Ends those that need no sending, whatever stops the others. */
	endUsed(entries: ReadonlyArray<OpenEntry<P>>, end: End): Promise<void>;
	/** After the last item. @returns what the user should know, if something went wrong */
	close(): Promise<string | undefined>;
}

/** A duplicate counts only against an item that is sent, or may be: in this run, or before in this execution. */
export const duplicates: Guard = {
	begin(entries, { receipts }, end) {
		const seen = new Map<string, number>();
		for (const entry of entries) {
			const { index, identity } = entry;
			const { dedupeBy = [], onceKey } = entry.prepared;
			// A once key that several items share is a mistake that a retry can correct.
			const byContent = dedupeBy.find(({ value }) => value !== onceKey);
			const earlier = byContent === undefined ? [] : receipts.skippedFor(index, identity);
			const dedupeKeys = [...(identity.dedupeKeys ?? []), ...earlier];
			// One that is sent again has used its own keys.
			const used = (key: string) =>
				entry.mayRepeat ? undefined : receipts.usedBy(key, index);
			const position = dedupeKeys.findIndex((key) => used(key) ?? seen.has(key));
			if (position < 0) {
				for (const key of dedupeKeys) seen.set(key, index);
				continue;
			}
			const key = dedupeKeys[position];
			const isOfNow = used(key) === undefined;
			const by = position < dedupeBy.length ? dedupeBy[position] : byContent!;
			if (by === byContent) receipts.skip(index, identity, key);
			const other = isOfNow ? 'another item' : 'an earlier message of this execution';
			const duplicateOf = isOfNow ? seen.get(key) : undefined;
			const message = `Same ${by.what} as ${other}`;
			end(entry, { status: 'skipped', message, duplicateOf });
		}
	},
};

import type { Client } from './client';
import type { OpenEntry, Prepared, RunInfo } from './operation';
import type { Outcome } from './outcome';

/** Something that an item has to pass before it is sent, such as a blacklist. The first refusal counts. */
export interface Guard<P extends Prepared = Prepared> {
	/**
	 * Before the first item. It may set `outcome` of entries that are not to be sent.
	 *
	 * @throws StepFailed, InputError: then no item is sent
	 */
	begin?(entries: ReadonlyArray<OpenEntry<P>>, client: Client): Promise<void> | void;
	/**
	 * Called for one item after the other, in order; answers may come later. Only the last guard has it: it has nothing
	 * to take back when another one refuses.
	 *
	 * @returns why the item isn't sent; undefined where it may be
	 */
	check?(entry: OpenEntry<P>, isStopped: () => boolean): Promise<Outcome | undefined> | undefined;
	/** Called for each item that passed, with its outcome. */
	done?(entry: OpenEntry<P>, outcome: Outcome): void;
	/** After the last item. @returns what the user should know, if something went wrong */
	end?(): Promise<string | undefined>;
}

/** Of items with a dedupe key in common, the first one that isn't refused beforehand is sent. */
export function duplicates({ earlier }: Pick<RunInfo, 'earlier'>): Guard {
	const seen = new Map(earlier);
	return {
		begin(entries) {
			for (const entry of entries) entry.outcome = duplicateOf(entry);
		},
	};

	function duplicateOf({ index, identity, prepared }: OpenEntry): Outcome | undefined {
		const { dedupeKeys = [] } = identity;
		const position = dedupeKeys.findIndex((key) => seen.has(key) && seen.get(key) !== index);
		if (position < 0) {
			for (const key of dedupeKeys) seen.set(key, index);
			return undefined;
		}
		const key = dedupeKeys[position];
		const other = seen.get(key);
		const when = earlier.has(key) ? ' in an earlier try' : '';
		const same = `Same ${prepared.dedupeBy![position].what} as`;
		const reason = `${same} item ${other}${when}`;
		return { status: 'skipped', reason, kind: `${same} another item${when}` };
	}
}

import type { Guard } from './guards';
import type { OpenEntry, RunInfo } from './operation';
import type { Outcome } from './outcome';

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
		const reason = `Same ${prepared.dedupeBy![position].what} as item ${other}${when}`;
		return { status: 'skipped', reason };
	}
}

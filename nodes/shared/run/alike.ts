import type { Admission, Stage } from './admission';
import type { Prepared } from './entries';
import type { Fate } from './outcome';

/** What became of the item that was let through, of those that are alike. */
interface Passed {
	/** Undefined for that of another call of a tool. */
	index: number | undefined;
	fate: Fate;
	/** An earlier try of this execution has made it. */
	isEarlier?: boolean;
}

/**
 * Of items that are alike, by a once key or as duplicates, only one is sent. The others wait for it, and if
 * it certainly was not sent, the next one is.
 */
export function alike(): Stage<Prepared> {
	const last = new Map<string, Promise<Passed>>();
	const wasMade = new Map<string, number | undefined>();
	return {
		begin(_, { madeBefore }) {
			for (const [key, index] of madeBefore) {
				wasMade.set(key, index);
				last.set(key, Promise.resolve({ index, fate: 'accepted', isEarlier: true }));
			}
		},
		admit({ index, alike: keys = [], prepared }) {
			if (keys.length === 0) return undefined;
			const own: Array<(passed: Passed) => void> = [];
			const before = keys.map((key) => {
				const earlier = wasMade.get(key) === index ? undefined : last.get(key);
				last.set(key, new Promise((resolve) => own.push(resolve)));
				return earlier;
			});
			const ticket = {
				settle: (fate: Fate) => own.forEach((tell) => tell({ index, fate })),
			};
			if (before.every((earlier) => earlier === undefined)) return { ticket };
			return (async (): Promise<Admission> => {
				const passed = await Promise.all(before);
				const position = passed.findIndex(
					(one) => one !== undefined && one.fate !== 'notCarriedOut',
				);
				if (position < 0) return { ticket };
				// Those that wait for this one hear of the one before it.
				own.forEach((tell, each) => tell(passed[each] ?? { index, fate: 'notCarriedOut' }));
				const { index: other, isEarlier } = passed[position]!;
				const when = isEarlier ? ' in an earlier try' : '';
				const whom = other === undefined ? 'an earlier call' : `item ${other}${when}`;
				const reason = `Same ${prepared.alike![position].what} as ${whom}`;
				return { outcome: { status: 'skipped', reason } };
			})();
		},
	};
}

import type { Candidate, Stage } from './policy';
import type { Fate } from './outcome';
import type { Prepared } from './operation';

/** The item that goes, of those that are alike. */
interface First {
	index: number;
	/** An earlier try of this execution has made it. */
	isEarlier?: boolean;
	fate: Promise<Fate>;
}

/**
 * Of items that are alike, only one goes: the others wait for it, and if it certainly did not go, the
 * next one does.
 */
export function duplicates(): Stage {
	const firsts = new Map<string, First>();
	return {
		begin(_, { madeBefore }) {
			for (const [duplicate, index] of madeBefore) {
				firsts.set(duplicate, {
					index,
					isEarlier: true,
					fate: Promise.resolve('accepted'),
				});
			}
		},
		admit(candidate) {
			const { index, duplicate } = candidate;
			if (duplicate === undefined) return undefined;
			const earlier = firsts.get(duplicate);
			if (earlier?.index === index) return undefined;
			let settle: (fate: Fate) => void = () => {};
			const own = new Promise<Fate>((resolve) => (settle = resolve));
			const admission = async () => {
				const fate = (await earlier?.fate) ?? 'notCarriedOut';
				if (fate === 'notCarriedOut') return { ticket: { settle } };
				settle(fate);
				return { outcome: skipped(candidate, earlier!) };
			};
			firsts.set(duplicate, { index, ...earlier, fate: own });
			return earlier === undefined ? { ticket: { settle } } : admission();
		},
	};
}

function skipped({ prepared }: Candidate<Prepared>, { index, isEarlier }: First) {
	const alike = prepared.duplicateOf ?? 'recipient and text';
	const when = isEarlier ? ' in an earlier try' : '';
	return { status: 'skipped' as const, reason: `Same ${alike} as item ${index}${when}` };
}

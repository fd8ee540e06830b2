import type { Candidate, Stage } from './policy';
import type { Fate } from './outcome';
import type { Prepared } from './operation';

/** The item that goes, of those that are alike. */
interface First {
	index: number;
	fate: Promise<Fate>;
}

/**
 * Of items that are alike, only one goes: the others wait for it, and if it certainly did not go, the
 * next one does.
 */
export function duplicates(): Stage {
	const firsts = new Map<string, First>();
	return {
		begin: (candidates) => {
			// What an earlier try has sent, or may have, goes before all that are like it.
			for (const { index, isKnown, prepared } of candidates) {
				if (!isKnown || prepared.duplicateKey === undefined) continue;
				firsts.set(prepared.duplicateKey, { index, fate: Promise.resolve('accepted') });
			}
		},
		admit(candidate) {
			const { index, prepared } = candidate;
			const { duplicateKey } = prepared;
			if (duplicateKey === undefined) return undefined;
			const earlier = firsts.get(duplicateKey);
			if (earlier?.index === index) return undefined;
			let settle: (fate: Fate) => void = () => {};
			const own = new Promise<Fate>((resolve) => (settle = resolve));
			const admission = async () => {
				const fate = (await earlier?.fate) ?? 'notCarriedOut';
				if (fate === 'notCarriedOut') return { ticket: { settle } };
				settle(fate);
				return { outcome: skipped(candidate, earlier!.index) };
			};
			firsts.set(duplicateKey, { index: earlier?.index ?? index, fate: own });
			return earlier === undefined ? { ticket: { settle } } : admission();
		},
	};
}

function skipped({ prepared }: Candidate<Prepared>, first: number) {
	const alike = prepared.duplicateOf ?? 'recipient and text';
	return { status: 'skipped' as const, reason: `Same ${alike} as item ${first}` };
}

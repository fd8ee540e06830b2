import type { Entries, Prepared } from './entries';
import type { Ground } from './Ground';
import type { Definition } from './operation';
import { failureOf } from './outcome';
import { inSlices } from './slices';

/** Carries out an operation that is about all items together. Never throws. */
export async function carryOutTogether<P extends Prepared>(
	{ executeAll }: Pick<Definition<P>, 'executeAll'>,
	entries: Entries<P>,
	ground: Ground<P>,
): Promise<void> {
	const { open } = entries;
	try {
		const outcomes = await executeAll!(open, (entry) => ground.requestsOf(entry), {
			items: entries.all.length,
			extraResult: (prepared, outcome) => entries.beside(prepared, outcome),
		});
		await inSlices(open, (entry) => entries.end(entry, outcomes.get(entry.index)!));
	} catch (error) {
		const failure = failureOf(error);
		for (const entry of open) entries.end(entry, failure);
	}
}

import type { Entries, Prepared } from './entries';
import type { Ground } from './Ground';
import type { Definition } from './operation';
import { failureOf } from './outcome';

/** Carries out an operation that makes one request for many items. Never throws. */
export async function carryOutTogether<P extends Prepared>(
	{ carryOutAll }: Pick<Definition<P>, 'carryOutAll'>,
	entries: Entries<P>,
	ground: Ground<P>,
): Promise<void> {
	const { open } = entries;
	const items = new Map(open.map(({ index, prepared }) => [index, prepared]));
	// What one item was made of says nothing of all of them.
	const requests = ground.requestsOf({ ...open[0], identity: {} });
	try {
		const outcomes = await carryOutAll!(items, requests);
		for (const entry of open) entries.end(entry, outcomes.get(entry.index)!);
	} catch (error) {
		const failure = failureOf(error);
		for (const entry of open) entries.end(entry, failure);
	}
}

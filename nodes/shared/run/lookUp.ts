import type { Entry, Prepared } from './entries';
import type { Definition, Unknown } from './operation';
import type { Failed } from './outcome';
import type { Requests } from './Requests';

/**
 * Asks the service after the run what it shows of unknown items. They stay unknown, whatever it is.
 *
 * @param open makes the requests for it
 * @param at when to ask; milliseconds after the run
 */
export async function lookUpUnknown<P extends Prepared>(
	{ lookUp }: Pick<Definition<P>, 'lookUp'>,
	entries: ReadonlyArray<Entry<P>>,
	open: () => Requests,
	at: readonly number[],
): Promise<void> {
	if (lookUp === undefined) return;
	const unknown = entries.flatMap(({ index, prepared, outcome }): Array<Unknown<P>> => {
		if (outcome?.status !== 'unknown' || prepared === undefined) return [];
		return [{ index, prepared, attemptedAt: outcome.attemptedAt }];
	});
	if (unknown.length === 0) return;
	const seen = await lookUp(unknown, open(), at);
	for (const { index, outcome } of entries) {
		if (seen.has(index)) (outcome as Failed).seen = seen.get(index);
	}
}

import type { Entries, Prepared } from './entries';
import type { Ground } from './Ground';
import type { Definition } from './operation';
import { failedCheck } from './outcome';
import { beginInSlices } from './slices';
import { inAll } from './unknown';

/** Makes the checks that need the service, for all items that are still to be made. Never throws. */
export async function checkAll<P extends Prepared>(
	{ check }: Pick<Definition<P>, 'check'>,
	entries: Entries<P>,
	ground: Ground<P>,
): Promise<void> {
	if (check === undefined) return;
	const { recovery } = ground;
	const open = entries.open.filter((entry) => !recovery.isSettled(entry));
	await beginInSlices(open, async (entry) => {
		try {
			entry.prepared = await check(entry.prepared, ground.requestsOf(entry), entry.item);
		} catch (error) {
			const wasMade = recovery.lastWordOn(entry) !== undefined;
			entries.end(entry, inAll(failedCheck(error), wasMade));
		}
	});
}

import { getListedNumbers } from '../shared/numbers';
import type { Guard } from '../shared/run/operation';
import { StepFailed } from '../shared/run/outcome';
import { BLACKLISTED, BLACKLISTS } from '../shared/service/blacklists';
import type { Message } from './message';

/** Skips numbers on the account's blacklists (interface document 4.1), which are fetched once. */
export const blacklisted: Guard<Message> = async (entries, client, end) => {
	const asked = entries.filter(({ prepared }) => prepared.skipBlacklisted);
	if (asked.length === 0) return;
	for (const blacklist of BLACKLISTS) {
		const listed = await getListedNumbers(blacklist, client).catch(notFetched);
		const message = BLACKLISTED[blacklist];
		for (const entry of asked)
			if (listed.has(entry.prepared.recipient) && entry.outcome === undefined)
				end(entry, { status: 'skipped', message });
	}
};

function notFetched(error: unknown): never {
	if (!(error instanceof StepFailed)) throw error;
	const { failure } = error;
	const message = `The blacklists could not be fetched: ${failure.message}`;
	throw new StepFailed({ ...failure, message, concernsAll: true });
}

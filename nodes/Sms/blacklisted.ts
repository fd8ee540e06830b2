import type { Stage } from '../shared/run/admission';
import { getListedNumbers } from '../shared/run/blacklists';
import { StepFailed } from '../shared/run/outcome';
import { BLACKLISTED, BLACKLISTS } from '../shared/service/blacklists';
import type { Message } from './message';

/**
 * Keeps back messages to numbers on the account's blacklists (interface document 4.1), which are
 * fetched once. Entries that are marked as deleted don't count.
 */
export function blacklisted(): Stage<Message> {
	const reasons = new Map<string, string>();
	return {
		async begin(candidates, { client }) {
			if (!candidates.some(({ prepared }) => prepared.skipBlacklisted)) return;
			for (const blacklist of BLACKLISTS) {
				const listed = await getListedNumbers(blacklist, client).catch((error: unknown) => {
					throw notFetched(error);
				});
				for (const number of listed) reasons.set(number, BLACKLISTED[blacklist]);
			}
		},
		admit({ prepared: { recipient, skipBlacklisted } }) {
			const reason = skipBlacklisted ? reasons.get(recipient) : undefined;
			return reason === undefined ? undefined : { outcome: { status: 'skipped', reason } };
		},
	};
}

function notFetched(error: unknown): unknown {
	if (!(error instanceof StepFailed)) return error;
	const { failure } = error;
	const message = `The blacklists could not be fetched: ${failure.message}`;
	return new StepFailed({ ...failure, message, general: true });
}

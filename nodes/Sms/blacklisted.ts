import type { Stage } from '../shared/run/admission';
import { StepFailed } from '../shared/run/outcome';
import { BLACKLIST_ENTRIES, BLACKLISTS, readListedNumbers } from '../shared/service/blacklists';
import type { Message } from './message';

const REASONS = {
	unsubscribers: 'The recipient has unsubscribed (STOP)',
	bounces: "The number is on the account's bounce list",
};

/**
 * Keeps back messages to numbers on the account's blacklists (interface document 4.1), which are
 * fetched once. Entries that are marked as deleted don't count.
 */
export function blacklisted(): Stage<Message> {
	const reasons = new Map<string, string>();
	return {
		async begin(candidates, { requests }) {
			if (!candidates.some(({ prepared }) => prepared.skipBlacklisted)) return;
			for (const blacklist of BLACKLISTS) {
				const request = { endpoint: BLACKLIST_ENTRIES, path: { blacklist } };
				const listed = await requests
					.once(request, readListedNumbers)
					.catch((error: unknown) => {
						throw notFetched(error);
					});
				for (const number of listed) reasons.set(number, REASONS[blacklist]);
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
	const message = `The blacklists could not be fetched, so that nothing was sent: ${failure.message}`;
	return new StepFailed({ ...failure, message, general: true });
}

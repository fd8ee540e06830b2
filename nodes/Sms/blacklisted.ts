import type { Prepared } from '../shared/run/operation';
import { StepFailed } from '../shared/run/outcome';
import type { Stage } from '../shared/run/policy';
import { BLACKLISTS, blacklistPath, readListedNumbers } from '../shared/service/blacklists';
import { canonicalNumber } from '../shared/service/number';

const REASONS = {
	unsubscribers: 'The recipient has unsubscribed (STOP)',
	bounces: "The number is on the account's bounce list",
};

/** A message that may be kept back because of its recipient. */
interface Message extends Prepared {
	subject: string;
	skipBlacklisted: boolean;
}

/**
 * Keeps back messages to numbers on the account's blacklists (interface document 4.1), which are
 * fetched once. Entries that are marked as deleted don't count.
 */
export function blacklisted(): Stage<Message> {
	const reasons = new Map<string, string>();
	return {
		async begin(candidates, { requests }) {
			if (!candidates.some(({ prepared }) => prepared.skipBlacklisted)) return;
			for (const kind of BLACKLISTS) {
				try {
					const listed = await requests.once(
						{ url: blacklistPath(kind) },
						readListedNumbers,
					);
					for (const number of listed) reasons.set(number, REASONS[kind]);
				} catch (error) {
					throw notFetched(error);
				}
			}
		},
		admit({ prepared: { subject, skipBlacklisted } }) {
			const reason = skipBlacklisted ? reasons.get(canonicalNumber(subject)) : undefined;
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

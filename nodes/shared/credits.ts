/** Steps about the credits of the account that operations of several nodes take. */
import type { Client } from './run/client';
import { StepFailed } from './run/outcome';
import { ACCOUNT_STATISTICS, readAccountStatistics } from './service/account';
import { countOf } from './service/countOf';

/** @returns undefined where the service doesn't tell (interface document 4.6) */
export async function creditsLeft(client: Client): Promise<number | undefined> {
	const request = { endpoint: ACCOUNT_STATISTICS };
	const ask = async () => await client.tryGet(request, readAccountStatistics);
	const account = await client.cached('credits', ask);
	const credits = account?.credits;
	if (credits === undefined) {
		client.note(
			'The service did not say how many credits are left; the messages were not checked against them.',
		);
	}
	return credits;
}

/**
 * Nothing was sent, since the account has too few credits for it. How credits are computed is not documented: a message
 * is taken to cost one at least.
 *
 * @param need "3 messages need at least 3"
 * @param orElse what to do instead of buying credits, such as ", or send fewer messages."
 */
export function tooFewCredits(credits: number, need: string, orElse: string): StepFailed {
	return new StepFailed({
		status: 'notSent',
		message: `The account has ${countOf(credits, 'credit')}; ${need}`,
		advice: `Buy credits in the account area of the service${orElse}`,
		transient: false,
		concernsAll: true,
		cause: 'quota-exhausted',
	});
}

import { creditsLeft, tooFewCredits } from '../shared/credits';
import type { Claims, Guard, RunInfo } from '../shared/run/operation';
import type { StepFailed } from '../shared/run/outcome';
import { readSwitch } from '../shared/service/choices';
import { countOf, inWords } from '../shared/service/countOf';
import type { Message } from './message';

const DISPLAY_NAME = 'Check Balance';

/**
 * Asks for the credits of the account before the first message (interface document 4.6), and refuses a run of more
 * messages than that as a whole; one whose once key is used isn't counted. If the balance can't be read, the run continues.
 */
export function checkBalance(
	{ options, dryRun }: RunInfo,
	byDefault: boolean,
	claims: Claims<Message>,
): Guard<Message> {
	let isAsked = false;
	return async (entries, client, end) => {
		const { length } = entries;
		// For one message, the service itself says that the credits don't suffice, and nothing was sent.
		const isWorthIt = byDefault && (dryRun !== undefined || length > 1);
		const isWanted = readSwitch(options, 'checkBalance', DISPLAY_NAME, isWorthIt);
		// A test run sends one message at most; a dry run says what the real run would.
		// Duplicates that are sent after all come here again.
		if (!isWanted || length === 0 || dryRun?.isTest || isAsked) return;
		isAsked = true;
		const credits = await creditsLeft(client);
		if (credits === undefined || length <= credits) return;
		await claims.endUsed(entries, end);
		const left = entries.filter(({ outcome }) => outcome === undefined).length;
		if (left > credits) throw tooFew(credits, left);
	};
}

function tooFew(credits: number, messages: number): StepFailed {
	return tooFewCredits(
		credits,
		`${countOf(messages, 'message')} ${messages === 1 ? 'needs' : 'need'} at least ${inWords(messages)}`,
		`, or send fewer messages. To send as many as the credits allow, add '${DISPLAY_NAME}' under Safeguards and turn it off.`,
	);
}

import type { INodeProperties } from 'n8n-workflow';
import type { Prepared } from '../shared/run/operation';
import { fateOf, StepFailed, type Ticket } from '../shared/run/outcome';
import type { Beginning, Candidate, Stage } from '../shared/run/policy';
import { ACCOUNT_STATISTICS_PATH, readAccountStatistics } from '../shared/service/account';
import { readSwitch, type Options } from '../shared/service/choices';

const DISPLAY_NAME = 'Check Balance';
/** How long the service may take to tell the balance. Milliseconds. */
const LONGEST_WAIT = 10_000;

/** For a batch. */
export const checkBalance: INodeProperties = {
	displayName: DISPLAY_NAME,
	name: 'checkBalance',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether to ask for the credits of the account first, and send nothing when there are fewer than messages. On unless you turn it off here.',
};

/**
 * Asks for the credits of the account before the first message (interface document 4.6), and refuses a
 * batch of more messages than that as a whole. How credits are computed is not documented: a message is
 * taken to cost one at least. Where the balance can't be had, the batch goes.
 *
 * @param stages that keep items back, without writing anything down: what passes them is counted
 * @returns undefined where the user turned it off
 * @throws InputError
 */
export function balance<P extends Prepared>(
	options: Options,
	stages: () => Array<Stage<P>>,
): Stage<P> | undefined {
	if (!readSwitch(options, 'checkBalance', DISPLAY_NAME, true)) return undefined;
	return {
		async begin(candidates, beginning) {
			const toSend = candidates.filter(({ index }) => !beginning.isAnswered(index));
			if (toSend.length === 0) return;
			const credits = await creditsOf(beginning);
			if (credits === undefined || toSend.length <= credits) return;
			const messages = await count(toSend, stages(), beginning);
			if (messages > credits) throw tooFew(credits, messages);
		},
		admit: () => undefined,
	};
}

/** @returns undefined where the service doesn't tell */
async function creditsOf({ requests }: Beginning): Promise<number | undefined> {
	const url = ACCOUNT_STATISTICS_PATH;
	const account = await requests.tryGet({ url }, readAccountStatistics, LONGEST_WAIT);
	const credits = account?.credits;
	if (credits === undefined) {
		requests.note(
			'The service did not say how many credits are left; the batch was not checked against them.',
		);
	}
	return credits;
}

/** How many pass all stages. */
async function count<P extends Prepared>(
	candidates: ReadonlyArray<Candidate<P>>,
	stages: Array<Stage<P>>,
	beginning: Beginning,
): Promise<number> {
	for (const stage of stages) await stage.begin?.(candidates, beginning);
	const passed = await Promise.all(
		candidates.map(async (candidate) => await passes(stages, candidate)),
	);
	return passed.filter(Boolean).length;
}

/** Those that are like it hear what becomes of it, as in the run. */
async function passes<P extends Prepared>(
	stages: Array<Stage<P>>,
	candidate: Candidate<P>,
): Promise<boolean> {
	const tickets: Ticket[] = [];
	for (const stage of stages) {
		const answer = await stage.admit(candidate, () => false);
		if (answer === undefined) continue;
		if ('ticket' in answer) {
			tickets.push(answer.ticket);
			continue;
		}
		const fate = 'outcome' in answer ? fateOf(answer.outcome) : 'accepted';
		for (const ticket of tickets) ticket.settle(fate);
		return false;
	}
	for (const ticket of tickets) ticket.settle('accepted');
	return true;
}

function tooFew(credits: number, messages: number): StepFailed {
	return new StepFailed({
		status: 'notSent',
		message: `The account has ${credits} ${credits === 1 ? 'credit' : 'credits'}; this batch of ${messages} ${messages === 1 ? 'message' : 'messages'} needs at least ${messages}`,
		advice: `Buy credits, or send fewer messages. Nothing was sent. To send as many as the credits allow, turn '${DISPLAY_NAME}' under Options off.`,
		transient: false,
		general: true,
		cause: 'quota-exhausted',
	});
}

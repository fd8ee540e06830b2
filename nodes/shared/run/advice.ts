import { verbOf } from './counts';
import type { FailedEntry } from './failed';
import type { OperationDefinition } from './operation';
import { hasOwnCause } from './outcome';
import type { Run } from './run';

/** Explains each row of the table below. */
const PAGE =
	'https://github.com/n8n-nodes-sms-service/n8n-nodes-sms-service/blob/main/docs/delivery.md#how-to-recover';

/** An error, as the table below sees it. */
interface Situation {
	definition: OperationDefinition;
	/** "sent" */
	verb: string;
	/** The option that repeats what is unknown. */
	option?: string;
	/** Which execution to retry. */
	execution: string;
	/** First, somebody has to do something, such as to enter another key. */
	isBlocked: boolean;
	/** It is about one item. */
	isOne: boolean;
	/** Something is unknown, and a retry looks it up. */
	looksUp: boolean;
	/** A retry may repeat something that has arrived. */
	repeats: boolean;
}

/** The table of docs/delivery.md, a row each. */
const ROWS = {
	retry: ({ verb, execution, isBlocked, looksUp, repeats }: Situation) => {
		const retry = isBlocked ? 'When the cause is solved, retry' : 'Retry';
		const lookUp = looksUp ? 'looks up what is unknown and ' : '';
		const nobody = repeats ? '' : ` Nothing is ${verb} twice.`;
		return `${retry} ${execution}: it ${lookUp}does the rest.${nobody}`;
	},
	again: ({ verb }: Situation) =>
		`No item has been ${verb}. Run the workflow again when this is solved.`,
	own: ({ verb }: Situation) =>
		`A retry has the same wrong data. Correct it where it comes from, and run the workflow with the corrected items only: the others would be ${verb} again. If the mistake is in the node, such as an expression, correct the node and retry.`,
	keys: () => "Run the workflow again with the same items: 'Once Key' skips who got it.",
	turnOn: ({ definition: { lookUp }, option, execution }: Situation) =>
		lookUp === undefined
			? `To repeat all that is unknown, also what has arrived, turn '${option}' on under Options, and retry ${execution}.`
			: `To send it again, turn '${option}' on under Options, and retry ${execution}. If the service shows the first one too late, the recipient gets two.`,
	repeat: ({ option, execution }: Situation) =>
		`'${option}' is on: to repeat it, retry ${execution}.`,
	blocked: ({ execution }: Situation) =>
		`To repeat it, correct what stands in its way, and retry ${execution}.`,
	unclear: ({ definition, verb }: Situation) =>
		definition.toPhone
			? 'Ask the recipient, or retry later: a look-up could not tell whether it arrived.'
			: `A look-up could not tell whether it was ${verb}: look there yourself, or retry later.`,
	row: ({ isOne }: Situation) =>
		isOne
			? 'To do it after all, run the workflow with this item only.'
			: 'To do them after all, run the workflow with these items only.',
	lookUp: () => "Look it up with 'Get Message Status' by phone number before you send it again.",
	look: ({ verb }: Situation) => `It may have been ${verb}: look before you repeat it.`,
	otherKey: () =>
		"Run the workflow again in a minute. If it is still unknown, look it up with 'Get Message Status' by phone number; to send it after all, give this item another key.",
	tool: ({ verb }: Situation) =>
		`It may have been ${verb}: don't repeat it, and say that it is not certain.`,
} as const;
type AdviceRow = keyof typeof ROWS;
/** Those that name an execution to retry. */
const RETRYING: readonly AdviceRow[] = ['retry', 'turnOn', 'repeat', 'blocked'];

/** A retry asks the service for what is unknown. */
function isLookedUp({ lookUp, looksUpSteps }: OperationDefinition): boolean {
	return lookUp !== undefined || looksUpSteps === true;
}

/**
 * The row of the table for a failed item, if there is one. The one place that decides the way out of a fault.
 *
 * @param fails n8n shows the execution as failed, and offers to retry it
 * @param isEmpty nothing was carried out in this execution, and nothing may have been
 */
function adviceRowOf(
	{ outcome, prepared }: FailedEntry,
	{ definition, host, entries }: Run,
	fails: boolean,
	isEmpty: boolean,
): AdviceRow | undefined {
	const { kind, words } = definition;
	const looksUp = isLookedUp(definition);
	const says = prepared && words?.ifUnknown?.(prepared);
	if (kind === 'read') return undefined;
	if (outcome.status !== 'unknown') {
		const isOver = 'origin' in outcome && outcome.origin === 'earlier';
		if (host.isTool || isOver) return undefined;
		if (!fails && outcome.status === 'invalid') return undefined;
		if (!fails) return prepared?.onceKey === undefined ? 'row' : 'keys';
		// With one item, the error already says it.
		if (isEmpty) return entries.length === 1 ? undefined : 'again';
		return outcome.status === 'notSent' || outcome.concernsAll === true ? 'retry' : 'own';
	}
	if (host.isTool) return 'tool';
	const { found } = outcome;
	if (found === 'otherExecution') return 'otherKey';
	if (found === 'refused') return fails ? 'blocked' : undefined;
	if (found === 'unclear' && fails) return 'unclear';
	if (!fails) {
		if (!looksUp || says !== undefined) return undefined;
		return definition.toPhone ? 'lookUp' : 'look';
	}
	if (looksUp && found !== 'nothing' && says === undefined) return 'retry';
	// Without a sentence of the operation that says how a person finds out, its retry does.
	if (words?.repeatOption === undefined) return says === undefined ? 'retry' : undefined;
	if (prepared?.resendUnknown !== true) return 'turnOn';
	return prepared.expired === undefined ? 'repeat' : 'blocked';
}

/** The way out of a fault: sentences, and the page that explains them. */
export interface WayOut {
	way: string;
	/** It speaks of the cause, which has to stand in front of it. */
	isAfterCause: boolean;
	page?: string;
}

/**
 * The way out for the failed items of a run, each sentence once.
 *
 * @param fails n8n shows the execution as failed
 * @returns an empty text for none
 */
export function wayOut(failed: readonly FailedEntry[], run: Run, fails: boolean): WayOut {
	const { definition, host, receipts } = run;
	const isEmpty = fails && receipts?.isEmpty === true;
	const rows = new Set(failed.map((entry) => adviceRowOf(entry, run, fails, isEmpty)));
	const told = Object.entries(ROWS).filter(([row]) => rows.has(row as AdviceRow));
	const own = failed.flatMap(({ outcome, prepared }) =>
		outcome.status === 'unknown' && prepared
			? (definition.words?.ifUnknown?.(prepared) ?? [])
			: [],
	);
	const situation: Situation = {
		definition,
		verb: verbOf(definition),
		option: definition.words?.repeatOption,
		execution: host.isSubWorkflow
			? 'the failed execution of this sub-workflow, not that of the workflow that called it'
			: 'this execution (in Executions) with the currently saved workflow',
		isBlocked: failed.some(
			({ outcome }) => hasOwnCause(outcome) && !('transient' in outcome && outcome.transient),
		),
		isOne: failed.length === 1,
		looksUp:
			isLookedUp(definition) && failed.some(({ outcome }) => outcome.status === 'unknown'),
		repeats: failed.some(
			({ outcome, prepared }) =>
				outcome.status === 'unknown' && prepared?.resendUnknown === true,
		),
	};
	const sentences = [...new Set(own), ...told.map(([, row]) => row(situation))];
	if (RETRYING.some((row) => rows.has(row)) && !host.isSubWorkflow)
		sentences.push('If you have retried it before, retry the newest of these tries.');
	const hasPage = sentences.length > 0 && fails && !isEmpty && !host.isTool;
	return {
		way: sentences.join(' '),
		isAfterCause: situation.isBlocked || rows.has('again'),
		page: hasPage ? PAGE : undefined,
	};
}

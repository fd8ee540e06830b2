import { eitherOf } from '../service/countOf';
import { meaningOf } from '../service/errorCodes';
import { verbOf } from './counts';
import type { FailedEntry } from './failed';
import type { Entry, OperationDefinition } from './operation';
import { hasOwnCause } from './outcome';
import type { Run } from './run';

const DOCS = 'https://github.com/n8n-nodes-sms-service/n8n-nodes-sms-service/blob/main/docs';
/** A page of the docs, in a text. */
export const PAGE_URL = /https:\/\/github\.com\/n8n-nodes-sms-service\/[\w/#.-]*[\w/]/g;
/** Explains each row of the table below. */
const PAGE = `${DOCS}/delivery.md#how-to-recover`;
/** How some rows are run again without the others. */
const SOME_ROWS = `${DOCS}/errors.md#run-some-rows-only`;
const LOOK_UP_ALL = `${DOCS}/errors.md#look-up-all-numbers`;

/**
 * The table of docs/delivery.md, a row each, in the words of a run and of its items that failed.
 *
 * @param rest those that are to be run again without the others
 * @param once no other sentence offers to repeat something
 */
function rowsFor(
	failed: readonly FailedEntry[],
	rest: readonly FailedEntry[],
	{ definition, host, entries }: Run,
	once: boolean,
) {
	const { lookUp, toPhone, words } = definition;
	const verb = verbOf(definition);
	const option = words?.repeatOption;
	const execution = host.isSubWorkflow
		? 'the failed execution of this sub-workflow, not that of the workflow that called it'
		: 'this execution (in Executions) with the currently saved workflow';
	const lost = failed.filter(({ outcome }) => outcome.status === 'unknown');
	const looksUp = isLookedUp(definition) && lost.length > 0;
	/** A retry does something for others. */
	const hasMore = failed.some(({ outcome }) => ['notSent', 'unknown'].includes(outcome.status));
	const hasWrong = failed.some(({ outcome }) => outcome.status === 'invalid');
	const kinds = [...new Set(rest.map(({ outcome }) => outcome.status))];
	/** By their statuses: reasons name a few, and who is skipped, too. */
	const alone =
		rest.length === 1 && failed.length === 1
			? 'this item only'
			: `only those that are ${eitherOf(kinds)}`;
	const hasOthers = rest.length < entries.length;
	/** It may repeat something that has arrived. */
	const repeats = lost.some(({ prepared }) => prepared?.resendUnknown === true);
	return {
		retry: [
			`${isBlocked(failed) ? 'When the cause is solved, retry' : 'Retry'} ${execution}:`,
			`it ${looksUp ? 'looks up what is unknown and ' : ''}does the rest.`,
			...(once && !repeats ? [`Nothing is ${verb} twice.`] : []),
		].join(' '),
		again: `No item has been ${verb}. Run the workflow again when this is solved.`,
		own: `${hasMore ? 'Then see to the others. ' : ''}Wrong data stays wrong in a retry. Correct it where it comes from, and run the workflow with the corrected items only: the others would be ${verb} again. If the mistake is in the node, such as an expression, correct the node and retry.`,
		over: `Nothing is left to do: in a new run, the others would be ${verb} again.`,
		redo: `Run the workflow again when this is solved, with all items: it leaves what has been ${verb} as it is.`,
		keys: `Run the workflow again with the same items${hasWrong ? ', corrected where they are wrong' : ''}: 'Once Key' skips who got it.`,
		turnOn:
			lookUp === undefined
				? `To repeat all that is unknown, also what has arrived, turn '${option}' on under Options, and retry ${execution}.`
				: `To send it again, turn '${option}' on under Options, and retry ${execution}. If the service shows the first one too late, the recipient gets two.`,
		repeat: `'${option}' is on: to repeat it, retry ${execution}.`,
		blocked: `To repeat it, correct what stands in its way, and retry ${execution}.`,
		unclear: toPhone
			? 'Ask the recipient, or retry later: a look-up could not tell whether it arrived.'
			: `A look-up could not tell whether it was ${verb}: look there yourself, or retry later.`,
		row: `When this is solved, run the workflow with ${alone}${hasOthers ? `: the others would be ${verb} again` : ''}.`,
		lookUp: "Look it up with 'Get Message Status' by phone number before you send it again.",
		absent: [
			failed.length === 1
				? 'To send it again,'
				: 'To send those again that the service has no message of,',
			`run the workflow with ${failed.length === 1 ? 'this item only' : 'only those'}${lost.some(hasKey) ? ', with another key' : ''}.`,
			'If the service shows the first one too late, the recipient gets two.',
		].join(' '),
		look: `It may have been ${verb}: look before you repeat it.`,
		otherKey:
			lost.length === 1
				? `If that execution is still running, run the workflow again when it has ended. Otherwise, look it up five minutes after its end, with 'Get Message Status' by phone number (many at once: ${LOOK_UP_ALL}). If there is no such message, run the workflow with this item only, with another key.`
				: `If that execution is still running, run the workflow again when it has ended. Otherwise, look them up five minutes after its end, by phone number (all at once: ${LOOK_UP_ALL}). To send what the service has no message of, run the workflow with only those, with another key.`,
		tool: `It may have been ${verb}: don't repeat it, and say that it is not certain.`,
	};
}
type AdviceRow = keyof ReturnType<typeof rowsFor>;
/** Those that name an execution to retry. */
const RETRYING: readonly AdviceRow[] = ['retry', 'turnOn', 'repeat', 'blocked'];

/** First, somebody has to do something, such as to enter another key. */
function isBlocked(failed: readonly FailedEntry[]): boolean {
	return failed.some(({ outcome }) => hasOwnCause(outcome) && !outcome.transient);
}

function hasKey({ prepared }: Entry): boolean {
	return prepared?.onceKey !== undefined;
}

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
	entry: FailedEntry,
	{ definition, host, entries }: Run,
	fails: boolean,
	isEmpty: boolean,
): AdviceRow | undefined {
	const { outcome, prepared } = entry;
	const { kind, words } = definition;
	const looksUp = isLookedUp(definition);
	// It takes all items: with those that failed alone, 'Remove Missing' would remove the others.
	const isRepeatable = kind === 'make';
	const says = prepared && words?.ifUnknown?.(prepared);
	if (kind === 'read') return undefined;
	if (outcome.status !== 'unknown') {
		if (host.isTool || outcome.origin === 'earlier') return undefined;
		if (!isEmpty && meaningOf(outcome) === 'unsubscribed') return fails ? 'over' : undefined;
		if (!fails && !isRepeatable) return entries.some(hasKey) ? 'keys' : 'row';
		// With one item that was refused, the error already says it.
		if (isEmpty)
			return entries.length === 1 && outcome.status !== 'notSent' ? undefined : 'again';
		if (fails && (outcome.status === 'notSent' || outcome.concernsAll === true)) return 'retry';
		return isRepeatable ? 'redo' : 'own';
	}
	if (host.isTool) return 'tool';
	const { found } = outcome;
	if (found === 'otherExecution') return 'otherKey';
	if (found === 'refused') return fails ? 'blocked' : undefined;
	if (found === 'unclear' && fails) return 'unclear';
	if (!fails) {
		if (!looksUp || says !== undefined) return undefined;
		if (found === 'nothing') return 'absent';
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
	// After a run that goes on, another node or round may still send.
	const isEmpty = fails && receipts?.isEmpty === true;
	const rowOf = (entry: FailedEntry) => adviceRowOf(entry, run, fails, isEmpty);
	const rows = new Set(failed.map(rowOf));
	const rest = failed.filter((entry) => rowOf(entry) === 'row');
	if (rows.size > 1) rows.delete('over');
	const own = failed.flatMap(({ outcome, prepared }) =>
		outcome.status === 'unknown' && prepared
			? (definition.words?.ifUnknown?.(prepared) ?? [])
			: [],
	);
	const once = !rows.has('turnOn');
	const told = Object.entries(rowsFor(failed, rest, run, once)).filter(([row]) =>
		rows.has(row as AdviceRow),
	);
	const sentences = [...new Set(own), ...told.map(([, text]) => text)];
	if (RETRYING.some((row) => rows.has(row)) && !host.isSubWorkflow)
		sentences.push('If you have retried it before, retry the newest of these tries.');
	const hasPage = sentences.length > 0 && fails && !isEmpty && !host.isTool;
	const runsSome = rows.has('row') || rows.has('absent');
	return {
		way: sentences.join(' '),
		isAfterCause: isBlocked(failed) || rows.has('again') || rows.has('over'),
		page: hasPage ? PAGE : runsSome ? SOME_ROWS : undefined,
	};
}

import { verbOf } from './counts';
import type { Entry, OperationDefinition } from './operation';
import type { Outcome } from './outcome';
import type { Run } from './run';

/** Explains each row of the table below. */
const PAGE =
	'https://github.com/n8n-nodes-sms-service/n8n-nodes-sms-service/blob/main/docs/delivery.md#how-to-recover';

/** An item that is not done. */
export type OpenEnd = Entry & {
	outcome: Extract<Outcome, { status: 'invalid' | 'refused' | 'notSent' | 'unknown' }>;
};

const RETRY = 'etry this execution (Executions, the newest failed one)';
/** The table of docs/delivery.md, a row each. */
const ROWS = {
	retry: (definition: OperationDefinition) =>
		`R${RETRY}: it ${definition.lookUp === undefined ? '' : 'looks up what is unknown and '}does the rest. Nothing is ${verbOf(definition)} twice.`,
	again: (definition: OperationDefinition) =>
		`No item has been ${verbOf(definition)}. Run the workflow again when this is solved.`,
	own: () =>
		'What was refused for its own data stays refused: correct it in the node and retry, or run the workflow with that item only.',
	keys: () => 'Run the workflow again: who got it is skipped, by the once key.',
	turnOn: ({ repeatOption }: OperationDefinition) =>
		`To repeat what the service doesn't show, turn '${repeatOption}' on under Options, and r${RETRY}.`,
	repeat: ({ repeatOption }: OperationDefinition) =>
		`'${repeatOption}' is on: to repeat it, r${RETRY}.`,
	blocked: () => `To repeat it, correct what stands in its way, and r${RETRY}.`,
	unclear: () =>
		'Ask the recipient, or retry later: a look-up could not tell whether it arrived.',
	row: () => 'To do it after all, run the workflow with this item only.',
	lookUp: () => "Look it up with 'Get Message Status' by phone number before you send it again.",
	otherKey: () =>
		"Run the workflow again in a minute. If it is still unknown, look it up with 'Get Message Status' by phone number; to send it after all, give this item another key.",
	tool: (definition: OperationDefinition) =>
		`It may have been ${verbOf(definition)}: don't repeat it, and say that it is not certain.`,
} as const;
type Row = keyof typeof ROWS;

/**
 * The row of the table for an open item, if there is one. The one place that decides the way out of a fault.
 *
 * @param fails n8n shows the execution as failed, and offers to retry it
 * @param isEmpty nothing was carried out in this execution, and nothing may have been
 */
function rowOf(
	{ outcome, prepared }: OpenEnd,
	{ definition, host, entries }: Run,
	fails: boolean,
	isEmpty: boolean,
): Row | undefined {
	const { kind, lookUp, ifUnknown, repeatOption } = definition;
	if (kind === 'read') return undefined;
	if (outcome.status !== 'unknown') {
		const isOver = 'origin' in outcome && outcome.origin === 'earlier';
		if (host.isTool || isOver) return undefined;
		if (!fails && prepared?.onceKey !== undefined) return 'keys';
		if (!fails) return outcome.status === 'invalid' ? undefined : 'row';
		// What is said of the only item says all.
		if (isEmpty) return entries.length === 1 ? undefined : 'again';
		return outcome.status === 'notSent' || outcome.concernsAll === true ? 'retry' : 'own';
	}
	if (host.isTool) return 'tool';
	const found = 'found' in outcome ? outcome.found : undefined;
	if (found === 'otherExecution') return 'otherKey';
	if (found === 'unclear') return fails ? 'unclear' : 'lookUp';
	if (!fails) return lookUp === undefined || ifUnknown !== undefined ? undefined : 'lookUp';
	if (lookUp !== undefined && found !== 'nothing') return 'retry';
	// Its retry finds out, unless its operation says how a person does.
	if (repeatOption === undefined) return ifUnknown === undefined ? 'retry' : undefined;
	if (prepared?.resendUnknown !== true) return 'turnOn';
	return prepared.expired === undefined ? 'repeat' : 'blocked';
}

/**
 * The way out for open items of a run, each sentence once.
 *
 * @param fails n8n shows the execution as failed
 * @returns the sentences, and the page that explains them; empty for none
 */
export function wayOut(open: readonly OpenEnd[], run: Run, fails: boolean): string[] {
	const { definition, host, receipts } = run;
	const isEmpty = fails && receipts?.isEmpty === true;
	const rows = new Set(open.map((entry) => rowOf(entry, run, fails, isEmpty)));
	const told = Object.entries(ROWS).filter(([row]) => rows.has(row as Row));
	const own = open.flatMap(({ outcome, prepared }) =>
		outcome.status === 'unknown' && prepared ? (definition.ifUnknown?.(prepared) ?? []) : [],
	);
	const sentences = [...new Set(own), ...told.map(([, row]) => row(definition))];
	if (sentences.length === 0) return [];
	const hasPage = fails && !isEmpty && !host.isTool;
	return [sentences.join(' '), ...(hasPage ? [PAGE] : [])];
}

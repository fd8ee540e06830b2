import type { Outcome } from './outcome';

/** Explains each row of the table below. */
const PAGE =
	'https://github.com/n8n-nodes-sms-service/n8n-nodes-sms-service/blob/main/docs/delivery.md#how-to-recover';

/** Where an outcome is told: the way out depends on what n8n offers there. */
export interface Situation {
	/** n8n shows the execution as failed, and offers to retry it. */
	fails: boolean;
	/** A model reads it. */
	isTool: boolean;
	/** Nothing was carried out in this execution, and nothing may have been. */
	isEmpty: boolean;
	/** Every open message has a once key. */
	isKeyed: boolean;
	/** The run has one item: what is said of it says all. */
	isOne: boolean;
	/** "sent" */
	verb: string;
	/** A retry looks up what is unknown. */
	looksUp: boolean;
	/** The option that makes a retry repeat what is unknown. */
	repeatOption?: string;
}

/** An item that is not done, with what its operation says of unknown ones. */
export interface Open {
	outcome: Extract<Outcome, { status: 'invalid' | 'refused' | 'notSent' | 'unknown' }>;
	/** Advice of the operation for something unknown that no retry looks up. */
	ifUnknown?: string;
}

const EXECUTION = 'this execution (Executions, the newest failed one)';
/** The table of docs/delivery.md, a row each. */
const ROWS = {
	retry: ({ verb }: Situation) =>
		`Retry ${EXECUTION}: it does the rest, and nothing is ${verb} twice.`,
	retryUnknown: ({ verb }: Situation) =>
		`Retry ${EXECUTION}: it looks up what is unknown and does the rest. Nothing is ${verb} twice.`,
	again: ({ verb }: Situation) =>
		`No item has been ${verb}. Run the workflow again when this is solved.`,
	own: () =>
		'What was refused for its own data stays refused: correct it in the node and retry, or run the workflow with that item only.',
	keys: () => 'Run the workflow again: who got it is skipped, by the once key.',
	repeat: ({ repeatOption }: Situation) =>
		`To repeat what the service doesn't show, turn '${repeatOption}' on under Options, and retry ${EXECUTION}.`,
	unclear: () =>
		'Ask the recipient, or retry later: a look-up could not tell whether it arrived.',
	row: () => 'To do it after all, run the workflow with this item only.',
	lookUp: () => "Look it up with 'Get Message Status' by phone number before you send it again.",
	otherKey: () =>
		"Run the workflow again in a minute. If it is still unknown, look it up with 'Get Message Status' by phone number; to send it after all, give this item another key.",
	tool: ({ verb }: Situation) =>
		`It may have been ${verb}: don't repeat it, and say that it is not certain.`,
} as const;
type Row = keyof typeof ROWS;

/** The rows of the table for one open item. The one place that decides the way out of a fault. */
function rowsFor({ outcome, ifUnknown }: Open, situation: Situation): Row[] {
	const { fails, isTool, isEmpty, isOne, isKeyed, looksUp, repeatOption } = situation;
	if (outcome.status !== 'unknown') {
		const isOver = 'origin' in outcome && outcome.origin === 'earlier';
		if (isTool || isOver) return [];
		if (!fails) return isKeyed ? ['keys'] : outcome.status === 'invalid' ? [] : ['row'];
		if (isEmpty) return isOne ? [] : ['again'];
		const isOwnData = outcome.status !== 'notSent' && outcome.general !== true;
		return [isOwnData ? 'own' : 'retry'];
	}
	if (isTool) return ['tool'];
	const { doubt = 'lost' } = outcome;
	if (doubt === 'keyed') return ['otherKey'];
	if (doubt === 'unclear') return [fails ? 'unclear' : 'lookUp'];
	if (!fails) return ifUnknown === undefined && looksUp ? ['lookUp'] : [];
	if (doubt === 'missing') return ['repeat'];
	if (looksUp) return ['retryUnknown'];
	if (repeatOption !== undefined) return ['repeat'];
	// Its retry finds out, unless its operation says how a person does.
	return ifUnknown === undefined ? ['retry'] : [];
}

/** The way out for one item: a sentence or two, empty for none. */
export function adviceFor(open: Open, situation: Situation): string {
	const own = open.outcome.status === 'unknown' ? open.ifUnknown : undefined;
	const rows = rowsFor(open, situation).map((row) => ROWS[row](situation));
	return [own, ...rows].filter(Boolean).join(' ');
}

/** The way out for all open items of a run, each sentence once, and the page that explains it. */
export function adviceForAll(items: readonly Open[], situation: Situation): string[] {
	const rows = new Set(items.flatMap((open) => rowsFor(open, situation)));
	// It does the same, and more.
	if (rows.has('retryUnknown')) rows.delete('retry');
	const own = items.flatMap(({ outcome, ifUnknown }) =>
		outcome.status === 'unknown' && ifUnknown !== undefined ? [ifUnknown] : [],
	);
	// In the order of the table.
	const told = Object.entries(ROWS).filter(([row]) => rows.has(row as Row));
	const sentences = [...told.map(([, row]) => row(situation)), ...new Set(own)];
	if (sentences.length === 0) return [];
	const isShort = situation.isTool || (rows.size === 1 && rows.has('again'));
	return [sentences.join(' '), ...(isShort ? [] : [PAGE])];
}

/** What is measured: the cases, and how often each is run with how many items. */

/** n8n's engines for expressions; `vm` is the default one. */
export type Engine = 'vm' | 'legacy';

/**
 * What is in the fields of the node: one plain field (in the message), two (message and number), three in the
 * message beside the number, or a message and a number that n8n has to evaluate.
 */
export type Fields = 'one' | 'two' | 'three' | 'evaluated';

const SENDS = ['send', 'sendBatch', 'sendKeyed', 'batchKeyed', 'keyedAgain'] as const;
/** What else runs over many items. */
export const OTHERS = [
	'contactAdd',
	'blacklistAdd',
	'listCreate',
	'listGet',
	'campaignCreate',
] as const;

/** The cases that our nodes are. */
export const OWN = [...SENDS, ...OTHERS] as const;

export type CaseName = (typeof OWN)[number] | 'httpRequest' | 'twilio' | 'client';

/** One comparison: the same items to the same server, case by case in alternation. */
export interface Cell {
	engine: Engine;
	fields: Fields;
	/** How late the server answers, in milliseconds. */
	latency: 0 | 20 | 200;
	items: number;
	/** How often each case is run. */
	runs: Partial<Record<CaseName, number>>;
	/** Each run in an n8n of its own, for the memory that it takes. */
	fresh?: boolean;
}

/** Requests at once: of our operations, and of the bare client. */
export function concurrencyOf({ latency }: Pick<Cell, 'latency'>): number {
	return latency === 200 ? 100 : 20;
}

/** Twilio's node sends one message after the other: fewer runs, or none. */
function all(times: number, twilio = times): Cell['runs'] {
	return {
		client: times,
		send: times,
		sendBatch: times,
		httpRequest: times,
		...(twilio === 0 ? {} : { twilio }),
	};
}

const usual = { engine: 'vm', fields: 'two', latency: 20 } as const;
const nodes = (times: number) => ({ send: times, sendBatch: times, httpRequest: times });
const both = (times: number) => ({ send: times, sendBatch: times });
const keyed = (times: number) => ({ sendKeyed: times, batchKeyed: times });
const others = (times: number) => Object.fromEntries(OTHERS.map((name) => [name, times]));

/** Three quarters of an hour on two cores. */
export const FULL_PLAN: readonly Cell[] = [
	{ ...usual, items: 1, runs: { ...all(7), ...keyed(7) } },
	{ ...usual, items: 100, runs: all(5) },
	{ ...usual, items: 1_000, runs: all(5, 2) },
	{ ...usual, items: 1_000, latency: 0, runs: all(5) },
	{ ...usual, items: 100, latency: 200, runs: all(5, 1) },
	{ ...usual, items: 1_000, latency: 200, runs: all(5, 0) },
	{ ...usual, items: 1_000, fields: 'one', runs: nodes(5) },
	{ ...usual, items: 1_000, fields: 'three', runs: nodes(5) },
	{ ...usual, items: 1_000, fields: 'evaluated', runs: nodes(5) },
	{ ...usual, items: 1_000, runs: others(3) },
	{ ...usual, items: 10_000, runs: all(3, 0) },
	{ ...usual, items: 10_000, latency: 0, runs: nodes(1) },
	{ ...usual, items: 10_000, latency: 200, runs: nodes(1) },
	{ ...usual, items: 10_000, runs: { ...keyed(3), keyedAgain: 3 } },
	{ ...usual, engine: 'legacy', items: 1_000, runs: all(5, 0) },
	{ ...usual, engine: 'legacy', items: 1_000, fields: 'evaluated', runs: nodes(5) },
	{ ...usual, engine: 'legacy', items: 10_000, runs: all(1, 0) },
	{ ...usual, items: 10_000, runs: nodes(1), fresh: true },
	{ ...usual, items: 50_000, runs: keyed(1), fresh: true },
];

/** All targets, and nothing else, with fewer runs. */
export const QUICK_PLAN: readonly Cell[] = [
	{ ...usual, items: 1, runs: nodes(5) },
	{ ...usual, items: 1_000, runs: { ...nodes(3), twilio: 1 } },
	{ ...usual, items: 1_000, latency: 0, runs: nodes(3) },
	{ ...usual, items: 1_000, runs: others(1) },
	{ ...usual, items: 10_000, runs: both(1) },
	{ ...usual, items: 50_000, runs: keyed(1) },
];

/** A plan with some of its cases only. */
export function only(plan: readonly Cell[], names: readonly string[]): Cell[] {
	return plan
		.map((cell) => ({
			...cell,
			runs: Object.fromEntries(
				Object.entries(cell.runs).filter(([name]) => names.includes(name)),
			),
		}))
		.filter(({ runs }) => Object.keys(runs).length > 0);
}

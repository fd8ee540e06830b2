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
	latency: 0 | 20 | 50 | 200;
	items: number;
	/** How often each case is run. */
	runs: Partial<Record<CaseName, number>>;
	/** Each run in an n8n of its own, for the memory that it takes. */
	fresh?: boolean;
}

/** Connections of the bare client, which finds no number itself. Our nodes have no option set. */
export function connectionsOf({ latency }: Pick<Cell, 'latency'>): number {
	return latency > 20 ? 100 : 20;
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

/** Each latency with what people would use instead. */
const LATENCIES = [0, 20, 50, 200] as const;

/** Twenty minutes on two cores. */
export const FULL_PLAN: readonly Cell[] = [
	{ ...usual, items: 1, runs: { ...all(5), ...keyed(5) } },
	{ ...usual, items: 100, runs: all(3) },
	...LATENCIES.map((latency) => ({
		...usual,
		latency,
		items: 1_000,
		// One after the other, 1,000 take as many times as long: nobody has to wait for that here.
		runs: all(3, latency === 200 ? 0 : 1),
	})),
	{ ...usual, items: 100, latency: 200, runs: { ...nodes(1), twilio: 1 } },
	{ ...usual, items: 1_000, fields: 'evaluated', runs: nodes(3) },
	{ ...usual, items: 1_000, runs: others(1) },
	...LATENCIES.map((latency) => ({ ...usual, latency, items: 10_000, runs: nodes(1) })),
	...LATENCIES.map((latency) => ({
		...usual,
		latency,
		items: 10_000,
		runs: { ...keyed(1), keyedAgain: 1 },
	})),
	{ ...usual, engine: 'legacy', items: 1_000, runs: nodes(3) },
	{ ...usual, items: 10_000, runs: nodes(1), fresh: true },
	{ ...usual, items: 50_000, runs: keyed(1), fresh: true },
];

/** All targets, and nothing else, with fewer runs. */
export const QUICK_PLAN: readonly Cell[] = [
	{ ...usual, items: 1, runs: nodes(5) },
	...LATENCIES.map((latency) => ({
		...usual,
		latency,
		items: 1_000,
		runs: { ...nodes(3), ...(latency === 20 && { client: 3, twilio: 1 }) },
	})),
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

/** What is measured: the cases, and how often each is run with how many items. */

/** n8n's engines for expressions; `vm` is the default one. */
export type Engine = 'vm' | 'legacy';

export type CaseName =
	| 'send'
	| 'sendBatch'
	| 'twin'
	| 'httpRequest'
	| 'twilio'
	| 'client'
	| 'category'
	| 'onceKey'
	| 'onceKeyAgain';

/** What the tables call them. */
export const TITLES: Readonly<Record<CaseName, string>> = {
	send: 'SMS: Send',
	sendBatch: 'SMS: Send Batch',
	twin: 'Declarative twin',
	httpRequest: 'HTTP Request',
	twilio: 'Twilio',
	client: 'Bare Node client',
	category: 'Send Batch, Category as third expression',
	onceKey: 'Send Batch, Once Key as third expression',
	onceKeyAgain: 'The same keys again: all skipped',
};

/** One comparison: the same items to the same server, case by case in alternation. */
export interface Cell {
	engine: Engine;
	/** Expressions per item: the message, and with two the number. */
	expressions: 1 | 2;
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

function all(times: number, twilio = times): Cell['runs'] {
	return {
		client: times,
		sendBatch: times,
		send: times,
		httpRequest: times,
		twin: times,
		...(twilio === 0 ? {} : { twilio }),
	};
}

const usual = { engine: 'vm', expressions: 2, latency: 20 } as const;
const keys = (times: number) => ({ category: times, onceKey: times, onceKeyAgain: times });

/** Three quarters of an hour on two cores. Twilio's node sends one message after the other: fewer runs. */
export const FULL_PLAN: readonly Cell[] = [
	{ ...usual, items: 1, runs: all(7) },
	{ ...usual, items: 100, runs: all(5) },
	{ ...usual, items: 1_000, runs: all(5, 1) },
	{ ...usual, items: 1_000, latency: 0, runs: all(5) },
	{ ...usual, items: 100, latency: 200, runs: all(5, 1) },
	{ ...usual, items: 1_000, latency: 200, runs: all(5, 0) },
	{ ...usual, items: 1_000, expressions: 1, runs: all(5, 0) },
	{ ...usual, items: 10_000, runs: all(3, 1) },
	{ ...usual, items: 10_000, latency: 0, runs: { sendBatch: 1, send: 1, httpRequest: 1 } },
	{ ...usual, items: 10_000, latency: 200, runs: { sendBatch: 1, send: 1, httpRequest: 1 } },
	{ ...usual, items: 10_000, runs: keys(3) },
	{ ...usual, engine: 'legacy', items: 1_000, runs: all(5, 0) },
	{ ...usual, engine: 'legacy', items: 1_000, expressions: 1, runs: all(5, 0) },
	{ ...usual, engine: 'legacy', items: 10_000, runs: all(1, 0) },
	{ ...usual, items: 10_000, runs: { sendBatch: 1, send: 1, httpRequest: 1 }, fresh: true },
	{ ...usual, items: 50_000, runs: { onceKey: 1 }, fresh: true },
];

/** About three minutes: whether something has changed for the worse. */
export const QUICK_PLAN: readonly Cell[] = [
	{ ...usual, items: 1, runs: all(3) },
	{ ...usual, items: 1_000, runs: all(3, 0) },
	{ ...usual, items: 1_000, runs: keys(2) },
	{
		...usual,
		items: 10_000,
		runs: { sendBatch: 1, httpRequest: 1, onceKey: 1, onceKeyAgain: 1 },
	},
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

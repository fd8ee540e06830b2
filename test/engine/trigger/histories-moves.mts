/** Moves of a random history: of the service, of n8n, of the workflow and of its credential. */
import fc from 'fast-check';
import { CATEGORIES, NUMBERS } from './histories-service.mts';

const FINAL = ['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'];
const STATES = ['sent', 'submitted', ...FINAL, 'archived'];
export const COLLECTIONS = ['reply', 'unsubscribed', 'bounced'];
/** Accounts of the service: two at the same address, and one elsewhere. */
export const ACCOUNTS = 3;
const NAMES = ['SMS Trigger', 'Replies', 'STOP'];

/** Settings of a trigger. */
export interface Settings {
	events: string[];
	categories: string[];
	limit: number;
	emitExisting: boolean;
	threshold: number;
	numbers: string[];
}

/** How n8n comes to read the workflow and its static data again. */
export type Reload = 'saved' | 'restarted' | 'not at once';

export interface Poll {
	failing: string[];
	blank: boolean;
	shuffle: number;
	/** The poll runs twice; n8n loses the result of the first. */
	twice: boolean;
}

export type Move =
	| { do: 'add' | 'remove'; event: string; category: string; ids: number[] }
	| { do: 'count'; category: string; counter: 'sent' | 'delivered'; by: number }
	| { do: 'credits'; credits: number }
	| { do: 'status'; numbers: number[]; message: number; state: string }
	| ({ do: 'poll' } & Poll)
	| { do: 'wait'; polls: number; hours: number }
	| { do: 'hide'; part: 'first' | 'most' | 'all'; polls: number; hours: number }
	| { do: 'restart'; failing: string[]; shuffle: number }
	/** Another credential, or other values in it; then some polls, in which something may fail. */
	| { do: 'credential'; account: number; isNewKey: boolean; isReplaced: boolean; polls: Poll[] }
	| { do: 'edit'; settings: Settings }
	| { do: 'rename'; trigger: number; name: string; reload: Reload }
	| { do: 'swap'; reload: Reload }
	/** An older version of the workflow, from n8n's history. */
	| { do: 'restore'; version: number }
	/** The static data is emptied, or put back as it was at another time. */
	| { do: 'empty'; reload: Reload }
	| { do: 'putBack'; moment: number; reload: Reload };

export const settings: fc.Arbitrary<Settings> = fc.record({
	events: fc.subarray([...COLLECTIONS, 'statisticsChanged', 'creditsLow', 'statusChanged'], {
		minLength: 1,
	}),
	categories: fc.subarray(CATEGORIES),
	limit: fc.constantFrom(1, 2, 3, 1_000),
	emitExisting: fc.boolean(),
	threshold: fc.constantFrom(50, 100),
	numbers: fc.oneof(
		{ weight: 2, arbitrary: fc.constant(NUMBERS) },
		{ weight: 1, arbitrary: fc.subarray(NUMBERS, { minLength: 1 }) },
	),
});

/** Of one trigger, or of two in one workflow. */
export const triggers = fc.oneof(
	{ weight: 2, arbitrary: fc.tuple(settings) },
	{ weight: 1, arbitrary: fc.tuple(settings, settings) },
);

const category = fc.constantFrom(...CATEGORIES);
const entry = {
	event: fc.constantFrom(...COLLECTIONS),
	category,
	ids: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 5 }),
};
/** Which answers fail: by the start of their address. */
const someFailing = fc.subarray([
	'replies?a',
	'replies?b',
	'replies',
	'blacklists?a',
	'stats?b',
	'account',
	'status',
	`status?${NUMBERS[0]}`,
	`status?${NUMBERS[3]}`,
]);
const nothing = fc.constant<string[]>([]);
const failing = fc.oneof({ weight: 3, arbitrary: nothing }, { weight: 1, arbitrary: someFailing });
const pollWith = (what: fc.Arbitrary<string[]>) => ({
	failing: what,
	// Once in a while, the service has nothing.
	blank: fc.nat({ max: 6 }).map((number) => number === 6),
	shuffle: fc.nat({ max: 5 }),
	twice: fc.boolean(),
});
const reload = fc.constantFrom<Reload>('saved', 'restarted', 'not at once');

/** How often a move is drawn, which one, and its fields. */
const drawn = (
	weight: number,
	what: Move['do'],
	fields: Record<string, fc.Arbitrary<unknown>>,
): fc.WeightedArbitrary<Move> => ({
	weight,
	arbitrary: fc.record({ do: fc.constant(what), ...fields }) as unknown as fc.Arbitrary<Move>,
});
const upTo = (max: number) => fc.nat({ max });

/** A history: the moves after the first activation. */
export const moves = fc.array(
	fc.oneof(
		drawn(4, 'add', entry),
		drawn(2, 'remove', entry),
		drawn(1, 'count', {
			category,
			counter: fc.constantFrom('sent', 'delivered'),
			by: fc.integer({ min: -1, max: 2 }),
		}),
		drawn(1, 'credits', { credits: fc.constantFrom(20, 70, 120) }),
		drawn(2, 'status', {
			numbers: fc.subarray([...NUMBERS.keys()], { minLength: 1 }),
			message: fc.integer({ min: 1, max: 2 }),
			// The same ones more than once: a message can pass through a state twice.
			state: fc.oneof(fc.constantFrom('sent', 'delivered'), fc.constantFrom(...STATES)),
		}),
		drawn(8, 'poll', pollWith(failing)),
		// Hours are never near the limit of the rule: two days.
		drawn(1, 'wait', {
			polls: fc.integer({ min: 1, max: 7 }),
			hours: fc.constantFrom(0, 0, 30, 800),
		}),
		drawn(1, 'hide', {
			part: fc.constantFrom('first', 'most', 'all'),
			polls: fc.integer({ min: 1, max: 6 }),
			hours: fc.constantFrom(0, 30, 30, 800),
		}),
		drawn(1, 'restart', { failing, shuffle: upTo(5) }),
		drawn(3, 'credential', {
			account: fc.oneof(
				{ weight: 2, arbitrary: fc.constant(0) },
				{ weight: 1, arbitrary: upTo(ACCOUNTS - 1) },
			),
			isNewKey: fc.boolean(),
			isReplaced: fc.boolean(),
			polls: fc.array(fc.record(pollWith(fc.oneof(nothing, someFailing))), { maxLength: 3 }),
		}),
		drawn(1, 'edit', { settings }),
		drawn(1, 'rename', { trigger: upTo(1), name: fc.constantFrom(...NAMES), reload }),
		drawn(1, 'swap', { reload }),
		drawn(1, 'restore', { version: upTo(5) }),
		drawn(1, 'empty', { reload }),
		drawn(1, 'putBack', { moment: upTo(5), reload }),
	),
	{ maxLength: 30, size: 'max' },
);

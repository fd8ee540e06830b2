/** What can happen in a random history: to the service, to n8n, to the workflow and to its credential. */
import fc from 'fast-check';
import { CATEGORIES, NUMBERS } from './histories-service.mts';

const FINAL = ['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'];
const STATES = ['sent', 'submitted', ...FINAL, 'archived'];
export const COLLECTIONS = ['reply', 'unsubscribed', 'bounced'];
/** Accounts of the service: two at the same address, and one elsewhere. */
export const ACCOUNTS = 3;
const NAMES = ['SMS Trigger', 'Replies', 'STOP'];

/** What a trigger is set to. */
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
	/** The workflow is deployed without its static data. */
	| { do: 'empty'; reload: Reload }
	/** Another execution puts back the static data as it was when that began. */
	| { do: 'putBack'; moment: number; reload: Reload };

export interface Poll {
	failing: string[];
	blank: boolean;
	shuffle: number;
	/** The poll runs twice; n8n loses the result of the first. */
	twice: boolean;
}

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
const entry = fc.record({
	event: fc.constantFrom(...COLLECTIONS),
	category,
	ids: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 5 }),
});
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
const onceInAWhile = fc.nat({ max: 6 }).map((drawn) => drawn === 6);
const pollWith = (what: fc.Arbitrary<string[]>) =>
	fc.record({
		failing: what,
		blank: onceInAWhile,
		shuffle: fc.nat({ max: 5 }),
		twice: fc.boolean(),
	});
const reload = fc.constantFrom<Reload>('saved', 'restarted', 'not at once');

function move<D extends Move['do']>(
	what: D,
	fields: { [Name in keyof Omit<Extract<Move, { do: D }>, 'do'>]: fc.Arbitrary<unknown> },
) {
	return fc.record({ do: fc.constant(what), ...fields }) as unknown as fc.Arbitrary<Move>;
}

/** A history: the moves after the first activation. */
export const moves = fc.array(
	fc.oneof(
		{ weight: 4, arbitrary: entry.map((fields): Move => ({ do: 'add', ...fields })) },
		{ weight: 2, arbitrary: entry.map((fields): Move => ({ do: 'remove', ...fields })) },
		{
			weight: 1,
			arbitrary: move('count', {
				category,
				counter: fc.constantFrom('sent', 'delivered'),
				by: fc.integer({ min: -1, max: 2 }),
			}),
		},
		{ weight: 1, arbitrary: move('credits', { credits: fc.constantFrom(20, 70, 120) }) },
		{
			weight: 2,
			arbitrary: move('status', {
				numbers: fc.subarray([...NUMBERS.keys()], { minLength: 1 }),
				message: fc.integer({ min: 1, max: 2 }),
				// The same ones more than once: what passes through a state twice.
				state: fc.oneof(fc.constantFrom('sent', 'delivered'), fc.constantFrom(...STATES)),
			}),
		},
		{ weight: 8, arbitrary: pollWith(failing).map((poll): Move => ({ do: 'poll', ...poll })) },
		{
			weight: 1,
			arbitrary: move('wait', {
				polls: fc.integer({ min: 1, max: 7 }),
				// Never near the limit of the rule: two days.
				hours: fc.constantFrom(0, 0, 30, 800),
			}),
		},
		{
			weight: 1,
			arbitrary: move('hide', {
				part: fc.constantFrom('first', 'most', 'all'),
				polls: fc.integer({ min: 1, max: 6 }),
				hours: fc.constantFrom(0, 30, 30, 800),
			}),
		},
		{
			weight: 1,
			arbitrary: move('restart', { failing, shuffle: fc.nat({ max: 5 }) }),
		},
		{
			weight: 3,
			arbitrary: move('credential', {
				account: fc.oneof(
					{ weight: 2, arbitrary: fc.constant(0) },
					{ weight: 1, arbitrary: fc.nat({ max: ACCOUNTS - 1 }) },
				),
				isNewKey: fc.boolean(),
				isReplaced: fc.boolean(),
				polls: fc.array(pollWith(fc.oneof(nothing, someFailing)), { maxLength: 3 }),
			}),
		},
		{ weight: 1, arbitrary: move('edit', { settings }) },
		{
			weight: 1,
			arbitrary: move('rename', {
				trigger: fc.nat({ max: 1 }),
				name: fc.constantFrom(...NAMES),
				reload,
			}),
		},
		{ weight: 1, arbitrary: move('swap', { reload }) },
		{ weight: 1, arbitrary: move('restore', { version: fc.nat({ max: 5 }) }) },
		{ weight: 1, arbitrary: move('empty', { reload }) },
		{ weight: 1, arbitrary: move('putBack', { moment: fc.nat({ max: 5 }), reload }) },
	),
	{ maxLength: 30, size: 'max' },
);

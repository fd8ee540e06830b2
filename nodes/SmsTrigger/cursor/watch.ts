import { inSlices } from '../../shared/run/slices';
import { fingerprint } from './fingerprint';
import { ageAbsences, areAbsences, areRecords, DIGITS, findMissing, type Absence } from './records';

/**
 * What is remembered of the messages that are watched: one record of 12 characters for each number
 * or snapshot, in the order in which they will be looked up.
 *
 * A record is 7 characters that stand for the number or snapshot, 1 for the state last seen, and 4
 * that tell the message of that state from another one to the same number.
 */
export interface WatchState {
	/** Counts the polls. */
	turn: number;
	rounds: Round[];
	/** Records of what is no longer on the list. */
	absent?: Absence[];
	/** States beyond those of the interface document, in the order of their numbers. */
	names?: string[];
}

/** Records that are due in the same poll. Level 0 is due in each; at each higher level, half as often. */
type Round = [due: number, level: number, records: string];

const KEY = 7;
const MESSAGE = 4;
const RECORD = KEY + 1 + MESSAGE;
/** In place of a message. */
const NOTHING = DIGITS[0].repeat(MESSAGE);

/** Levels up to which the pauses between two looks grow: to 2 to the power of the level, in polls. */
const LEVELS = {
	/** It moves on by itself: looked at in every poll. */
	moving: 0,
	/** Opened, reply and unsubscribed follow delivered, mostly soon. */
	followed: 2,
	/** There is no message yet, or the service failed to say. */
	open: 3,
	settled: 6,
} as const;
/** A message that has been on its way for so long may never arrive. Milliseconds. */
const LONG_ON_THE_WAY = 2 * 24 * 3_600_000;
/** After so long, hardly anybody opens a link or replies. Milliseconds. */
const LONG_DELIVERED = 3 * 24 * 3_600_000;

/** The states of the interface document, section 3. What has numbers below them is no state. */
const STATES = [
	'sent',
	'submitted',
	'delivered',
	'unsubscribed',
	'bounced',
	'opened',
	'reply',
	'error',
];
/** Never looked at so far; what is found then is the baseline. */
const UNSEEN = 0;
/** Never looked at so far; what is found then makes an event all the same. */
const UNSEEN_EXISTING = 62;
/** Looked at, and there was no message. */
const NO_MESSAGE = 1;
const FIRST_STATE = 2;
/** All states that there is no number left for. */
const OTHER_STATE = 63;
/** States in which a message moves on by itself. */
const MOVING = ['sent', 'submitted'];
/** States that others follow. */
const FOLLOWED = ['delivered', 'opened'];

/** A number or snapshot whose status is to be looked up. */
export interface Look {
	target: string;
	/** It was never looked at so far. */
	first: boolean;
}

/**
 * What a look found: a message's state, and since when (ms since the Unix epoch) where the service says
 * so; `none`; that the service refuses this one; or that it failed to answer.
 */
export type Sight = { id: string; state: string; since?: number } | 'none' | 'refused' | 'failed';

/** What became of a look. */
export interface Seen {
	/** The state last seen; null when there was no message, or no look before. */
	previousState: string | null;
	/** Another state, or another message, than the one last seen; never true for a baseline. */
	changed: boolean;
	/** A message was seen before, and it is the same, in the same state. */
	recognised: boolean;
}

/** The looks of one poll, and what they change. */
export interface WatchPlan {
	looks: Look[];
	/** Compares what a look found with what is remembered. */
	compare(at: number, sight: Sight): Seen;
	/** The state after the poll. Looks without a sight are as if they had not been made. */
	settle(sights: ReadonlyArray<Sight | undefined>): WatchState;
}

/** Whether a value is the state of a watch; anything else is not ours, or damaged. */
export function isWatchState(value: unknown): value is WatchState {
	if (typeof value !== 'object' || value === null) return false;
	const { turn, rounds, absent, names } = value as Record<string, unknown>;
	return (
		Number.isSafeInteger(turn) &&
		Array.isArray(rounds) &&
		rounds.every(
			(round) =>
				Array.isArray(round) &&
				Number.isSafeInteger(round[0]) &&
				Number.isSafeInteger(round[1]) &&
				areRecords(round[2], RECORD),
		) &&
		areAbsences(absent, RECORD) &&
		(names === undefined ||
			(Array.isArray(names) && names.every((name) => typeof name === 'string')))
	);
}

interface Entry {
	target: string;
	record: string;
	due: number;
	level: number;
}

/**
 * Plans the looks of one poll. Who is due goes first, the one that has been due for longest before the
 * others, so that nobody starves; places that are left go to those that are due soonest.
 *
 * @param targets numbers or snapshots to watch, each once
 * @param most how many looks the poll may make
 * @param emitExisting whether the first look at what is new among the targets can make an event
 */
export async function planWatch(
	previous: WatchState | undefined,
	targets: readonly string[],
	most: number,
	emitExisting: boolean,
): Promise<WatchPlan> {
	const turn = (previous?.turn ?? 0) + 1;
	const names = [...(previous?.names ?? [])];
	const unseen = emitExisting ? UNSEEN_EXISTING : UNSEEN;
	const { entries, absent } = await arrange(previous, targets, unseen, turn);
	const chosen = choose(entries, turn, most);

	return {
		looks: chosen.map(({ target, record }) => ({ target, first: isUnseen(stateOf(record)) })),
		compare(at, sight) {
			const { record } = chosen[at];
			const state = stateOf(record);
			const isMessage = typeof sight === 'object';
			const isSame = isMessage && record.slice(KEY) === markOf(sight, names);
			return {
				previousState: isState(state) ? nameOfState(state, names) : null,
				changed: isMessage && state !== UNSEEN && !isSame,
				recognised: isSame,
			};
		},
		settle(sights) {
			const seen = new Map<Entry, Sight>();
			chosen.forEach((entry, at) => {
				const sight = sights[at];
				if (sight !== undefined) seen.set(entry, sight);
			});
			const others = entries.filter((entry) => !seen.has(entry));
			const looked = [...seen].map(([entry, sight]) => after(entry, sight));
			return {
				turn,
				rounds: group([...others, ...looked]),
				...(absent.length === 0 ? {} : { absent }),
				...(names.length === 0 ? {} : { names }),
			};
		},
	};

	/** An entry after a look. */
	function after({ target, record, due, level }: Entry, sight: Sight): Entry {
		const next = record.slice(0, KEY) + markAfter(record, sight);
		const highest = LEVELS[paceOf(next, sight)];
		// A look before its time begins the pause anew; only a pause that has passed makes the next longer.
		const higher = next !== record ? 1 : due <= turn ? level + 1 : level;
		const reached = Math.min(Math.max(higher, 1), highest);
		return { target, record: next, level: reached, due: turn + 2 ** reached };
	}

	/** What a record remembers of state and message after a look. */
	function markAfter(record: string, sight: Sight): string {
		const mark = record.slice(KEY);
		if (sight === 'refused' || sight === 'failed') return mark;
		// A message that the service no longer finds keeps its last state: it didn't change.
		return sight === 'none' && isState(stateOf(record)) ? mark : markOf(sight, names);
	}
}

/** Who is looked at in a poll, in this order. */
function choose(entries: readonly Entry[], turn: number, most: number): Entry[] {
	const inOrder = [...entries].sort((a, b) => a.due - b.due);
	const chosen = inOrder.filter(({ due }) => due <= turn).slice(0, most);
	// One that the service has never answered for is not asked before its time.
	const soonest = inOrder.filter(({ due, record }) => due > turn && !isUnseen(stateOf(record)));
	chosen.push(...soonest.slice(0, most - chosen.length));
	return chosen;
}

function paceOf(record: string, sight: Sight): keyof typeof LEVELS {
	if (sight === 'failed') return 'open';
	if (sight === 'refused') return 'settled';
	if (sight === 'none') return stateOf(record) === NO_MESSAGE ? 'open' : 'settled';
	const { state, since } = sight;
	const age = since === undefined ? 0 : Date.now() - since;
	if (FOLLOWED.includes(state)) return age > LONG_DELIVERED ? 'settled' : 'followed';
	// A state that the interface document doesn't have may lead anywhere.
	const isMoving = MOVING.includes(state) || !STATES.includes(state);
	return isMoving && age <= LONG_ON_THE_WAY ? 'moving' : 'settled';
}

function isUnseen(state: number): boolean {
	return state === UNSEEN || state === UNSEEN_EXISTING;
}

/** The number of a state, not one of the others. */
function isState(number: number): boolean {
	return number >= FIRST_STATE && number !== UNSEEN_EXISTING;
}

/**
 * Joins what is remembered with what is to be watched now. There may be hundreds of thousands: other work
 * of n8n gets its turn in between.
 */
async function arrange(
	previous: WatchState | undefined,
	targets: readonly string[],
	unseen: number,
	turn: number,
): Promise<{ entries: Entry[]; absent: Absence[] }> {
	const byKey = new Map<string, string>();
	await inSlices(targets, (target) => {
		let key = keyOf(target);
		for (let attempt = 1; byKey.has(key); attempt++) key = keyOf(`${target} ${attempt}`);
		byKey.set(key, target);
	});
	const entries: Entry[] = [];
	const restore = (due: number, level: number) => (record: string) => {
		const key = record.slice(0, KEY);
		const target = byKey.get(key);
		if (target !== undefined) entries.push({ target, record, due, level });
		return byKey.delete(key);
	};
	let missing = '';
	for (const [due, level, records] of previous?.rounds ?? []) {
		missing += await findMissing(records, RECORD, restore(due, level));
	}
	const present = entries.length * RECORD;
	const absent: Absence[] = [];
	for (const [hour, polls, records] of previous?.absent ?? []) {
		absent.push([hour, polls, await findMissing(records, RECORD, restore(turn, 0))]);
	}
	await inSlices(byKey, ([key, target]) => {
		entries.push({ target, record: key + DIGITS[unseen] + NOTHING, due: turn, level: 0 });
	});
	return { entries, absent: ageAbsences(absent, missing, present) };
}

function keyOf(target: string): string {
	return fingerprint(target).slice(0, KEY);
}

function stateOf(record: string): number {
	return DIGITS.indexOf(record[KEY]);
}

/** State and message of a look, as the end of a record. */
function markOf(sight: 'none' | { id: string; state: string }, names: string[]): string {
	if (sight === 'none') return DIGITS[NO_MESSAGE] + NOTHING;
	// The state counts as well, so that states that share a number still differ.
	const message = fingerprint(`${sight.id} ${sight.state}`).slice(0, MESSAGE);
	return DIGITS[numberOfState(sight.state, names)] + message;
}

/** The number of a state; one that is met for the first time is added to the names. */
function numberOfState(state: string, names: string[]): number {
	const documented = STATES.indexOf(state);
	if (documented >= 0) return FIRST_STATE + documented;
	const room = UNSEEN_EXISTING - FIRST_STATE - STATES.length;
	if (!names.includes(state) && names.length < room) names.push(state);
	const other = names.indexOf(state);
	return other < 0 ? OTHER_STATE : FIRST_STATE + STATES.length + other;
}

function nameOfState(number: number, names: readonly string[]): string | null {
	return [...STATES, ...names][number - FIRST_STATE] ?? null;
}

/** Records with the same due poll and level together, the order within kept. */
function group(entries: readonly Entry[]): Round[] {
	const rounds = new Map<string, { due: number; level: number; records: string[] }>();
	for (const { due, level, record } of entries) {
		const key = `${due} ${level}`;
		let round = rounds.get(key);
		if (round === undefined) rounds.set(key, (round = { due, level, records: [] }));
		round.records.push(record);
	}
	return [...rounds.values()]
		.sort((a, b) => a.due - b.due || a.level - b.level)
		.map(({ due, level, records }) => [due, level, records.join('')]);
}

import { fingerprint } from './fingerprint';
import { isPacked, readNumber, writeNumber } from './packed';
import { GRACE_POLLS } from './collection';

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
	/** Records of what is no longer on the list: since 1 poll, since 2 polls, … */
	absent?: string[];
	/** States beyond those of the interface document, in the order of their numbers. */
	names?: string[];
}

/**
 * Records that are due together. Level 0 is looked at all the time, in turn; at each higher level,
 * twice as many polls pass between two looks.
 */
type Round = [due: number, level: number, records: string];

const KEY = 7;
const MESSAGE = 4;
export const RECORD = KEY + 1 + MESSAGE;

/** Longest pause between two looks at a message that is final: 2^6 polls. */
const HIGHEST_LEVEL = 6;
/** The same where there is no message yet: 2^3 polls. */
const HIGHEST_LEVEL_WITHOUT_MESSAGE = 3;
/** The part of the looks of one poll that final messages get even when others fill it. */
const FINAL_SHARE = 0.2;

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
const MOVING = new Set(['sent', 'submitted']);

/** A number or snapshot whose status is to be looked up. */
export interface Look {
	target: string;
	/** It was never looked at so far. */
	first: boolean;
}

/** What a look found: a message's state, or `none`, or that the service refuses this one. */
export type Sight = { id: string; state: string } | 'none' | 'refused';

/** What became of a look. */
export interface Seen {
	/** The state last seen; null when there was no message, or no look before. */
	previousState: string | null;
	/** Another state, or another message, than the one last seen; never true for a baseline. */
	changed: boolean;
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
				isPacked(round[2], RECORD),
		) &&
		(absent === undefined ||
			(Array.isArray(absent) && absent.every((records) => isPacked(records, RECORD)))) &&
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
 * Plans the looks of one poll: messages that are still moving in turn, and those that are final ever
 * more rarely, the longer nothing has happened to them.
 *
 * @param targets numbers or snapshots to watch, each once
 * @param most how many looks the poll may make
 * @param emitExisting whether the first look at what is new among the targets can make an event
 */
export function planWatch(
	previous: WatchState | undefined,
	targets: readonly string[],
	most: number,
	emitExisting: boolean,
): WatchPlan {
	const turn = (previous?.turn ?? 0) + 1;
	const names = [...(previous?.names ?? [])];
	const { entries, absent } = arrange(previous, targets, emitExisting ? UNSEEN_EXISTING : UNSEEN);

	const moving = entries.filter(({ level }) => level === 0);
	const resting = entries
		.filter(({ level, due }) => level > 0 && due <= turn)
		.sort((a, b) => a.due - b.due);
	const reserved = Math.min(resting.length, Math.max(1, Math.floor(most * FINAL_SHARE)));
	const chosen = moving.slice(0, Math.max(1, most - reserved));
	chosen.push(...resting.slice(0, Math.max(0, most - chosen.length)));

	return {
		looks: chosen.map(({ target, record }) => ({ target, first: isUnseen(stateOf(record)) })),
		compare(at, sight) {
			const { record } = chosen[at];
			const state = stateOf(record);
			return {
				previousState: isState(state) ? nameOfState(state, names) : null,
				changed:
					typeof sight === 'object' &&
					state !== UNSEEN &&
					record.slice(KEY) !== markOf(sight, names),
			};
		},
		settle(sights) {
			const seen = new Map<Entry, Sight>();
			chosen.forEach((entry, at) => {
				const sight = sights[at];
				if (sight !== undefined) seen.set(entry, sight);
			});
			const unseen = entries.filter((entry) => !seen.has(entry));
			const looked = [...seen].map(([entry, sight]) => after(entry, sight));
			return {
				turn,
				rounds: group([...unseen, ...looked]),
				...(absent.length === 0 ? {} : { absent }),
				...(names.length === 0 ? {} : { names }),
			};
		},
	};

	/** An entry after a look. */
	function after({ target, record, level }: Entry, sight: Sight): Entry {
		// A message that the service no longer finds keeps its last state: it didn't change.
		const forgotten = sight === 'none' && isState(stateOf(record));
		const next =
			sight === 'refused' || forgotten ? record : record.slice(0, KEY) + markOf(sight, names);
		if (typeof sight === 'object' && isMoving(sight.state)) {
			return { target, record: next, level: 0, due: 0 };
		}
		const isEmpty = stateOf(next) === NO_MESSAGE;
		const highest = isEmpty ? HIGHEST_LEVEL_WITHOUT_MESSAGE : HIGHEST_LEVEL;
		const higher = next === record ? Math.min(level + 1, highest) : 1;
		return { target, record: next, level: higher, due: turn + 2 ** higher };
	}
}

function isUnseen(state: number): boolean {
	return state === UNSEEN || state === UNSEEN_EXISTING;
}

/** The number of a state, not one of the others. */
function isState(number: number): boolean {
	return number >= FIRST_STATE && number !== UNSEEN_EXISTING;
}

/** Moving on by itself, or unknown to the interface document. */
function isMoving(state: string): boolean {
	return MOVING.has(state) || !STATES.includes(state);
}

/** Joins what is remembered with what is to be watched now. */
function arrange(
	previous: WatchState | undefined,
	targets: readonly string[],
	unseen: number,
): { entries: Entry[]; absent: string[] } {
	const byKey = new Map<string, string>();
	for (const target of targets) {
		let key = keyOf(target);
		for (let attempt = 1; byKey.has(key); attempt++) key = keyOf(`${target} ${attempt}`);
		byKey.set(key, target);
	}
	const entries: Entry[] = [];
	const absent: string[] = [];
	const restore = (records: string, due: number, level: number) => {
		let missing = '';
		for (let at = 0; at < records.length; at += RECORD) {
			const record = records.slice(at, at + RECORD);
			const key = record.slice(0, KEY);
			const target = byKey.get(key);
			byKey.delete(key);
			if (target === undefined) missing += record;
			else entries.push({ target, record, due, level });
		}
		return missing;
	};
	absent.push(
		(previous?.rounds ?? [])
			.map(([due, level, records]) => restore(records, due, level))
			.join(''),
	);
	for (const records of previous?.absent ?? []) absent.push(restore(records, 0, 0));
	for (const [key, target] of byKey) {
		const record = key + writeNumber(unseen, 1) + writeNumber(0, MESSAGE);
		entries.push({ target, record, due: 0, level: 0 });
	}
	absent.splice(GRACE_POLLS - 1);
	while (absent.at(-1) === '') absent.pop();
	return { entries, absent };
}

function keyOf(target: string): string {
	const { high, low } = fingerprint(target, { high: 0, low: 0 });
	return writeNumber(high, 5) + writeNumber(low >>> 18, 2);
}

function stateOf(record: string): number {
	return readNumber(record, KEY, 1);
}

/** State and message of a look, as the end of a record. */
function markOf(sight: 'none' | { id: string; state: string }, names: string[]): string {
	if (sight === 'none') return writeNumber(NO_MESSAGE, 1) + writeNumber(0, MESSAGE);
	// The state counts as well, so that states that share a number still differ.
	const { high } = fingerprint(`${sight.id} ${sight.state}`, { high: 0, low: 0 });
	return writeNumber(numberOfState(sight.state, names), 1) + writeNumber(high >>> 6, MESSAGE);
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

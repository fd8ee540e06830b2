import { forEach } from '../../shared/run/chunks';
import { fingerprint } from './fingerprint';
import {
	isOfMessage,
	isUnseen,
	MARK,
	markAfter,
	stateIn,
	UNSEEN,
	UNSEEN_EXISTING,
	type Sight,
} from './mark';
import { highestLevel } from './pace';
import { areRows, findAbsences, joinRows, type Absence, type Remembered } from './records';

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

/** Characters that stand for a number or snapshot. */
const KEY = 7;
const RECORD = KEY + MARK;

/** A number or snapshot whose status is to be looked up. */
export interface Look<T> {
	target: T;
	/** It was never looked at so far. */
	first: boolean;
}

/** What became of a look. */
export interface Seen {
	/** The state last seen; null when there was no message, or no look before. */
	previousState: string | null;
	/** Another state, or another message, than the one last seen; never true for a baseline. */
	changed: boolean;
	/**
	 * Whether the message seen before is still there, in whatever state; undefined where that can't be told:
	 * there was none, the look failed, or a newer message to the number hides it.
	 */
	isThere?: boolean;
}

/** The looks of one poll, and what they change. */
export interface WatchPlan<T> {
	looks: Array<Look<T>>;
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
		areRows(rounds, RECORD) &&
		(absent === undefined || areRows(absent, RECORD)) &&
		(names === undefined ||
			(Array.isArray(names) && names.every((name) => typeof name === 'string')))
	);
}

interface Entry<T> {
	target: T;
	key: string;
	mark: string;
	due: number;
	level: number;
}

/**
 * Plans the looks of one poll. Those that are due come first, the one that has been due for longest before
 * the others, so that nobody starves; places that are left are for those that are due soonest.
 *
 * @param targets numbers or snapshots to watch, each once; their state is kept under their ID
 * @param most how many looks the poll may make
 * @param emitExisting whether the first look at what is new among the targets can make an event
 */
export async function planWatch<T extends { id: string }>(
	previous: WatchState | undefined,
	targets: readonly T[],
	most: number,
	emitExisting: boolean,
): Promise<WatchPlan<T>> {
	const turn = (previous?.turn ?? 0) + 1;
	const names = [...(previous?.names ?? [])];
	const unseen = emitExisting ? UNSEEN_EXISTING : UNSEEN;
	const { entries, absent } = await arrange(previous, targets, unseen, turn);
	const chosen = choose(entries, turn, most);

	return {
		looks: chosen.map(({ target, mark }) => ({ target, first: isUnseen(mark) })),
		compare(at, sight) {
			const { mark } = chosen[at];
			const isMessage = typeof sight === 'object';
			const isSame = isMessage && mark === markAfter(mark, sight, names);
			return {
				previousState: stateIn(mark, names),
				changed: isMessage && mark !== UNSEEN && !isSame,
				isThere: isThere(mark, sight, names),
			};
		},
		settle(sights) {
			const seen = new Map<Entry<T>, Sight>();
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
	function after(entry: Entry<T>, sight: Sight): Entry<T> {
		const mark = markAfter(entry.mark, sight, names);
		// A look before its time begins the pause anew; only a pause that has passed makes the next longer.
		const longer = entry.due <= turn ? entry.level + 1 : entry.level;
		const wished = mark === entry.mark ? Math.max(longer, 1) : 1;
		const level = Math.min(wished, highestLevel(mark, sight));
		return { ...entry, mark, level, due: turn + 2 ** level };
	}
}

function isThere(mark: string, sight: Sight, names: readonly string[]): boolean | undefined {
	if (stateIn(mark, names) === null) return undefined;
	if (sight === 'none') return false;
	return (typeof sight === 'object' && isOfMessage(mark, sight)) || undefined;
}

/** Who is looked at in a poll, in this order. */
function choose<T>(entries: ReadonlyArray<Entry<T>>, turn: number, most: number) {
	const inOrder = [...entries].sort((a, b) => a.due - b.due);
	const chosen = inOrder.filter(({ due }) => due <= turn).slice(0, most);
	// One that the service has never answered for is not asked before its time.
	const soonest = inOrder.filter(({ due, mark }) => due > turn && !isUnseen(mark));
	chosen.push(...soonest.slice(0, most - chosen.length));
	return chosen;
}

/**
 * Joins what is remembered with what is to be watched now. There may be hundreds of thousands: other work
 * of n8n gets its turn in between.
 */
async function arrange<T extends { id: string }>(
	previous: WatchState | undefined,
	targets: readonly T[],
	unseen: string,
	turn: number,
): Promise<{ entries: Array<Entry<T>>; absent: Absence[] }> {
	const byKey = new Map<string, T>();
	await forEach(targets, (target) => {
		let key = fingerprint(target.id).slice(0, KEY);
		for (let attempt = 1; byKey.has(key); attempt++) {
			key = fingerprint(`${target.id} ${attempt}`).slice(0, KEY);
		}
		byKey.set(key, target);
	});
	const entries: Array<Entry<T>> = [];
	const restore = (due: number, level: number) => (record: string) => {
		const key = record.slice(0, KEY);
		const target = byKey.get(key);
		if (target !== undefined)
			entries.push({ target, key, mark: record.slice(KEY), due, level });
		return byKey.delete(key);
	};
	const { rounds = [], absent = [] } = previous ?? {};
	const remembered = rounds.map(([due, level, records]): Remembered => {
		return { records, isThere: restore(due, level) };
	});
	const stillAbsent = await findAbsences(RECORD, remembered, absent, restore(turn, 0));
	await forEach(byKey, ([key, target]) => {
		entries.push({ target, key, mark: unseen, due: turn, level: 0 });
	});
	return { entries, absent: stillAbsent };
}

/** The entries as rounds, those that are due first before the others. */
function group(entries: ReadonlyArray<Omit<Entry<unknown>, 'target'>>): Round[] {
	const rows = entries.map(({ due, level, key, mark }): Round => [due, level, key + mark]);
	return joinRows(rows).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

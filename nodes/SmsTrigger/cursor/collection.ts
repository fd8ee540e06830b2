import { forEach } from '../../shared/run/chunks';
import { fingerprint, WIDTH } from './fingerprint';
import { areRecords, areRows, findAbsences, findMissing, type Absence } from './records';

/**
 * What is remembered of a collection that the service returns whole: fingerprints of its entries,
 * 10 characters each, every entry in one place only.
 */
export interface CollectionState {
	/** Entries that need no event any more, because they had one or were there at the start. */
	known: string;
	/** Entries whose event is still to be handed out, the one first seen first. */
	waiting?: string;
	/** Known entries that the service no longer returns. */
	absent?: Absence[];
}

/** How a collection is read. */
export interface Reading<T> {
	/** What an entry is recognised by. */
	idOf: (entry: T) => string;
	/** The service itself says that the entry is no longer on the list: forgotten without grace. */
	isRemoved?: (entry: T) => boolean;
	/** Without earlier state: whether the entries that are there already make events. */
	emitExisting: boolean;
	/** Most entries that can be handed out at once. */
	limit: number;
}

/** How many entries are remembered, and how many entries that were ever seen the answer has. */
export interface Overlap {
	remembered: number;
	found: number;
}

/** What a comparison found. */
export interface CollectionChanges<T> {
	/** How many entries could be handed out now, up to the limit. */
	waiting: number;
	/** How much of what is remembered the service still has. */
	overlap: Overlap;
	/**
	 * Hands out the first entries that wait, oldest known first.
	 *
	 * @returns these entries, and the state without them among the waiting; the very same state object
	 *   when nothing has changed
	 */
	settle(granted: number): { state: CollectionState; entries: T[] };
}

/** Whether a value is the state of a collection; anything else is not ours, or damaged. */
export function isCollectionState(value: unknown): value is CollectionState {
	if (typeof value !== 'object' || value === null) return false;
	const { known, waiting, absent } = value as Record<string, unknown>;
	return (
		areRecords(known, WIDTH) &&
		(waiting === undefined || areRecords(waiting, WIDTH)) &&
		(absent === undefined || areRows(absent, WIDTH))
	);
}

/** The place of an entry that the service itself calls removed. */
const REMOVED = -1;
/**
 * Compares an answer with what is remembered. Order and repetitions in the answer don't matter, and
 * the answer is not kept: only the entries that may be handed out now are. n8n can do other work in
 * between, however long the answer is.
 *
 * @param previous undefined when there is none yet: then this answer is the baseline
 */
export async function compareCollection<T>(
	previous: CollectionState | undefined,
	answer: readonly T[],
	reading: Reading<T>,
): Promise<CollectionChanges<T>> {
	const { known, queue, absent, ready, overlap } = await sort(previous, answer, reading);
	return {
		waiting: ready.length,
		overlap,
		settle(granted) {
			const entries = ready.slice(0, granted);
			const cut = entries.length * WIDTH;
			const state: CollectionState = { known: known + queue.slice(0, cut) };
			if (queue.length > cut) state.waiting = queue.slice(cut);
			if (absent.length > 0) state.absent = absent;
			return { state: previous && isSame(previous, state) ? previous : state, entries };
		},
	};
}

/** A function of its own, so that no closure keeps the whole answer in memory. */
async function sort<T>(
	previous: CollectionState | undefined,
	answer: readonly T[],
	{ idOf, isRemoved, emitExisting, limit }: Reading<T>,
) {
	const { known: remembered = '', waiting = '', absent = [] } = previous ?? {};
	/**
	 * Where in the answer each entry is first, by its fingerprint, until it is found in what is remembered.
	 * A plain Map: with a million replies it takes 190 MB meanwhile and 2.5 to 3 s of CPU, in turns of at most
	 * 0.1 s. A hash table of typed arrays took 45 MB and 1 s, and 200 lines; the longest stall of a poll,
	 * 0.8 s, is the parsing of the answer either way.
	 */
	const places = new Map<string, number>();
	let at = -1;
	await forEach(answer, (entry) => {
		at++;
		const id = fingerprint(idOf(entry));
		const place = isRemoved?.(entry) ? REMOVED : at;
		if ((places.get(id) ?? REMOVED) === REMOVED) places.set(id, place);
	});

	let found = 0;
	/** Sorts a remembered entry into a part of the next state, unless it was removed. */
	const sortInto = (sorted: (id: string, place: number) => void) => (id: string) => {
		const place = places.get(id);
		if (place === undefined) return false;
		found++;
		places.delete(id);
		if (place !== REMOVED) sorted(id, place);
		return true;
	};
	const known: string[] = [];
	const know = (id: string) => void known.push(id);
	const queue: string[] = [];
	const ready: T[] = [];
	const enqueue = (id: string, place: number) => {
		queue.push(id);
		if (ready.length < limit) ready.push(answer[place]);
	};

	const isThere = sortInto(know);
	const stillAbsent = await findAbsences(
		WIDTH,
		[{ records: remembered, isThere }],
		absent,
		isThere,
	);
	await findMissing(waiting, WIDTH, sortInto(enqueue));
	// What is left was not there before.
	const isSilent = previous === undefined && !emitExisting;
	await forEach(places, ([id, place]) => {
		if (place !== REMOVED) (isSilent ? know : enqueue)(id, place);
	});
	return {
		known: known.join(''),
		queue: queue.join(''),
		absent: stillAbsent,
		ready,
		overlap: { remembered: (remembered.length + waiting.length) / WIDTH, found },
	};
}

function isSame(a: CollectionState, b: CollectionState): boolean {
	return (
		a.known === b.known &&
		a.waiting === b.waiting &&
		JSON.stringify(a.absent) === JSON.stringify(b.absent)
	);
}

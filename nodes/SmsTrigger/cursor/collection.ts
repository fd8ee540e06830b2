import { fingerprint, type Fingerprint } from './fingerprint';
import { FingerprintIndex } from './FingerprintIndex';
import { isPacked, Packer, readFingerprint, WIDTH } from './packed';

/**
 * What is remembered of a collection that the service returns whole: fingerprints of its entries,
 * 10 characters each, every entry in one place only.
 */
export interface CollectionState {
	/** Entries that need no event any more, because they had one or were there at the start. */
	known: string;
	/** Entries whose event is still to be handed out, the one first seen first. */
	waiting?: string;
	/** Known entries that the service no longer returns: since 1 poll, since 2 polls, … */
	absent?: string[];
}

/**
 * For how many polls in a row an entry has to be missing until it is forgotten. An entry that comes
 * back sooner was never really gone, and makes no event; one that comes back later is a new one.
 */
export const GRACE_POLLS = 5;

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

/** What a comparison found. */
export interface CollectionChanges<T> {
	/** How many entries could be handed out now, up to the limit. */
	waiting: number;
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
		isPacked(known) &&
		(waiting === undefined || isPacked(waiting)) &&
		(absent === undefined ||
			(Array.isArray(absent) && absent.every((fingerprints) => isPacked(fingerprints))))
	);
}

const ABSENT = -1;
const REMOVED = -2;

/**
 * Compares an answer with what is remembered. Order and repetitions in the answer don't matter, and
 * the answer is neither copied nor kept: only the entries that may be handed out now are.
 *
 * @param previous undefined when there is none yet: then this answer is the baseline
 */
export function compareCollection<T>(
	previous: CollectionState | undefined,
	answer: readonly T[],
	{ idOf, isRemoved, emitExisting, limit }: Reading<T>,
): CollectionChanges<T> {
	const known = previous?.known ?? '';
	const generations = [...(previous?.absent ?? [])];
	const waiting = previous?.waiting ?? '';

	const { found, fresh, added } = locate(
		[known, ...generations, waiting],
		answer,
		idOf,
		isRemoved,
	);

	const waitingFrom = found.length - waiting.length / WIDTH;
	const stillWaiting = select(waiting, found, waitingFrom, (place) => place >= 0);
	const isSilent = previous === undefined && !emitExisting;
	const queue = isSilent ? stillWaiting : stillWaiting + added;
	const ready = Math.min(queue.length / WIDTH, limit);
	const candidates = pick(answer, placesOfFirst(ready, found, waitingFrom, fresh));

	return {
		waiting: ready,
		settle(granted) {
			const entries = candidates.slice(0, granted);
			const cut = entries.length * WIDTH;
			const state = withoutEmptyParts({
				known:
					select(known, found, 0, (place) => place >= 0) +
					comeBack() +
					queue.slice(0, cut) +
					(isSilent ? added : ''),
				waiting: queue.slice(cut),
				absent: agedAbsences(),
			});
			return { state: previous && sameState(previous, state) ? previous : state, entries };
		},
	};

	/** Absent entries that are in the answer again: known ones, as before. */
	function comeBack(): string {
		return overGenerations((part, from) =>
			select(part, found, from, (place) => place >= 0),
		).join('');
	}

	/** The absences of this poll, each earlier one a poll older, the oldest dropped. */
	function agedAbsences(): string[] {
		const missing = (part: string, from: number) =>
			select(part, found, from, (place) => place === ABSENT);
		const aged = [missing(known, 0), ...overGenerations(missing)].slice(0, GRACE_POLLS - 1);
		while (aged.at(-1) === '') aged.pop();
		return aged;
	}

	function overGenerations(pick: (part: string, from: number) => string): string[] {
		let from = known.length / WIDTH;
		return generations.map((part) => {
			const picked = pick(part, from);
			from += part.length / WIDTH;
			return picked;
		});
	}
}

/**
 * Goes once through an answer.
 *
 * @param remembered parts of the state; their entries are counted through, from the first part on
 * @returns for each remembered entry its place in the answer (ABSENT, or REMOVED where the service says
 *   so); the places of new entries, each once; and the fingerprints of these
 */
function locate<T>(
	remembered: readonly string[],
	answer: readonly T[],
	idOf: Reading<T>['idOf'],
	isRemoved: Reading<T>['isRemoved'],
): { found: Int32Array; fresh: number[]; added: string } {
	const total = remembered.reduce((sum, part) => sum + part.length / WIDTH, 0);
	const index = new FingerprintIndex(total === 0 ? answer.length : total);
	const current: Fingerprint = { high: 0, low: 0 };
	let count = 0;
	for (const part of remembered) {
		for (let at = 0; at < part.length; at += WIDTH) {
			index.findOrAdd(readFingerprint(part, at, current), count++);
		}
	}

	const found = new Int32Array(total).fill(ABSENT);
	const fresh: number[] = [];
	const added = new Packer();
	for (let place = 0; place < answer.length; place++) {
		fingerprint(idOf(answer[place]), current);
		if (isRemoved?.(answer[place])) {
			const position = index.find(current);
			if (position >= 0 && found[position] === ABSENT) found[position] = REMOVED;
			continue;
		}
		const position = index.findOrAdd(current, total + fresh.length);
		if (position < 0) {
			fresh.push(place);
			added.add(current);
		} else if (position < total && found[position] < 0) {
			found[position] = place;
		}
	}
	return { found, fresh, added: added.toString() };
}

/** The fingerprints of a part whose place in the answer passes; the part itself when all do. */
function select(
	part: string,
	found: Int32Array,
	from: number,
	passes: (place: number) => boolean,
): string {
	const runs: string[] = [];
	const total = part.length / WIDTH;
	for (let at = 0; at < total; ) {
		while (at < total && !passes(found[from + at])) at++;
		const start = at;
		while (at < total && passes(found[from + at])) at++;
		if (at > start) runs.push(part.slice(start * WIDTH, at * WIDTH));
	}
	return runs.join('');
}

/** Where in the answer the first entries to hand out are: those that waited, then new ones. */
function placesOfFirst(
	count: number,
	found: Int32Array,
	waitingFrom: number,
	fresh: readonly number[],
): number[] {
	const places: number[] = [];
	for (let position = waitingFrom; position < found.length && places.length < count; position++) {
		if (found[position] >= 0) places.push(found[position]);
	}
	return places.concat(fresh.slice(0, count - places.length));
}

/** A function of its own, so that no closure keeps the whole answer in memory. */
function pick<T>(answer: readonly T[], places: readonly number[]): T[] {
	return places.map((place) => answer[place]);
}

function withoutEmptyParts({ known, waiting, absent }: Required<CollectionState>): CollectionState {
	return {
		known,
		...(waiting === '' ? {} : { waiting }),
		...(absent.length === 0 ? {} : { absent }),
	};
}

function sameState(a: CollectionState, b: CollectionState): boolean {
	return (
		a.known === b.known &&
		a.waiting === b.waiting &&
		(a.absent ?? []).length === (b.absent ?? []).length &&
		(a.absent ?? []).every((part, age) => part === b.absent?.[age])
	);
}

import { inSlices } from '../../shared/run/slices';
import { ageAbsences, areAbsences, sameAbsences, type Absence } from './absence';
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
		isPacked(known) &&
		(waiting === undefined || isPacked(waiting)) &&
		areAbsences(absent, WIDTH)
	);
}

const ABSENT = -1;
const REMOVED = -2;
const isPresent = (place: number) => place >= 0;
const isAbsent = (place: number) => place === ABSENT;

/**
 * Compares an answer with what is remembered. Order and repetitions in the answer don't matter, and
 * the answer is neither copied nor kept: only the entries that may be handed out now are. Others get
 * their turn in between, however long the answer is.
 *
 * @param previous undefined when there is none yet: then this answer is the baseline
 */
export async function compareCollection<T>(
	previous: CollectionState | undefined,
	answer: readonly T[],
	{ idOf, isRemoved, emitExisting, limit }: Reading<T>,
): Promise<CollectionChanges<T>> {
	const { known = '', absent = [], waiting = '' } = previous ?? {};
	const parts = [known, ...absent.map(([, , fingerprints]) => fingerprints), waiting];
	const { found, fresh, added } = await locate(parts, answer, idOf, isRemoved);

	const [knownPart, ...others] = placesOf(parts, found);
	const waitingPart = others.pop()!;
	const isSilent = previous === undefined && !emitExisting;
	const still = select(knownPart, isPresent);
	const back = others.map((part) => select(part, isPresent)).join('');
	const kept = still + back + (isSilent ? added : '');
	const gone = others.map((part, at): Absence => {
		const [hour, polls] = absent[at];
		return [hour, polls, select(part, isAbsent)];
	});
	const stillAbsent = ageAbsences(gone, select(knownPart, isAbsent), still.length);

	const queue = select(waitingPart, isPresent) + (isSilent ? '' : added);
	const ready = Math.min(queue.length / WIDTH, limit);
	const candidates = pick(answer, placesOfFirst(ready, waitingPart.places, fresh));

	return {
		waiting: ready,
		overlap: {
			remembered: (known.length + waiting.length) / WIDTH,
			found: countFound(found),
		},
		settle(granted) {
			const entries = candidates.slice(0, granted);
			const cut = entries.length * WIDTH;
			const state = withoutEmptyParts({
				known: kept + queue.slice(0, cut),
				waiting: queue.slice(cut),
				absent: stillAbsent,
			});
			return { state: previous && sameState(previous, state) ? previous : state, entries };
		},
	};
}

/**
 * Goes once through an answer.
 *
 * @param remembered parts of the state; their entries are counted through, from the first part on
 * @returns for each remembered entry its place in the answer (ABSENT, or REMOVED where the service says
 *   so); the places of new entries, each once; and the fingerprints of these
 */
async function locate<T>(
	remembered: readonly string[],
	answer: readonly T[],
	idOf: Reading<T>['idOf'],
	isRemoved: Reading<T>['isRemoved'],
): Promise<{ found: Int32Array; fresh: number[]; added: string }> {
	const total = remembered.reduce((sum, part) => sum + part.length / WIDTH, 0);
	const index = new FingerprintIndex(Math.max(total, answer.length));
	const current: Fingerprint = { high: 0, low: 0 };
	await inSlices(fingerprintsIn(remembered), ([part, at], position) => {
		index.findOrAdd(readFingerprint(part, at, current), position);
	});

	const found = new Int32Array(total).fill(ABSENT);
	const fresh: number[] = [];
	const added = new Packer();
	await inSlices(answer, (entry, place) => {
		fingerprint(idOf(entry), current);
		if (isRemoved?.(entry)) {
			const position = index.find(current);
			if (position >= 0 && position < total && found[position] === ABSENT) {
				found[position] = REMOVED;
			}
			return;
		}
		const position = index.findOrAdd(current, total + fresh.length);
		if (position < 0) {
			fresh.push(place);
			added.add(current);
		} else if (position < total && found[position] < 0) {
			found[position] = place;
		}
	});
	return { found, fresh, added: added.toString() };
}

/** Where the fingerprints of parts of the state begin. */
function* fingerprintsIn(parts: readonly string[]): Iterable<[part: string, at: number]> {
	for (const part of parts) {
		for (let at = 0; at < part.length; at += WIDTH) yield [part, at];
	}
}

/** A part of the state, and where its entries are in the answer. */
interface Part {
	fingerprints: string;
	places: Int32Array;
}

function placesOf(parts: readonly string[], found: Int32Array): Part[] {
	let from = 0;
	return parts.map((fingerprints) => {
		const to = from + fingerprints.length / WIDTH;
		const places = found.subarray(from, to);
		from = to;
		return { fingerprints, places };
	});
}

/** The fingerprints of a part whose place in the answer passes; the part itself when all do. */
function select({ fingerprints, places }: Part, passes: (place: number) => boolean): string {
	const runs: string[] = [];
	for (let at = 0; at < places.length; ) {
		while (at < places.length && !passes(places[at])) at++;
		const start = at;
		while (at < places.length && passes(places[at])) at++;
		if (at > start) runs.push(fingerprints.slice(start * WIDTH, at * WIDTH));
	}
	return runs.join('');
}

function countFound(places: Int32Array): number {
	let count = 0;
	for (const place of places) if (place !== ABSENT) count++;
	return count;
}

/** Where in the answer the first entries to hand out are: those that waited, then new ones. */
function placesOfFirst(count: number, waiting: Int32Array, fresh: readonly number[]): number[] {
	const places: number[] = [];
	for (let at = 0; at < waiting.length && places.length < count; at++) {
		if (waiting[at] >= 0) places.push(waiting[at]);
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
	return a.known === b.known && a.waiting === b.waiting && sameAbsences(a.absent, b.absent);
}

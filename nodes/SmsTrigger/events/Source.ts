import type { IDataObject } from 'n8n-workflow';
import type { Failure, Reader } from '../../shared/http/failure';
import { unexpectedAnswer } from '../../shared/http/failure';
import {
	compareCollection,
	isCollectionState,
	type CollectionState,
	type Overlap,
	type Reading,
} from '../cursor/collection';
import type { Query, SmsService } from '../service';

/** One event of one category (or of the account, or of what is watched). */
export interface Source<State = unknown> {
	/** Under which its state is kept. Another key is another thing to compare: a new baseline. */
	key: string;
	/** What it reads, for error texts, such as `replies of 'invoices'`. */
	title: string;
	/** Whether a value is a state of this source. */
	isState(value: unknown): value is State;
	/**
	 * Asks the service and compares.
	 *
	 * @param known the state of the last poll; undefined at the first one
	 */
	look(
		known: State | undefined,
		service: SmsService,
		options: LookOptions,
	): Promise<Findings | Failure>;
	/** Up to one event made of what the service has now, to build a workflow with. */
	sample(service: SmsService): Promise<{ items: IDataObject[] } | Failure>;
}

export interface LookOptions {
	/** Whether what is there already makes events when there is no state yet. */
	emitExisting: boolean;
	/** Most events that one poll hands out. */
	limit: number;
}

/** What a look found. Nothing has changed until it is settled. */
export interface Findings {
	/** How many events could be handed out. */
	waiting: number;
	/** A baseline was taken: something is known now that there was no state of. */
	isBaseline: boolean;
	/** How much of what is remembered the service still has; evidence of whose account it is. */
	overlap: Overlap;
	/** Set when a part of the look failed. */
	failure?: Failure;
	/** What is worth a line in the log, but no failure. */
	warning?: Failure;
	/** Hands out so many events, and gives the state after that. */
	settle(granted: number): { state: unknown; items: IDataObject[] };
}

/** Values that stand for themselves, such as counters, tell nothing about whose they are. */
export const NO_EVIDENCE: Overlap = { remembered: 0, found: 0 };

/** The entries of an answer, and how many others it has that can't be read. */
export interface Entries<T> {
	entries: readonly T[];
	unreadable: number;
}

/** What the document calls a collection: an answer that holds all entries at once. */
interface CollectionSource<T> extends Pick<Reading<T>, 'idOf' | 'isRemoved'> {
	key: string;
	title: string;
	query: Query;
	/** The entries of an answer; undefined when it makes no sense. */
	read: Reader<Entries<T>>;
	toItem: (entry: T) => IDataObject;
}

const NOTHING: Entries<never> = { entries: [], unreadable: 0 };

/** A source whose events are the new entries of a collection. */
export function fromCollection<T>(source: CollectionSource<T>): Source<CollectionState> {
	const { key, title, query, read, idOf, isRemoved, toItem } = source;
	return {
		key,
		title,
		isState: isCollectionState,
		async look(known, service, { emitExisting, limit }) {
			const answer = await service.find(query, read);
			if (!('value' in answer)) return answer;
			const { entries, unreadable } = answer.value ?? NOTHING;
			const reading = { idOf, isRemoved, emitExisting, limit };
			const changes = await compareCollection(known, entries, reading);
			return {
				waiting: changes.waiting,
				isBaseline: known === undefined,
				overlap: changes.overlap,
				warning: unreadable > 0 ? skipped(unreadable) : undefined,
				settle(granted) {
					const { state, entries: chosen } = changes.settle(granted);
					return { state, items: chosen.map(toItem) };
				},
			};
		},
		async sample(service) {
			const answer = await service.find(query, read);
			if (!('value' in answer)) return answer;
			const { entries } = answer.value ?? NOTHING;
			const entry = entries.find((candidate) => !isRemoved?.(candidate));
			return { items: entry === undefined ? [] : [toItem(entry)] };
		},
	};
}

/**
 * Reads a list. Where it can't be read as a whole, entry by entry: one bad record must not stop the rest.
 *
 * @param read reads a list, each of whose entries makes sense
 * @returns a reader that gives undefined when nothing makes sense
 */
export function readingEach<T>(
	read: (body: unknown) => readonly T[] | undefined,
): Reader<Entries<T>> {
	return (body) => {
		const whole = read(body);
		const total = Array.isArray(body) ? body.length : whole?.length;
		if (whole !== undefined) {
			return { entries: whole, unreadable: Math.max(0, total! - whole.length) };
		}
		if (!Array.isArray(body)) return undefined;
		const records: unknown[] = body;
		const entries = records.flatMap((record) => read([record]) ?? []);
		const unreadable = records.length - entries.length;
		return entries.length === 0 ? undefined : { entries, unreadable };
	};
}

/** Says that entries of an answer could not be read. */
export function skipped(count: number): Failure {
	return {
		...unexpectedAnswer([]),
		message: `${count} ${count === 1 ? 'entry' : 'entries'} of the answer could not be read`,
		advice: 'They were left out. The others count.',
	};
}

/** The start of every item: what happened, where, and an ID that is the same whenever it is given. */
export function head(event: string, category: string | undefined, id: string): IDataObject {
	const place = category === undefined ? '' : encodeURIComponent(category);
	return { event, eventId: `${event}:${place}:${id}`, category: category ?? null };
}

/** `replies of 'invoices'`, or `replies of the account`. */
export function titleOf(what: string, category: string | undefined): string {
	return category === undefined ? `${what} of the account` : `${what} of '${category}'`;
}

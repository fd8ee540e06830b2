import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../../shared/http/failure';
import { compareCollection, isCollectionState, type Reading } from '../cursor/collection';
import type { Query, SmsService } from '../service';

/** One event of one category (or of the account, or of what is watched). */
export interface Source {
	/** Under which its state is kept. Another key is another thing to compare: a new baseline. */
	key: string;
	/** What it reads, for error texts, such as `replies of 'invoices'`. */
	title: string;
	/** Whether a value is a state of this source. */
	isState(value: unknown): boolean;
	/**
	 * Asks the service and compares.
	 *
	 * @param known the state of the last poll, as `isState` accepts it; undefined at the first one
	 */
	look(known: unknown, service: SmsService, options: LookOptions): Promise<Findings | Failure>;
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
	/** Set when a part of the look failed. */
	failure?: Failure;
	/** What is worth a line in the log, but no failure. */
	warning?: Failure;
	/** Hands out so many events, and gives the state after that. */
	settle(granted: number): { state: unknown; items: IDataObject[] };
}

/** What the document calls a collection: an answer that holds all entries at once. */
interface CollectionSource<T> extends Pick<Reading<T>, 'idOf' | 'isRemoved'> {
	key: string;
	title: string;
	query: Query;
	/** The entries of an answer; undefined when it makes no sense. */
	read: (body: unknown) => readonly T[] | undefined;
	toItem: (entry: T) => IDataObject;
}

/** A source whose events are the new entries of a collection. */
export function fromCollection<T>(source: CollectionSource<T>): Source {
	const { key, title, query, read, idOf, isRemoved, toItem } = source;
	return {
		key,
		title,
		isState: isCollectionState,
		async look(known, service, { emitExisting, limit }) {
			const answer = await service.get(query, read);
			if (!('value' in answer)) return answer;
			const previous = isCollectionState(known) ? known : undefined;
			const reading = { idOf, isRemoved, emitExisting, limit };
			const changes = compareCollection(previous, answer.value, reading);
			return {
				waiting: changes.waiting,
				isBaseline: previous === undefined,
				settle(granted) {
					const { state, entries } = changes.settle(granted);
					return { state, items: entries.map(toItem) };
				},
			};
		},
		async sample(service) {
			const answer = await service.get(query, read);
			if (!('value' in answer)) return answer;
			const entry = answer.value.find((candidate) => !isRemoved?.(candidate));
			return { items: entry === undefined ? [] : [toItem(entry)] };
		},
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

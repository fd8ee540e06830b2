import type { IDataObject } from 'n8n-workflow';
import type { Failure, Reader } from '../../shared/http/failure';
import { unexpectedAnswer } from '../../shared/http/judge';
import { canonicalNumber } from '../../shared/service/number';
import { forEach } from '../../shared/run/chunks';
import {
	compareCollection,
	isCollectionState,
	type CollectionState,
	type Overlap,
	type Reading,
} from '../cursor/collection';
import type { Query, SmsService } from './service';

/** One event of one category (or of the account, or of what is watched). */
export interface Source<State = unknown> {
	/** Under which its state is kept. Another key is another thing to compare: a new baseline. */
	key: string;
	/** What it reads, for error texts, such as `replies of 'invoices'`. */
	title: string;
	/** The category that it is about; none for the account and for what is watched. */
	category?: string;
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
	sample(service: SmsService): Promise<Sample | Failure>;
}

/** What the service has now, as an event. */
export interface Sample {
	items: IDataObject[];
	/** Of what the source is about, the service has nothing. */
	isEmpty?: boolean;
}

export interface LookOptions {
	/** Whether what is there already makes events when there is no state yet. */
	emitExisting: boolean;
	/** Most events that one poll hands out. */
	limit: number;
	/** Grows with each poll that hands out events. */
	turn: number;
}

/** What a look found. Nothing has changed until it is settled. */
export interface Findings {
	/** How many events could be handed out. */
	waiting: number;
	/** A baseline was taken: something is known now that there was no state of. */
	isBaseline: boolean;
	/** Of what the source is about, the service has nothing. */
	isEmpty?: boolean;
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

/** What the document calls a collection: an answer that holds all entries at once. */
interface CollectionSource<T> extends Pick<Reading<T>, 'idOf' | 'isRemoved'> {
	key: string;
	title: string;
	category?: string;
	query: Query;
	/** The records of an answer; undefined when it makes no sense. */
	records: Reader<readonly unknown[]>;
	/** One entry; undefined if the record isn't one. */
	entry: (record: unknown) => T | undefined;
	toItem: (entry: T) => IDataObject;
}

/** A source whose events are the new entries of a collection. */
export function fromCollection<T>(source: CollectionSource<T>): Source<CollectionState> {
	const { key, title, category, query, records, entry, idOf, isRemoved, toItem } = source;

	async function get(service: SmsService): Promise<{ value: Entries<T> } | Failure> {
		const answer = await service.find(query, records);
		return 'value' in answer ? await readEach(answer.value ?? [], entry) : answer;
	}

	return {
		key,
		title,
		category,
		isState: isCollectionState,
		async look(known, service, { emitExisting, limit }) {
			const answer = await get(service);
			if (!('value' in answer)) return answer;
			const { entries, warning } = answer.value;
			const reading = { idOf, isRemoved, emitExisting, limit };
			const changes = await compareCollection(known, entries, reading);
			return {
				waiting: changes.waiting,
				isBaseline: known === undefined,
				isEmpty: isEmpty(answer.value),
				overlap: changes.overlap,
				warning,
				settle(granted) {
					const { state, entries: chosen } = changes.settle(granted);
					return { state, items: chosen.map(toItem) };
				},
			};
		},
		async sample(service) {
			const answer = await get(service);
			if (!('value' in answer)) return answer;
			const found = answer.value.entries.find((candidate) => !isRemoved?.(candidate));
			return {
				items: found === undefined ? [] : [toItem(found)],
				isEmpty: isEmpty(answer.value),
			};
		},
	};
}

/** An answer without entries; those that could not be read are some all the same. */
function isEmpty({ entries, warning }: Entries<unknown>): boolean {
	return entries.length === 0 && warning === undefined;
}

/** The records of an answer, also where a single one comes without the list around it. */
export function recordsOf<T>(entry: (record: unknown) => T | undefined): Reader<unknown[]> {
	return (body) => {
		if (Array.isArray(body)) return body as unknown[];
		return entry(body) === undefined ? undefined : [body];
	};
}

/** The entries of an answer. */
export interface Entries<T> {
	entries: T[];
	/** Set when others could not be read. */
	warning?: Failure;
}

/**
 * Reads a collection record by record: a bad one must not stop the others. Other work of n8n gets its
 * turn in between.
 *
 * @returns a failure when nothing makes sense
 */
export async function readEach<T>(
	records: readonly unknown[],
	entry: (record: unknown) => T | undefined,
): Promise<{ value: Entries<T> } | Failure> {
	const entries: T[] = [];
	await forEach(records, (record) => {
		const read = entry(record);
		if (read !== undefined) entries.push(read);
	});
	const left = records.length - entries.length;
	if (left > 0 && entries.length === 0) return unexpectedAnswer(records);
	return { value: { entries, warning: left > 0 ? leftOut(left) : undefined } };
}

function leftOut(count: number): Failure {
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

/** Whom an event is about: the number as the service writes it, and as results of the actions have it. */
export function identified(identifier: string | undefined): IDataObject {
	return identifier === undefined
		? { identifier: null, number: null }
		: { identifier, number: canonicalNumber(identifier) };
}

/** `replies of 'invoices'`, or `replies of the account`. */
export function titleOf(what: string, category: string | undefined): string {
	return category === undefined ? `${what} of the account` : `${what} of '${category}'`;
}

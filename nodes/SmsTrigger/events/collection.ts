import type { IDataObject } from 'n8n-workflow';
import { forEach } from '../../shared/chunks';
import type { Collection as Records } from '../../shared/http/collectionOf';
import type { Failure, Reader } from '../../shared/http/failure';
import { StepFailed } from '../../shared/run/outcome';
import { countOf } from '../../shared/service/countOf';
import { head, titleOf } from '../items';
import { failureIn, type Query, type SmsService } from '../service';
import { mark } from '../state';
import type { Look, LookOptions, Source } from './Source';

/** The memory of a collection that the service returns whole: fingerprints, separated by spaces. */
export interface CollectionState {
	/** Entries that were there in the last poll, and need no event any more. */
	known: string;
	/** Entries that went missing, by the hour (since the Unix epoch) in which they did. */
	missing?: Array<[hour: number, entries: string]>;
}

/** A collection whose new entries are events. */
interface Collection<T> {
	/** The name of the event. */
	event: string;
	/** Its entries, for error texts: `replies`. */
	what: string;
	/** Undefined for those of the account. */
	category?: string;
	query: Query;
	read: Reader<Records<T>>;
	/** A text by which an entry is recognised. */
	idOf: (entry: T) => string;
	/** The service says that the entry is no longer on the list: it is forgotten at once. */
	isRemoved?: (entry: T) => boolean;
	/** Fields of the event, beside those that every event has. */
	fieldsOf: (entry: T) => IDataObject;
}

const HOUR = 3_600_000;
/** An entry that comes back within two days was never really gone. */
const REMEMBERED_HOURS = 48;

/** A source whose events are the new entries of a collection. */
export function fromCollection<T>(collection: Collection<T>): Source<CollectionState> {
	const { event, what, category, query } = collection;
	const read = async (service: SmsService) => {
		const asked = service.find(query, collection.read);
		const found = await (category === undefined ? asked.catch(byCategory) : asked);
		return found ?? { records: [], leftOut: 0 };
	};
	return {
		key: `${event}:${category ?? ''}`,
		title: titleOf(what, category),
		isState: isCollectionState,
		async look(known, service, options) {
			const { records, leftOut } = await read(service);
			const look = await compare(known, records, collection, options);
			return { ...look, failure: failureOfLeftOut(leftOut), isEmpty: records.length === 0 };
		},
		async sample(service) {
			const { records } = await read(service);
			const there = records.filter((record) => !collection.isRemoved?.(record));
			const newest = newestOf(there, collection.idOf);
			return newest === undefined ? undefined : eventOf(newest, collection);
		},
	};
}

/** Not every account can be asked without a category (public facts, "Status, statistics, replies"). */
function byCategory(error: unknown): never {
	const failure = failureIn(error);
	const isRefusal = failure.status === 'refused' && failure.code !== undefined;
	if (!isRefusal || failure.cause !== undefined) throw error;
	throw new StepFailed({
		...failure,
		advice: "Your account may need a category: enter one in 'Categories', and the same one in 'Category' of the SMS node when you send.",
	});
}

function eventOf<T>(entry: T, { event, category, idOf, fieldsOf }: Collection<T>): IDataObject {
	return { ...head(event, category, idOf(entry)), ...fieldsOf(entry) };
}

/** Records that could not be read don't stop the others. */
function failureOfLeftOut(leftOut: number): Failure | undefined {
	if (leftOut === 0) return undefined;
	const message = `${countOf(leftOut, 'record')} of the answer could not be read`;
	const advice = 'They were left out. The others count.';
	return { status: 'unknown', message, advice, httpCode: 200 };
}

/** IDs of 24 hex digits begin with their time (public facts, "Replies"). */
const DATED_ID = /^[\da-f]{24}$/i;

/** The entry that is likely to be the newest: by its ID, or else the last one. The service names no order. */
function newestOf<T>(entries: readonly T[], idOf: (entry: T) => string): T | undefined {
	const areDated = entries.every((entry) => DATED_ID.test(idOf(entry)));
	return entries.reduce<T | undefined>((newest, entry) => {
		const isOlder = areDated && newest !== undefined && idOf(entry) < idOf(newest);
		return isOlder ? newest : entry;
	}, undefined);
}

/**
 * Compares an answer with what is known. Order and repetitions don't matter. Entries beyond the limit stay
 * unknown: the next poll finds them again. n8n can do other work in between, however long the answer is.
 */
async function compare<T>(
	known: CollectionState | undefined,
	answer: readonly T[],
	collection: Collection<T>,
	{ salt, emitExisting, limit }: LookOptions,
): Promise<Look<CollectionState>> {
	/** The entry by its fingerprint; undefined for a removed one. */
	const present = new Map<string, T | undefined>();
	await forEach(answer, (entry) => {
		const id = mark(salt, collection.idOf(entry));
		if (present.get(id) !== undefined) return;
		present.set(id, collection.isRemoved?.(entry) ? undefined : entry);
	});

	const now = Math.floor(Date.now() / HOUR);
	const before = split(known?.known);
	const rows = (known?.missing ?? []).map(([hour, entries]) => [hour, split(entries)] as const);
	/** By the fingerprint of a known entry, the hour since which it is missing if the answer lacks it. */
	const old = new Map<string, number>();
	const missing = new Map<number, string[]>();
	for (const [hour, ids] of [...rows, [now, before] as const]) {
		missing.set(hour, []);
		await forEach(ids, (id) => void old.set(id, hour));
	}
	const there: string[] = [];
	let found = 0;
	await forEach(old, ([id, hour]) => {
		if (present.has(id)) found++;
		else missing.get(hour)!.push(id);
		if (present.get(id) !== undefined) there.push(id);
	});

	const items: IDataObject[] = [];
	const isSilent = known === undefined && !emitExisting;
	await forEach(present, ([id, entry]) => {
		const isNew = entry !== undefined && !old.has(id);
		if (!isNew || (!isSilent && items.length === limit)) return;
		if (!isSilent) items.push(eventOf(entry, collection));
		there.push(id);
	});
	const state = stateOf(there, missing, now);
	const isSame =
		known?.known === state.known &&
		JSON.stringify(known.missing) === JSON.stringify(state.missing);
	return { items, state: isSame ? known : state, isFamiliar: found * 2 > before.length };
}

function stateOf(there: string[], missing: Map<number, string[]>, now: number): CollectionState {
	const rows = [...missing]
		// It began in the hour that its row names: the last one counts as a whole.
		.filter(([hour, entries]) => entries.length > 0 && now - hour <= REMEMBERED_HOURS)
		.map(([hour, entries]): [number, string] => [hour, entries.join(' ')]);
	return { known: there.join(' '), ...(rows.length === 0 ? {} : { missing: rows }) };
}

function split(entries = ''): string[] {
	return entries === '' ? [] : entries.split(' ');
}

function isCollectionState(value: unknown): value is CollectionState {
	const { known, missing = [] } = (value ?? {}) as Partial<CollectionState>;
	return (
		typeof known === 'string' &&
		Array.isArray(missing) &&
		missing.every((row) => typeof row?.[0] === 'number' && typeof row[1] === 'string')
	);
}

import type { IDataObject } from 'n8n-workflow';
import { unexpectedAnswer } from '../../shared/http/judge';
import type { Failure, Reader } from '../../shared/http/failure';
import { forEach } from '../../shared/chunks';
import type { Query, SmsService } from '../service';
import { mark } from '../state';
import type { Look, LookOptions, Source } from './Source';

/** The memory of a collection that the service returns whole: fingerprints, separated by spaces. */
export interface CollectionState {
	/** Entries that were there in the last poll, and need no event any more. */
	known: string;
	/** Entries that went missing, by the hour (since the Unix epoch) in which they did. */
	missing?: Array<[hour: number, entries: string]>;
}

/** How a collection is read. */
interface Collection<T> extends Pick<Source, 'key' | 'title'> {
	query: Query;
	/** The records of an answer; undefined when it makes no sense. */
	records: Reader<readonly unknown[]>;
	/** One entry; undefined if the record isn't one. */
	entry: (record: unknown) => T | undefined;
	/** A text by which an entry is recognised. */
	idOf: (entry: T) => string;
	/** The service says that the entry is no longer on the list: it is forgotten at once. */
	isRemoved?: (entry: T) => boolean;
	toItem: (entry: T) => IDataObject;
}

const HOUR = 3_600_000;
/** An entry that comes back within two days was never really gone. */
const REMEMBERED_HOURS = 48;

/** A source whose events are the new entries of a collection. */
export function fromCollection<T>(collection: Collection<T>): Source<CollectionState> {
	const { key, title, query, records, entry, idOf, isRemoved = () => false, toItem } = collection;
	const read = async (service: SmsService) => {
		const answer = await service.find(query, records);
		return 'value' in answer ? await readEach(answer.value ?? [], entry) : answer;
	};
	return {
		key,
		title,
		isState: isCollectionState,
		async look(known, service, options) {
			const answer = await read(service);
			if ('status' in answer) return answer;
			const look = await compare(known, answer.entries, collection, options);
			return { ...look, failure: answer.failure, isEmpty: answer.entries.length === 0 };
		},
		async sample(service) {
			const answer = await read(service);
			if ('status' in answer) return answer;
			const entry = newestOf(
				answer.entries.filter((candidate) => !isRemoved(candidate)),
				idOf,
			);
			return { items: entry === undefined ? [] : [toItem(entry)] };
		},
	};
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
	{ idOf, isRemoved, toItem }: Collection<T>,
	{ salt, emitExisting, limit }: LookOptions,
): Promise<Look<CollectionState>> {
	/** The entry by its fingerprint; undefined for a removed one. */
	const present = new Map<string, T | undefined>();
	await forEach(answer, (entry) => {
		const id = mark(salt, idOf(entry));
		if (present.get(id) === undefined) present.set(id, isRemoved?.(entry) ? undefined : entry);
	});

	const there: string[] = [];
	let found = 0;
	/** The entries that the answer lacks; the others are known to be there. */
	const findMissing = async (entries: readonly string[]) => {
		const missing: string[] = [];
		await forEach(entries, (id) => {
			if (!present.has(id)) return void missing.push(id);
			found++;
			if (present.get(id) !== undefined) there.push(id);
			present.delete(id);
		});
		return missing;
	};
	const hour = Math.floor(Date.now() / HOUR);
	const before = split(known?.known);
	const rows: Array<[number, string[]]> = [];
	for (const [since, entries] of known?.missing ?? []) {
		const missing = await findMissing(split(entries));
		// It began in the hour that `since` names: the last one counts as a whole.
		if (hour - since <= REMEMBERED_HOURS) rows.push([since, missing]);
	}
	const lost = await findMissing(before);
	const sameHour = rows.find(([since]) => since === hour);
	if (sameHour) sameHour[1].push(...lost);
	else rows.push([hour, lost]);

	const items: IDataObject[] = [];
	const isSilent = known === undefined && !emitExisting;
	await forEach(present, ([id, entry]) => {
		if (entry === undefined || (!isSilent && items.length === limit)) return;
		if (!isSilent) items.push(toItem(entry));
		there.push(id);
	});
	const missing = rows
		.filter(([, entries]) => entries.length > 0)
		.map(([since, entries]): [number, string] => [since, entries.join(' ')]);
	const state: CollectionState = { known: there.join(' ') };
	if (missing.length > 0) state.missing = missing;
	const isSame =
		known?.known === state.known &&
		JSON.stringify(known.missing) === JSON.stringify(state.missing);
	return { items, state: isSame ? known : state, isFamiliar: found * 2 > before.length };
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

/**
 * Reads a collection record by record: a bad one must not stop the others.
 *
 * @returns a failure when nothing makes sense
 */
async function readEach<T>(
	records: readonly unknown[],
	entry: (record: unknown) => T | undefined,
): Promise<{ entries: T[]; failure?: Failure } | Failure> {
	const entries: T[] = [];
	await forEach(records, (record) => {
		const read = entry(record);
		if (read !== undefined) entries.push(read);
	});
	const left = records.length - entries.length;
	if (left === 0) return { entries };
	if (entries.length === 0) return unexpectedAnswer(records);
	const failure = {
		...unexpectedAnswer([]),
		message: `${left} ${left === 1 ? 'entry' : 'entries'} of the answer could not be read`,
		advice: 'They were left out. The others count.',
	};
	return { entries, failure };
}

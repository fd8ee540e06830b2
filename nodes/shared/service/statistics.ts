import { asId, asNumber, asObject, isMissing, readNumbers } from './answers';

/**
 * Reads what the service tells about messages that were sent (interface document 2.7 to 2.11), with
 * the leniency of the other answers: numbers may come as strings, optional fields may be missing or
 * null, a single object may come as a list of one and the other way round.
 */

type Fields = Record<string, unknown>;

/** The status of one message (interface document 2.7). Times are milliseconds since the Unix epoch. */
export interface MessageStatus {
	/** Snapshot ID. */
	id: number | string;
	/** One of section 3, or one that the document doesn't know. */
	state: string;
	stateDate?: number;
	sent?: number;
	submitted?: number;
	delivered?: number;
	/** When the recipient replied; not in the document (public facts). */
	reply?: number;
	test?: boolean;
	[other: string]: unknown;
}

/** The fields of a status that are times. */
export const STATUS_TIMES = ['stateDate', 'sent', 'submitted', 'delivered', 'reply'] as const;

/** States that a message only passes through on its way (interface document, section 3). */
const STATES_ON_THE_WAY = ['sent', 'submitted'];
const STATES_AT_THE_END = ['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'];

/**
 * Whether it is settled if the message arrived: it was delivered, or the recipient did something with
 * it (opened, reply, unsubscribed), or it never will be (bounced, error). A later state can still
 * follow, such as a reply. A state that the document doesn't know settles nothing.
 */
export function isFinalState(state: string): boolean {
	return STATES_AT_THE_END.includes(state);
}

/** A message status; undefined without an ID and a state, or when a time is none. */
export function readMessageStatus(body: unknown): MessageStatus | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const id = asId(fields.id);
	if (id === undefined || typeof fields.state !== 'string' || fields.state.trim() === '') {
		return undefined;
	}
	const times = readNumbers(fields, STATUS_TIMES);
	if (times === undefined) return undefined;
	const known = fields.state.trim().toLowerCase();
	const isKnown = isFinalState(known) || STATES_ON_THE_WAY.includes(known);
	const test = asBoolean(fields.test);
	const rest = without(fields, [...STATUS_TIMES, 'test']);
	return {
		...rest,
		id: /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id,
		state: isKnown ? known : fields.state,
		...times,
		...(test === undefined ? {} : { test }),
	};
}

/** The counters of a category, in the order of interface document 2.8. */
export const CATEGORY_COUNTERS = [
	'sent',
	'submitted',
	'delivered',
	'openers',
	'clickers',
	'clicks',
	'opens',
	'replies',
	'unsubscribers',
	'errors',
	'bounced',
	'complaint',
	'timespent',
] as const;

export type CategoryCounter = (typeof CATEGORY_COUNTERS)[number];
export type CategoryStatistics = Partial<Record<CategoryCounter, number>>;

/** Statistics of a category: an object with at least one of the counters, each of them a number. */
export function readCategoryStatistics(body: unknown): CategoryStatistics | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const counters = readNumbers(fields, CATEGORY_COUNTERS);
	if (counters === undefined || Object.keys(counters).length === 0) return undefined;
	return { ...without(fields, CATEGORY_COUNTERS), ...counters };
}

/** A reply as the service gives it (interface document 2.9): it has an ID, or at least a sender. */
export type RawReply = Fields;

/** Replies, uncopied: there may be hundreds of thousands. A single one may come without the list. */
export function readReplies(body: unknown): RawReply[] | undefined {
	const list: unknown[] = Array.isArray(body) ? body : [body];
	return list.every(isReply) ? list : undefined;
}

function isReply(entry: unknown): entry is RawReply {
	const fields = asObject(entry);
	return fields === entry && (asId(fields?.id) ?? asId(fields?.identifier)) !== undefined;
}

/** The reply with its documented fields as strings; what the service leaves out stays out. */
export function toReply(reply: RawReply): RawReply {
	const result = { ...reply };
	for (const name of ['id', 'identifier', 'message']) {
		if (typeof reply[name] === 'number') result[name] = String(reply[name]);
	}
	return result;
}

/** The two blacklists of a category, as path segments and as keys of the answer. */
export const CATEGORY_BLACKLISTS = ['bounces', 'unsubscribers'] as const;

/** Interface document 2.11. Numbers are in the format of the service. */
export type CategoryBlacklists = Partial<
	Record<(typeof CATEGORY_BLACKLISTS)[number], { number: number; identifiers: string[] }>
>;

/** The blacklists of a category; undefined without any of the two, or when one makes no sense. */
export function readCategoryBlacklists(body: unknown): CategoryBlacklists | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const blacklists: CategoryBlacklists = {};
	for (const name of CATEGORY_BLACKLISTS) {
		if (isMissing(fields[name])) continue;
		const blacklist = asObject(fields[name]);
		const identifiers = readIdentifiers(blacklist);
		if (blacklist === undefined || identifiers === undefined) return undefined;
		const number = isMissing(blacklist.number)
			? identifiers.length
			: asNumber(blacklist.number);
		if (number === undefined) return undefined;
		blacklists[name] = { ...blacklist, number, identifiers };
	}
	if (Object.keys(blacklists).length === 0) return undefined;
	return { ...without(fields, CATEGORY_BLACKLISTS), ...blacklists };
}

/**
 * The numbers of one blacklist of a category. Their notation is "not shown" (2.11): a list, or an
 * object whose values they are. No notation at all is understood where the count says 0.
 */
export function readIdentifiers(blacklist: unknown): string[] | undefined {
	const { identifiers, number } = asObject(blacklist) ?? {};
	if (identifiers === undefined || identifiers === null) {
		return Number(number) === 0 && number !== '' ? [] : undefined;
	}
	if (typeof identifiers !== 'object') return undefined;
	const list: unknown[] = Array.isArray(identifiers) ? identifiers : Object.values(identifiers);
	return list.every((identifier) => typeof identifier === 'string')
		? list
		: readOtherIdentifiers(list);
}

/** Numbers that came as JSON numbers, or as objects that hold one. */
function readOtherIdentifiers(list: readonly unknown[]): string[] | undefined {
	const identifiers = list.map((entry) => asId(entry) ?? asId(asObject(entry)?.identifier));
	return identifiers.every((identifier) => identifier !== undefined) ? identifiers : undefined;
}

function asBoolean(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	return value === 'true' ? true : value === 'false' ? false : undefined;
}

function without(fields: Fields, names: readonly string[]): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

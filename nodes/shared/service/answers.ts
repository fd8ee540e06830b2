/**
 * Reads the answers of the service (interface document, section 2) with some leniency: numbers may
 * come as strings, and a single object as a list of one. What makes no sense gives undefined.
 */
type Fields = Record<string, unknown>;

/** The object of an answer, also where it comes as a list of one. */
export function asObject(body: unknown): Fields | undefined {
	const object: unknown = Array.isArray(body) && body.length === 1 ? body[0] : body;
	return typeof object === 'object' && object !== null && !Array.isArray(object)
		? (object as Fields)
		: undefined;
}

/** A number, also where it comes as a string. */
export function asNumber(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const number = Number(value);
	return Number.isFinite(number) ? number : undefined;
}

/** Whether the service left a field out: null and the empty text mean the same. */
export function isMissing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** The numbers among these fields; undefined when one of them is there and is no number. */
export function readNumbers<N extends string>(
	fields: Fields,
	names: readonly N[],
): Partial<Record<N, number>> | undefined {
	const numbers: Partial<Record<N, number>> = {};
	for (const name of names) {
		if (isMissing(fields[name])) continue;
		const number = asNumber(fields[name]);
		if (number === undefined) return undefined;
		numbers[name] = number;
	}
	return numbers;
}

/** An identifier, as a string. */
export function asId(value: unknown): string | undefined {
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** What the service answers to a send that it accepted (interface document 2.6). */
export type SendReceipt = {
	creditsUsed?: number;
	snapshotId: string;
};

/** Without a snapshot ID there is no receipt, whatever the status says. */
export function readSendReceipt(body: unknown): SendReceipt | undefined {
	const fields = asObject(body);
	const snapshotId = asId(fields?.snapshotId);
	if (fields === undefined || snapshotId === undefined) return undefined;
	const creditsUsed = asNumber(fields.creditsUsed);
	return { ...(creditsUsed === undefined ? {} : { creditsUsed }), snapshotId };
}

const ACCOUNT_COUNTERS = [
	'bounces',
	'credits',
	'delivered',
	'sent',
	'submitted',
	'undelivered',
	'unsubscribers',
];

/**
 * Account statistics (interface document 2.10): an object with at least one of the counters, each of
 * them a number.
 */
export function readAccountStatistics(body: unknown): Record<string, unknown> | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const counters = readNumbers(fields, ACCOUNT_COUNTERS);
	if (counters === undefined || Object.keys(counters).length === 0) return undefined;
	return { ...fields, ...counters };
}

/** An entry of one of the account's blacklists (interface document 2.1). */
export interface BlacklistEntry {
	id?: string;
	/** A phone number in international format. */
	identifier: string;
	deleted: boolean;
}

/** The entries of a blacklist (interface document 4.1); undefined unless each has a number. */
export function readBlacklist(body: unknown): BlacklistEntry[] | undefined {
	if (!Array.isArray(body)) return undefined;
	const entries: BlacklistEntry[] = [];
	for (const item of body as unknown[]) {
		const fields = asObject(item);
		const identifier = asId(fields?.identifier);
		if (fields === undefined || identifier === undefined) return undefined;
		const deleted = fields.deleted === true || fields.deleted === 'true';
		entries.push({ ...fields, identifier, deleted });
	}
	return entries;
}

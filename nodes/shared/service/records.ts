import { asObject, asRecord, isEmpty, type Fields } from './answers';
import { explain, readServiceError } from './errorCodes';

/** The records of a collection, also where a single one comes without the list around it. */
export function asRecords(body: unknown): unknown[] | undefined {
	if (Array.isArray(body)) return body as unknown[];
	const record = asObject(body);
	return record === undefined || namesFailure(record) ? undefined : [record];
}

/** Whether an object says that something failed, whatever else it holds, such as the ID of the request. */
function namesFailure(fields: Fields): boolean {
	const { code } = readServiceError(fields) ?? {};
	return Boolean(fields.error) || (code !== undefined && explain({ code }).known);
}

/**
 * Reads a collection record by record. One that makes no sense is left out; an answer of which nothing
 * makes sense is no such collection.
 *
 * @param readRecord undefined for what is no such record
 */
export function readCollection<T>(
	body: unknown,
	readRecord: (record: unknown) => T | undefined,
): T[] | undefined {
	const answered = asRecords(body);
	const records = answered?.flatMap((each) => {
		const record = Array.isArray(each) ? undefined : readRecord(each);
		return record === undefined ? [] : [record];
	});
	return answered && answered.length > 0 && records?.length === 0 ? undefined : records;
}

/** Records of a collection. */
export interface Collection<T> {
	records: T[];
	/** How many could not be read. */
	leftOut: number;
}

/** The answer to a creation: at least an ID. */
export function readCreated(body: unknown): { id: string } | undefined {
	const created = asRecord(body);
	return created && namesFailure(created) ? undefined : created;
}

/**
 * The answer to a deletion: no body (204). A 200 with something small in it is accepted as long as that
 * names no failure.
 */
export function readNothing(body: unknown): Record<string, never> | undefined {
	if (isEmpty(body)) return {};
	const fields = asObject(body);
	return fields === undefined || 'code' in fields || 'error' in fields ? undefined : {};
}

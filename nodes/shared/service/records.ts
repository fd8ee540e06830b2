import { asObject, asRecord, isEmpty, isMissing, type Fields } from './answers';

/** The records of a collection. */
export function asRecords(body: unknown): unknown[] | undefined {
	return Array.isArray(body) ? (body as unknown[]) : undefined;
}

/**
 * Makes a reader of a collection. A record that makes no sense is left out; an answer of which nothing makes sense is no
 * such collection.
 *
 * @param readRecord gives undefined for anything else
 */
export function collectionOf<T>(readRecord: (record: unknown) => T | undefined) {
	return (body: unknown): T[] | undefined => {
		const answered = asRecords(body);
		const records = answered?.map(readRecord).filter((record) => record !== undefined);
		return answered && answered.length > 0 && records?.length === 0 ? undefined : records;
	};
}

/** Records of a collection. */
export interface Collection<T> {
	records: T[];
	/** How many could not be read. */
	leftOut: number;
}

/** Whether a successful answer says that something failed, whatever else it holds, such as the ID of the request. */
function namesFailure({ code, error }: Fields): boolean {
	return !isMissing(code) || !isMissing(error);
}

/** The answer to a creation: at least an ID. */
export function readCreated(body: unknown): { id: string } | undefined {
	const created = asRecord(body);
	return created && namesFailure(created) ? undefined : created;
}

/** The answer to a deletion: no body (204), or a 200 with something small in it. */
export function readNothing(body: unknown): Record<string, never> | undefined {
	if (isEmpty(body)) return {};
	const fields = asObject(body);
	return fields === undefined || namesFailure(fields) ? undefined : {};
}

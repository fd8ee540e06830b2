import { asObject, asRecord, isEmpty, isMissing, type Fields } from './answers';

/** The records of a collection. */
export function asRecords(body: unknown): unknown[] | undefined {
	return Array.isArray(body) ? (body as unknown[]) : undefined;
}

/**
 * Reads a list within a record. An entry that makes no sense is left out; a list of which nothing makes sense is none.
 *
 * @param readEntry gives undefined for anything else
 */
export function readEach<T>(
	list: unknown,
	readEntry: (entry: unknown) => T | undefined,
): T[] | undefined {
	const answered = asRecords(list);
	const entries = answered?.map(readEntry).filter((entry) => entry !== undefined);
	return answered && answered.length > 0 && entries?.length === 0 ? undefined : entries;
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

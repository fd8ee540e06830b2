import { asId, asObject } from './answers';

/** The records of a collection, also where a single one comes without the list around it. */
export function asRecords(body: unknown): unknown[] | undefined {
	if (Array.isArray(body)) return body as unknown[];
	return asObject(body) === undefined ? undefined : [body];
}

/** What the service answers when it has created something: at least an ID. */
export function readCreated(body: unknown): { id: string } | undefined {
	const fields = asObject(body);
	const id = asId(fields?.id);
	return id === undefined ? undefined : { ...fields, id };
}

/** The answer to a deletion: no body (204). An object is accepted as long as it names no failure. */
export function readNothing(body: unknown): Record<string, never> | undefined {
	if (body === undefined || body === null || body === '') return {};
	const fields = asObject(body);
	return fields === undefined || 'code' in fields || 'error' in fields ? undefined : {};
}

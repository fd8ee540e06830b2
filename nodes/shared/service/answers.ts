/**
 * The parts that answers of the service are made of (interface document, section 2), read with some
 * leniency: numbers may come as strings. What makes no sense gives undefined.
 */

/** An object of an answer. */
export type Fields = Record<string, unknown>;

/** The object of an answer. */
export function asObject(body: unknown): Fields | undefined {
	if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
	return body as Fields;
}

/** A number, also where it comes as a string. */
export function asNumber(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** An amount of credits, which is never negative. */
export function asCredits(value: unknown): number | undefined {
	const credits = asNumber(value);
	return credits !== undefined && credits >= 0 ? credits : undefined;
}

/** Whether a number has more digits than JavaScript holds: it was rounded when its JSON was parsed, and is another by now. */
export function isRounded(value: unknown): boolean {
	return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * An identifier, as a string. One that was rounded is another ID by now, and none at all is better. So are texts that
 * would make another path of a path.
 */
export function asId(value: unknown): string | undefined {
	if (typeof value === 'number') {
		return Number.isFinite(value) && !isRounded(value) ? String(value) : undefined;
	}
	if (typeof value !== 'string') return undefined;
	return ['', '.', '..'].includes(value.trim()) ? undefined : value;
}

/** An object that has an ID, with that as a string. */
export function asRecord(body: unknown): (Fields & { id: string }) | undefined {
	const fields = asObject(body);
	const id = asId(fields?.id);
	return id === undefined ? undefined : { ...fields, id };
}

/** Whether the service left a field out: null and the empty text mean the same. */
export function isMissing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Whether a successful answer says that there is nothing: null, `{}`, `[]` or no body. Not shown in the document. */
export function isEmpty(body: unknown): boolean {
	if (isMissing(body)) return true;
	return typeof body === 'object' && Object.keys(body as object).length === 0;
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

/** An object that has at least one of these counters, each of them a number; the rest as it came. */
export function readCounters<N extends string>(
	body: unknown,
	names: readonly N[],
): (Fields & Partial<Record<N, number>>) | undefined {
	const fields = asObject(body);
	const counters = fields && readNumbers(fields, names);
	if (counters === undefined || Object.keys(counters).length === 0) return undefined;
	return { ...without(fields!, names), ...counters };
}

/** The fields, with these identifiers as texts; one that `asId` refuses is left out. */
export function withIds<T extends Fields>(fields: T, names: readonly string[]): T {
	const result: Fields = { ...fields };
	for (const name of names) {
		const id = asId(fields[name]);
		if (id === undefined) delete result[name];
		else result[name] = id;
	}
	return result as T;
}

/** Those of the fields that are there, in the order of their names. */
export function only<T extends Fields>(fields: T, names: readonly string[]): Partial<T> {
	const there = names.filter((name) => fields[name] !== undefined);
	return Object.fromEntries(there.map((name) => [name, fields[name]])) as Partial<T>;
}

/** The other fields. */
export function without(fields: Fields, names: readonly string[]): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

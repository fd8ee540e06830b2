/**
 * What a user typed cannot be sent. Thrown by every check in this folder before any request is made;
 * the caller adds the item and the field as the editor shows it.
 */
export class InputError extends Error {
	/**
	 * @param message what is wrong, in the user's words
	 * @param description what to do about it
	 */
	constructor(
		message: string,
		readonly description?: string,
	) {
		super(message);
		this.name = 'InputError';
	}
}

/** A short, safe rendering of a wrong value for an error text. */
export function show(value: unknown): string {
	if (value === undefined) return 'undefined';
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	const text = String(value);
	return `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
}

/**
 * Reads a parameter that has to be a text. Numbers are taken as they are written, everything else
 * that an expression can give (object, list, null, undefined, true) is refused by name.
 *
 * @param field the field as the editor shows it
 * @throws InputError
 */
export function requireText(value: unknown, field: string): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' && Number.isFinite(value)) return String(value);
	throw new InputError(
		`'${field}' is ${show(value)}, not a text`,
		value === undefined || value === null
			? `The expression in '${field}' gives nothing for this item. Check the name of the field that it reads.`
			: `The expression in '${field}' has to give a text. Pick one field of the data instead of the whole of it.`,
	);
}

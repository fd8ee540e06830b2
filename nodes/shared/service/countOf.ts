/** A number of things, for people: `1 digit`, `2,000 digits`. */
export function countOf(number: number, noun: string): string {
	return `${inWords(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/**
 * The first names of a list, for people: `a, b and 3 more`.
 *
 * @param most how many are named
 */
export function listOf(names: readonly string[], most = 5): string {
	const more = names.length - most;
	return names.slice(0, most).join(', ') + (more > 0 ? ` and ${inWords(more)} more` : '');
}

/** One of several, for people: `a, b or c`. */
export function eitherOf(choices: readonly string[]): string {
	return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(choices);
}

/** A number, for people: `2,000`. */
export function inWords(number: number): string {
	return number.toLocaleString('en-US');
}

/** An item, for people: they count rows from 1, n8n counts items from 0. `Row 3 (item 2)` */
export function rowOf(index: number): string {
	return `Row ${index + 1} (item ${index})`;
}

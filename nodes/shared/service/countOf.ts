/** A number of things, for people: `1 digit`, `2 digits`. */
export function countOf(number: number, noun: string): string {
	return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

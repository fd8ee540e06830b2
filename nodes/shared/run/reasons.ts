/** Why nothing was done with some items of a run, for an error of all of them. */

/** What keeps one item from being carried out. */
export interface Reason {
	index: number;
	message: string;
	advice: string;
}

/** Items, and reasons, that are named; the others are counted. */
export const MOST_NAMED = 10;

/**
 * Each reason once, with its items.
 *
 * @param reasons in item order, at least one
 * @param items number of items of the run
 * @param verb what was to be done: "sent"
 * @returns `lines` where there is more than one reason; `advice` where it holds for all of them
 */
export function tellReasons(
	reasons: readonly Reason[],
	items: number,
	verb: string,
): { title: string; lines: string[]; advice: string } {
	const [{ message: first, advice }] = reasons;
	const lines = linesOf(reasons, items);
	if (lines.length > 1) {
		const title = `${reasons.length} of ${items} items can't be ${verb}. ${lines[0]}`;
		return { title, lines, advice };
	}
	const title = reasons.length === 1 ? first : lines[0].replace(/\.$/, '');
	return { title, lines: [], advice };
}

/**
 * Each reason once, with its items: `Items 0 and 3: The number is a fixed line.`
 *
 * @param most how many lines; how many reasons are left out is said in one more
 */
export function linesOf(
	reasons: ReadonlyArray<Pick<Reason, 'index' | 'message'>>,
	items: number,
	most = MOST_NAMED,
): string[] {
	const indexesOf = new Map<string, number[]>();
	for (const { index, message } of reasons) {
		const indexes = indexesOf.get(message);
		if (indexes === undefined) indexesOf.set(message, [index]);
		else indexes.push(index);
	}
	const lines = [...indexesOf]
		.slice(0, most)
		.map(([message, indexes]) => asSentence(`${nameItems(indexes, items)}: ${message}`));
	if (indexesOf.size > most) lines.push(`And ${indexesOf.size - most} more reasons.`);
	return lines;
}

/** The editor shows several lines in one. */
function asSentence(line: string): string {
	return /[.!?]$/.test(line) ? line : `${line}.`;
}

/** `All 5 items`, `Items 0, 3 and 8`, `Item 2`: counted from 0, as n8n counts them. */
export function nameItems(indexes: readonly number[], items: number): string {
	if (indexes.length === items && items > 1) return `All ${items} items`;
	if (indexes.length === 1) return `Item ${indexes[0]}`;
	const isLong = indexes.length > MOST_NAMED;
	const named = indexes.slice(0, isLong ? MOST_NAMED : -1).join(', ');
	return `Items ${named} and ${isLong ? `${indexes.length - MOST_NAMED} more` : indexes.at(-1)}`;
}

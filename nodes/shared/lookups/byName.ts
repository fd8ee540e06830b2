import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

/** Entries shown at once; the dropdown asks for more when it is scrolled to its end. */
const PAGE = 200;

/**
 * A page of a dropdown, sorted by name. The service answers all at once and can't filter, so that both
 * is done here.
 *
 * @param filter what was typed: a part of a name, or an ID; upper case and accents don't matter
 * @param paginationToken how many were shown before
 */
export function pageByName(
	entries: INodeListSearchItems[],
	filter?: string,
	paginationToken?: string,
): INodeListSearchResult {
	const wanted = plain(filter ?? '');
	const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
	const found = entries
		.filter(({ name, value }) => plain(name).includes(wanted) || value === filter?.trim())
		.sort((a, b) => names.compare(a.name, b.name));
	const start = Number(paginationToken ?? 0);
	const end = start + PAGE;
	return {
		results: found.slice(start, end),
		...(end < found.length ? { paginationToken: String(end) } : {}),
	};
}

function plain(text: string): string {
	return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

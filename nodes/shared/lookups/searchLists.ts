import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { LISTS_PATH, readLists } from '../service/lists';
import { ask } from './ask';

/** Lists shown at once; the dropdown asks for more when it is scrolled to its end. */
const PAGE = 200;

/**
 * The account's contact lists for the dropdown, by name. The service answers all of them at once and
 * can't filter (interface document 4.5), so that both is done here.
 *
 * @param filter what was typed; upper case and accents don't matter
 * @param paginationToken how many were shown before
 * @throws NodeApiError
 */
export async function searchLists(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const wanted = plain(filter ?? '');
	const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
	const found = (await ask(this, LISTS_PATH, readLists))
		.filter(({ id, name }) => plain(name).includes(wanted) || id === filter?.trim())
		.sort((a, b) => names.compare(a.name, b.name));
	const start = Number(paginationToken ?? 0);
	const end = start + PAGE;
	return {
		results: found.slice(start, end).map(({ id, name }) => ({ name, value: id })),
		...(end < found.length ? { paginationToken: String(end) } : {}),
	};
}

function plain(text: string): string {
	return text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
}

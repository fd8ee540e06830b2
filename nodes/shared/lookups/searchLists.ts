import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { LISTS, readLists } from '../service/lists';
import { ask } from './ask';
import { pageByName } from './byName';

/**
 * The account's contact lists for the dropdown, by name (interface document 4.5).
 *
 * @throws NodeApiError
 */
export async function searchLists(
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
): Promise<INodeListSearchResult> {
	const lists = await ask(this, { endpoint: LISTS }, readLists);
	return pageByName(lists, filter, paginationToken);
}

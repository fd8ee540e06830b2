import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { collectionOf } from '../http/collectionOf';
import { LISTS, readListSummary } from '../service/lists';
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
	const { records } = await ask(this, { endpoint: LISTS }, collectionOf(readListSummary));
	return pageByName(records, filter, paginationToken);
}

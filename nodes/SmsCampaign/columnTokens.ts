import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { ask } from '../shared/lookups/ask';
import { describeColumn, LIST, readColumns } from '../shared/service/lists';
import { referenceOf, written } from './tokens';

/**
 * The columns of the chosen list for the dropdown, each with the token to write in the message.
 *
 * @returns nothing while no list is chosen
 * @throws NodeApiError
 */
export async function getColumnTokens(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	const list = this.getCurrentNodeParameter('list', { extractValue: true });
	const listId = typeof list === 'string' || typeof list === 'number' ? String(list).trim() : '';
	// An expression that the editor could not resolve comes as it was written.
	if (listId === '' || listId.startsWith('=')) return [];
	const columns = await ask(this, { endpoint: LIST, path: { listId } }, readColumns);
	return columns.map((column) => {
		const token = written(referenceOf(column));
		return {
			name: `${column.name}: ${token}`,
			value: token,
			description: describeColumn(column),
		};
	});
}

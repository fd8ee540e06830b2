import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields/limit';
import type { Operation } from '../shared/fields/operation';
import { runForEachItem, toItems } from '../shared/run/CustomRun';
import { LISTS_PATH, readLists } from '../shared/service/lists';

/** Interface document 4.5, "Get all lists". */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many lists',
		description: 'Retrieve the contact lists of the account: their IDs and names',
	},
	fields: limitFields,
};

/** A custom operation: the service answers all lists at once, and n8n's router crashes on many. */
export async function getManyItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return await runForEachItem(this, {
		prepare: (context, index) =>
			readLimit(
				context.getNodeParameter('returnAll', index, false),
				context.getNodeParameter('limit', index, 50),
			),
		async run(limit, requests, index) {
			const request = { method: 'GET' as const, url: LISTS_PATH };
			const lists = await requests.step('lists', request, readLists);
			return await toItems(lists.slice(0, limit), index, (list) => ({ ...list }));
		},
	});
}

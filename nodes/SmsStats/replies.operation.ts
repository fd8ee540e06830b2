import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields/limit';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { runForEachItem, toItems } from '../shared/run/CustomRun';
import { paceOptions } from '../shared/fields/pace';
import { readReplies, toReply } from '../shared/service/replies';
import { categoryField, parseCategory } from './category';

/** What recipients replied to a category (interface document 2.9, 4.4). */
export const replies: Operation = {
	option: {
		name: 'Get Replies',
		value: 'replies',
		action: 'Get replies to category',
		description:
			'Retrieve the replies to the messages of a category, one item for each, in no order that the service promises',
	},
	fields: [categoryField, ...limitFields, optionsField(paceOptions)],
};

/** A custom operation: the service answers all replies at once, and n8n's router can't hold that many. */
export async function replyItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return await runForEachItem(this, {
		prepare: (context, index) => ({
			category: parseCategory(context.getNodeParameter('category', index)),
			limit: readLimit(
				context.getNodeParameter('returnAll', index, false),
				context.getNodeParameter('limit', index, 50),
			),
		}),
		async run({ category, limit }, requests, index) {
			const found = await requests.step(
				'replies',
				{ method: 'GET', url: '/v2/messages/replies', qs: { category } },
				readReplies,
			);
			return await toItems(
				found.slice(0, limit),
				index,
				(reply) => toReply(reply) as IDataObject,
			);
		},
	});
}

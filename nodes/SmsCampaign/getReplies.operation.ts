import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields/limit';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { runForEachItem, toItems } from '../shared/run/CustomRun';
import { paceOptions } from '../shared/fields/pace';
import { readReplies, toReply } from '../shared/service/replies';
import { campaignPath, readCampaignId } from './campaign';
import { campaignIdField } from './campaignFields';

/** What recipients replied to a campaign (extended). */
export const getReplies: Operation = {
	option: {
		name: 'Get Replies',
		value: 'getReplies',
		action: 'Get the replies to a campaign',
		description: 'Retrieve what recipients replied to a campaign, one item each (extended)',
	},
	fields: [campaignIdField, ...limitFields, optionsField(paceOptions)],
};

/** A custom operation: the service answers all replies at once, and n8n's router breaks at 40,000. */
export async function getCampaignReplies(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return await runForEachItem(this, {
		prepare: (context, index) => ({
			url: `${campaignPath(readCampaignId(context.getNodeParameter('campaignId', index)))}/replies`,
			limit: readLimit(
				context.getNodeParameter('returnAll', index),
				context.getNodeParameter('limit', index, 50),
			),
		}),
		run: async ({ url, limit }, requests, index) => {
			const replies = await requests.once(url, readReplies);
			return await toItems(
				replies.slice(0, limit),
				index,
				(reply) => toReply(reply) as IDataObject,
			);
		},
	});
}

import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields/limit';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { runForEachItem, toItems } from '../shared/run/CustomRun';
import { paceOptions } from '../shared/fields/pace';
import { readCampaigns } from '../shared/service/campaigns';

/** All campaigns of the account (extended). */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many campaigns',
		description: 'Retrieve the campaigns of the account (extended)',
	},
	fields: [...limitFields, optionsField(paceOptions)],
};

/** A custom operation: the service answers all campaigns at once, and n8n's router breaks at 40,000. */
export async function getManyCampaigns(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return await runForEachItem(this, {
		prepare: (context, index) =>
			readLimit(
				context.getNodeParameter('returnAll', index),
				context.getNodeParameter('limit', index, 50),
			),
		run: async (limit, requests, index) => {
			const campaigns = await requests.once('/v2/campaigns', readCampaigns);
			return await toItems(
				campaigns.slice(0, limit),
				index,
				(campaign) => ({ ...campaign }) as IDataObject,
			);
		},
	});
}

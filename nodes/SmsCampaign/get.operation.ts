import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCampaign } from '../shared/service/campaigns';
import { campaignPath, readCampaignId } from './campaign';
import { campaignIdField } from './campaignFields';

/** The record of a campaign (extended). */
export const get: Operation = {
	option: {
		name: 'Get',
		value: 'get',
		action: 'Get a campaign',
		description: 'Retrieve a campaign by its ID (extended)',
		routing: routed({
			method: 'GET',
			url: '/v2/campaigns',
			prepare() {
				const campaignId = readCampaignId(this.getNodeParameter('campaignId'));
				return { url: campaignPath(campaignId), subject: campaignId };
			},
			read: readCampaign,
		}),
	},
	fields: [campaignIdField, optionsField(paceOptions)],
};

import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCampaignStatistics } from '../shared/service/campaigns';
import { campaignPath, readCampaignId } from './campaign';
import { campaignIdField } from './campaignFields';

/** The counters of a campaign (extended). */
export const getStatistics: Operation = {
	option: {
		name: 'Get Statistics',
		value: 'getStatistics',
		action: 'Get the statistics of a campaign',
		description:
			'Retrieve the state of a campaign and how many messages were sent, delivered and so on (extended)',
		routing: routed({
			method: 'GET',
			url: '/v2/campaigns',
			prepare() {
				const campaignId = readCampaignId(this.getNodeParameter('campaignId'));
				return { url: `${campaignPath(campaignId)}/status`, subject: campaignId };
			},
			read: readCampaignStatistics,
		}),
	},
	fields: [campaignIdField, optionsField(paceOptions)],
};

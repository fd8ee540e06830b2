import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCategoryBlacklists } from '../shared/service/blacklists';
import { campaignPath, readCampaignId } from './campaign';
import { campaignIdField } from './campaignFields';

/** Who unsubscribed from a campaign or has an unassigned number (extended). */
export const getBlacklists: Operation = {
	option: {
		name: 'Get Blacklists',
		value: 'getBlacklists',
		action: 'Get the blacklists of a campaign',
		description:
			'Retrieve the numbers that replied STOP to a campaign, and those that are unassigned (extended)',
		routing: routed({
			method: 'GET',
			url: '/v2/campaigns',
			prepare() {
				const campaignId = readCampaignId(this.getNodeParameter('campaignId'));
				return { url: `${campaignPath(campaignId)}/blacklists`, subject: campaignId };
			},
			read: readCategoryBlacklists,
		}),
	},
	fields: [campaignIdField, optionsField(paceOptions)],
};

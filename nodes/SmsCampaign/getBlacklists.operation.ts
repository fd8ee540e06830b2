import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { readCategoryBlacklists } from '../shared/service/blacklists';
import { readCampaignId } from './campaign';
import { campaignPath } from '../shared/service/campaigns';
import { campaignLocatorField } from './campaignFields';

/** Who unsubscribed from a campaign or has an unassigned number (extended). */
export const getBlacklists = defineOperation({
	name: 'Get Blacklists',
	value: 'getBlacklists',
	action: 'Get blacklists of campaign',
	description:
		'Retrieve the numbers that replied STOP to a campaign, and those that are unassigned. Not available on every account.',
	fields: [campaignLocatorField, ...settingsFields({ delivery: paceOptions })],
	request: { method: 'GET', url: `${campaignPath('campaign')}/blacklists` },
	prepare(item) {
		const campaignId = readCampaignId(item);
		return {
			url: `${campaignPath(campaignId)}/blacklists`,
			subject: campaignId,
			campaignId,
		};
	},
	carryOut: async ({ url, campaignId }, requests) => ({
		campaignId,
		...fieldsOf(await requests.get({ url }, readCategoryBlacklists)),
	}),
});

import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { readCategoryBlacklists, shownBlacklists } from '../shared/service/blacklists';
import { readCampaignId } from './campaign';
import { campaignLocatorField } from './campaignFields';

const request = 'GET /v2/campaigns/{campaignId}/blacklists';

/** Numbers that unsubscribed from a campaign, or that are unassigned (extended). */
export const getBlacklists = defineOperation({
	name: 'Get Campaign Blacklists',
	value: 'getBlacklists',
	action: 'Get campaign blacklists',
	description:
		'Retrieve the numbers that replied STOP to a campaign, and those that are unassigned',
	fields: [campaignLocatorField],
	request,
	kind: 'read',
	prepare: (item) => ({ subject: readCampaignId(item) }),
	async execute({ subject: campaignId }, client) {
		const blacklists = await client.get(
			{ endpoint: request, path: { campaignId } },
			readCategoryBlacklists,
		);
		return { campaignId, ...fieldsOf(shownBlacklists(blacklists)) };
	},
});

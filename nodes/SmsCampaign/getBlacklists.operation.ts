import { defineOperation } from '../shared/run/define';
import { readCategoryBlacklists, shownBlacklists } from '../shared/service/blacklists';
import { aboutCampaign } from './campaign';
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
	prepare: aboutCampaign,
	async execute({ path }, client) {
		const blacklists = await client.get({ endpoint: request, path }, readCategoryBlacklists);
		return { ...path, ...shownBlacklists(blacklists) };
	},
});

import { withIsoDates } from '../shared/fields/isoDates';
import { defineOperation } from '../shared/run/define';
import { CAMPAIGN, CAMPAIGN_TIMES, asCampaign, shownCampaign } from '../shared/service/campaigns';
import { aboutCampaign } from './campaign';
import { campaignLocatorField } from './campaignFields';

/** The record of a campaign (extended). */
export const get = defineOperation({
	name: 'Get Campaign',
	value: 'get',
	action: 'Get campaign',
	description: 'Retrieve what the service stores about a campaign',
	fields: [campaignLocatorField],
	request: CAMPAIGN,
	kind: 'read',
	prepare: aboutCampaign,
	async execute({ path }, client) {
		const campaign = await client.get({ endpoint: CAMPAIGN, path }, asCampaign);
		return withIsoDates(shownCampaign(campaign), CAMPAIGN_TIMES);
	},
});

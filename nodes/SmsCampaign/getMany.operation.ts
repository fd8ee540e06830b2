import { withIsoDates } from '../shared/fields/isoDates';
import { defineGetMany } from '../shared/getMany';
import { asCampaign, CAMPAIGN_TIMES, CAMPAIGNS, shownCampaign } from '../shared/service/campaigns';

/** All campaigns of the account (extended). */
export const getMany = defineGetMany({
	name: 'Get Many Campaigns',
	value: 'getMany',
	action: 'Get many campaigns',
	description: 'Retrieve the campaigns of the account',
	request: CAMPAIGNS,
	prepare: () => ({}),
	readRecord: asCampaign,
	toJson: () => (campaign) => withIsoDates(shownCampaign(campaign), CAMPAIGN_TIMES),
});

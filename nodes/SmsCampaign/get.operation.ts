import { isoDates, readIsoDates, withIsoDates } from '../shared/fields/isoDates';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { CAMPAIGN_TIMES, campaignPath, readCampaign } from '../shared/service/campaigns';
import { readCampaignId } from './campaign';
import { campaignLocatorField } from './campaignFields';

/** The record of a campaign (extended). */
export const get = defineOperation({
	name: 'Get',
	value: 'get',
	action: 'Get campaign',
	description:
		'Retrieve what the service stores about a campaign. Not available on every account.',
	fields: [
		campaignLocatorField,
		...settingsFields({ options: [isoDates], delivery: paceOptions }),
	],
	request: { method: 'GET', url: campaignPath('campaign') },
	prepare(item) {
		const campaignId = readCampaignId(item);
		return {
			url: campaignPath(campaignId),
			subject: campaignId,
			campaignId,
			includesIsoDates: readIsoDates(item.options),
		};
	},
	async carryOut({ url, campaignId, includesIsoDates }, requests) {
		const campaign = { campaignId, ...fieldsOf(await requests.get({ url }, readCampaign)) };
		return includesIsoDates ? withIsoDates(campaign, CAMPAIGN_TIMES) : campaign;
	},
});

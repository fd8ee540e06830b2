import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { campaignPath, readCampaignStatistics } from '../shared/service/campaigns';
import { readCampaignId } from './campaign';
import { campaignIdField } from './campaignFields';

/** The counters of a campaign (extended). */
export const getStatistics = defineOperation({
	name: 'Get Statistics',
	value: 'getStatistics',
	action: 'Get statistics of campaign',
	description:
		'Retrieve the state of a campaign and how many messages were sent, delivered and so on (extended)',
	fields: [campaignIdField, optionsField(paceOptions)],
	request: { method: 'GET', url: `${campaignPath('campaign')}/status` },
	prepare(item) {
		const campaignId = readCampaignId(item.parameter('campaignId'));
		return { url: `${campaignPath(campaignId)}/status`, subject: campaignId };
	},
	carryOut: async ({ url }, requests) =>
		fieldsOf(await requests.get({ url }, readCampaignStatistics)),
});

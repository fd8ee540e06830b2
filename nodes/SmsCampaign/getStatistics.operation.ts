import { readShape, simplifyFields } from '../shared/fields/simplify';
import { defineOperation } from '../shared/run/define';
import { CAMPAIGN_STATUS, readCampaignStatistics } from '../shared/service/campaigns';
import { aboutCampaign } from './campaign';
import { campaignLocatorField } from './campaignFields';

/** The counters of a campaign (extended). */
export const getStatistics = defineOperation({
	name: 'Get Campaign Statistics',
	value: 'getStatistics',
	action: 'Get campaign statistics',
	description:
		'Retrieve the state of a campaign and how many messages were sent, delivered and so on',
	builderHint:
		'Use for a report on a campaign: how many messages were sent, delivered and bounced.',
	fields: [campaignLocatorField, ...simplifyFields],
	request: CAMPAIGN_STATUS,
	kind: 'read',
	prepare: (item) => ({ ...aboutCampaign(item), shape: readShape(item, SIMPLE) }),
	async execute({ path, campaignId, shape }, client) {
		const get = { endpoint: CAMPAIGN_STATUS, path };
		const statistics = await client.get(get, readCampaignStatistics);
		return { id: campaignId, ...shape(statistics) };
	},
});

/** Fields that most workflows need. */
const SIMPLE = [
	'id',
	'name',
	'state',
	'sent',
	'delivered',
	'undelivered',
	'bounces',
	'replies',
	'creditsUsed',
];

import { isoDates, readIsoDates, withIsoDates } from '../shared/fields/isoDates';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineGetMany } from '../shared/run/collection';
import { fieldsOf } from '../shared/run/outcome';
import type { Prepared } from '../shared/run/operation';
import { CAMPAIGN_TIMES, readCampaigns, type Campaign } from '../shared/service/campaigns';

const url = '/v2/campaigns';

/** All campaigns of the account (extended). */
export const getMany = defineGetMany<Campaign, Prepared & { includesIsoDates: boolean }>({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many campaigns',
	description: 'Retrieve the campaigns of the account. Not available on every account.',
	options: settingsFields({ options: [isoDates], delivery: paceOptions }),
	url,
	prepare: ({ options }) => ({ at: { url }, includesIsoDates: readIsoDates(options) }),
	read: readCampaigns,
	toJson:
		({ includesIsoDates }) =>
		(campaign) => {
			const json = { campaignId: campaign.id, ...fieldsOf(campaign) };
			return includesIsoDates ? withIsoDates(json, CAMPAIGN_TIMES) : json;
		},
});

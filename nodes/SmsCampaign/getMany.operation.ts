import { isoDates, readIsoDates, withIsoDates } from '../shared/fields/isoDates';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineGetMany } from '../shared/run/collection';
import type { Prepared } from '../shared/run/operation';
import { fieldsOf } from '../shared/run/outcome';
import {
	CAMPAIGN_TIMES,
	CAMPAIGNS,
	readCampaigns,
	type Campaign,
} from '../shared/service/campaigns';

/** All campaigns of the account (extended). */
export const getMany = defineGetMany<Campaign, Prepared & { includesIsoDates: boolean }>({
	name: 'Get Many Campaigns',
	value: 'getMany',
	action: 'Get many campaigns',
	description: 'Retrieve the campaigns of the account. Not available on every account.',
	options: settingsFields({ options: [isoDates], requests: paceOptions }),
	request: CAMPAIGNS,
	prepare: ({ options }) => ({ includesIsoDates: readIsoDates(options) }),
	read: readCampaigns,
	toJson:
		({ includesIsoDates }) =>
		(campaign) => {
			const json = { campaignId: campaign.id, ...fieldsOf(campaign) };
			return includesIsoDates ? withIsoDates(json, CAMPAIGN_TIMES) : json;
		},
});

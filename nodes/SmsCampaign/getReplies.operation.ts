import { defineGetMany } from '../shared/run/getMany';
import { fieldsOf } from '../shared/run/outcome';
import { readReplies, toReply } from '../shared/service/replies';
import { withNumber } from '../shared/service/number';
import { readCampaignId } from './campaign';
import { campaignLocatorField } from './campaignFields';

/** Replies to a campaign (extended). */
export const getReplies = defineGetMany({
	name: 'Get Campaign Replies',
	value: 'getReplies',
	action: 'Get campaign replies',
	description: 'Retrieve what recipients replied to a campaign, one item each',
	builderHint:
		'Use to read what recipients replied to a campaign. To react to new replies, use SMS Trigger.',
	fields: [campaignLocatorField],
	request: 'GET /v2/campaigns/{campaignId}/replies',
	prepare(item) {
		const campaignId = readCampaignId(item);
		return { subject: campaignId, at: { path: { campaignId } } };
	},
	read: readReplies,
	toJson:
		({ subject }) =>
		(reply) =>
			fieldsOf({ campaignId: subject, ...withNumber(toReply(reply)) }),
});

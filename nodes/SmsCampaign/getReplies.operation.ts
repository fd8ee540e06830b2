import { defineGetMany } from '../shared/getMany';
import { readReply, repliesIn, toReply } from '../shared/service/replies';
import { withNumber } from '../shared/service/number';
import { aboutCampaign } from './campaign';
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
		const { path, subject } = aboutCampaign(item);
		return { subject, at: { path } };
	},
	readRecord: readReply,
	recordsIn: repliesIn,
	toJson:
		({ at }) =>
		(reply) => ({ ...at.path, ...withNumber(toReply(reply)) }),
});

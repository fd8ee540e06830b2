import { numberField } from '../shared/fields/number';
import { readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { testRunsField } from '../shared/lookups/testRuns';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/guards';
import { SEND_TEST } from '../shared/service/campaigns';
import { canonicalNumber } from '../shared/service/number';
import { aboutCampaign, readCampaignType, sendCampaign } from './campaign';
import { campaignLocatorField, campaignTypeField } from './campaignFields';

/** Sends a campaign to one number, to look at it (extended). */
export const sendTest = defineOperation({
	name: 'Send Test of Campaign',
	value: 'sendTest',
	action: 'Send test of campaign',
	description: 'Send a campaign to one phone, to see it before everyone gets it',
	builderHint: 'Use to look at a campaign on your own phone before it is sent.',
	fields: [
		campaignTypeField,
		campaignLocatorField,
		{ ...numberField, description: 'Mobile number to send the test to' },
		testRunsField,
	],
	options: [repeatUnknown],
	request: SEND_TEST,
	kind: 'send',
	prepare(item) {
		const { campaignId, path } = aboutCampaign(item);
		const number = item.number({ fixedLines: 'refuse' });
		const target = [campaignId, canonicalNumber(number)];
		return {
			path: { campaignType: readCampaignType(item), ...path },
			body: { identifier: number },
			target,
			// A node runs once for each input item: without this, one phone would get ten tests.
			dedupeBy: [{ what: 'campaign and number', key: JSON.stringify(target) }],
			subject: number,
			extra: { id: campaignId, number: canonicalNumber(number) },
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	words: {
		verb: 'sent',
		ifUnknown: ({ subject }) => `Look at the phone with the number ${subject}.`,
		repeatOption: 'Repeat if Unknown',
	},
	guards: () => ({ guards: [duplicates] }),
	redirect: (prepared, number) => ({
		...prepared,
		subject: number,
		extra: { ...prepared.extra, number: canonicalNumber(number) },
		body: { identifier: number },
	}),
	execute: async ({ path, body }, client) =>
		await sendCampaign({ endpoint: SEND_TEST, path, body }, client),
});

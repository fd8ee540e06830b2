import type { IDataObject } from 'n8n-workflow';
import { optionsField, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { duplicates } from '../shared/run/duplicates';
import { fieldsOf } from '../shared/run/outcome';
import { sendForReal, testRun } from '../shared/run/testRun';
import { campaignsPath, readCreditsUsed } from '../shared/service/campaigns';
import { readCampaignId, readCampaignType } from './campaign';
import { campaignIdField, campaignTypeField } from './campaignFields';

/** Sends a campaign to everybody on its list (extended). */
export const send = defineOperation({
	name: 'Send',
	value: 'send',
	action: 'Send campaign',
	description: 'Send a campaign to all contacts of its list (extended)',
	fields: [
		campaignTypeField,
		campaignIdField,
		optionsField([repeatUnknown, sendForReal, ...paceOptions]),
	],
	request: { method: 'POST', url: `${campaignsPath('marketing')}/campaign/send` },
	madeOf: ['campaignId'],
	deed: 'sent',
	prepare(item) {
		const type = readCampaignType(item);
		const campaignId = readCampaignId(item.parameter('campaignId'));
		return {
			url: `${campaignsPath(type)}/${encodeURIComponent(campaignId)}/send`,
			body: undefined as IDataObject | undefined,
			essence: [campaignId],
			subject: campaignId,
			extra: { campaignId },
			resendUnknown: readRepeatUnknown(item.options),
			// A node runs once for each input item: without this, ten contacts would get it ten times.
			duplicateKey: campaignId,
			duplicateOf: 'campaign',
		};
	},
	stages: (run) => [duplicates(), testRun(run)],
	// One person gets the campaign as a test instead.
	redirect: (prepared, number) => ({
		...prepared,
		url: prepared.url.replace(/send$/, 'test'),
		body: { identifier: number },
	}),
	carryOut: async ({ url, body }, requests) =>
		await requests.change({ method: 'POST', url, body }, (said) => {
			const answer = readCreditsUsed(said);
			return answer && fieldsOf(answer);
		}),
	howToFindOut: ({ subject }) =>
		`The campaign ${subject} may have been sent, and is not sent again on its own. Look at it with the operation Get Statistics. If nothing was sent, run this again with 'Repeat if Unknown' under Options turned on.`,
});

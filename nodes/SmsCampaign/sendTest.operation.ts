import type { IDataObject } from 'n8n-workflow';
import { numberField } from '../shared/fields/number';
import type { Operation } from '../shared/fields/operation';
import { optionsField, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCreditsUsed } from '../shared/service/campaigns';
import { readSwitch } from '../shared/service/choices';
import { parseNumber } from '../shared/service/number';
import { campaignsPath, readCampaignId, readCampaignType } from './campaign';
import { campaignIdField, campaignTypeField } from './campaignFields';

/** Sends a campaign to one number, to look at it (extended). */
export const sendTest: Operation = {
	option: {
		name: 'Send Test',
		value: 'sendTest',
		action: 'Send a test of a campaign',
		description: 'Send a campaign to one phone, to see it before everybody gets it (extended)',
		routing: routed({
			method: 'POST',
			url: campaignsPath('marketing'),
			prepare() {
				const options = this.getNodeParameter('options', {}) as IDataObject;
				const type = readCampaignType(this);
				const campaignId = readCampaignId(this.getNodeParameter('campaignId'));
				const number = parseNumber(this.getNodeParameter('number'));
				return {
					url: `${campaignsPath(type)}/${encodeURIComponent(campaignId)}/test`,
					body: { identifier: number },
					subject: number,
					extra: { campaignId, number },
					resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
				};
			},
			read: readCreditsUsed,
			howToFindOut: ({ subject }) =>
				`The test may have been sent, and is not sent again on its own. Look at the phone with the number ${subject}. If it did not arrive, run this again with 'Repeat if Unknown' under Options turned on.`,
		}),
	},
	fields: [
		campaignTypeField,
		campaignIdField,
		{ ...numberField, description: 'Mobile number that gets the test' },
		optionsField([repeatUnknown, ...paceOptions]),
	],
};

import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCreditsUsed } from '../shared/service/campaigns';
import { readSwitch } from '../shared/service/choices';
import { campaignsPath, readCampaignId, readCampaignType } from './campaign';
import { campaignIdField, campaignTypeField } from './campaignFields';

/** Sends a campaign to everybody on its list (extended). */
export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send a campaign',
		description: 'Send a campaign to all contacts of its list (extended)',
		routing: routed({
			method: 'POST',
			url: campaignsPath('marketing'),
			prepare() {
				const options = this.getNodeParameter('options', {}) as IDataObject;
				const type = readCampaignType(this);
				const campaignId = readCampaignId(this.getNodeParameter('campaignId'));
				const url = `${campaignsPath(type)}/${encodeURIComponent(campaignId)}/send`;
				return {
					url,
					subject: campaignId,
					extra: { campaignId },
					resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
					// A node runs once for each input item: without this, ten contacts would get it ten times.
					duplicateKey: url,
					duplicateOf: 'campaign',
				};
			},
			read: readCreditsUsed,
			howToFindOut: ({ subject }) =>
				`The campaign ${subject} may have been sent, and is not sent again on its own. Look at it with the operation Get Statistics. If nothing was sent, run this again with 'Repeat if Unknown' under Options turned on.`,
		}),
	},
	fields: [campaignTypeField, campaignIdField, optionsField([repeatUnknown, ...paceOptions])],
};

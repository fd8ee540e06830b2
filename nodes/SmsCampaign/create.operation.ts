import { listLocatorField } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCampaign, type Campaign } from '../shared/service/campaigns';
import { campaignsPath, checkColumns, prepareCampaign, type PreparedCampaign } from './campaign';
import {
	campaignTypeField,
	columnsField,
	creationOptions,
	landingPageFields,
	messageField,
	nameField,
} from './campaignFields';

/** A campaign to a contact list (interface document 4.2). Creating it doesn't send it. */
export const create: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create a campaign',
		description:
			'Create a campaign to a contact list, with or without a landing page. It is not sent yet.',
		routing: routed<Campaign, PreparedCampaign>({
			method: 'POST',
			url: campaignsPath('marketing'),
			prepare() {
				return prepareCampaign(this, this.getTimezone(), Date.now());
			},
			async check(prepared, requests) {
				await checkColumns(prepared, requests);
				return prepared;
			},
			read: readCampaign,
			howToFindOut: ({ subject }) =>
				`The campaign ${subject} may exist now, and is not created again on its own. Look for it with the operation Get Many, or in the account area of the service. If it is not there, run this again with 'Repeat if Unknown' under Options turned on.`,
		}),
	},
	fields: [
		campaignTypeField,
		nameField,
		listLocatorField,
		columnsField,
		messageField,
		...landingPageFields,
		optionsField([...creationOptions, ...paceOptions]),
	],
};

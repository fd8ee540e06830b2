import type { IDataObject } from 'n8n-workflow';
import { pickedName } from '../shared/fields/list';
import { repeatUnknown, settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { readCampaign } from '../shared/service/campaigns';
import { checkColumns, prepareCampaign } from './campaign';
import { campaignFields, creationOptions } from './campaignFields';
import { refuseForbiddenContacts } from './forbiddenContacts';

const request = 'POST /v2/{campaignType}/campaigns';

/** A campaign to a contact list (interface document 4.2). Creating it doesn't send it. */
export const create = defineOperation({
	name: 'Create Campaign',
	value: 'create',
	action: 'Create campaign',
	description:
		'Create a campaign to a contact list, with or without a landing page. It is not sent yet.',
	builderHint:
		'Use to write one message for all contacts of a list, with a token for each column. It sends nothing: add the operation send afterwards.',
	fields: [
		...campaignFields,
		...settingsFields({
			options: creationOptions,
			delivery: [repeatUnknown, ...paceOptions],
		}),
	],
	request,
	madeOf: ['campaignType', 'list', 'name', 'message'],
	deed: 'created',
	prepare(item) {
		const campaign = prepareCampaign(item);
		const { listId } = campaign;
		const listName = pickedName(item.typed('list'), listId);
		const extra = {
			...campaign.extra,
			listId,
			...(listName === undefined ? {} : { listName }),
		};
		return { ...campaign, extra };
	},
	async check(campaign, requests, item) {
		await checkColumns(campaign, requests);
		// One with a date may leave by itself: the interface document doesn't say.
		if (campaign.body.date !== undefined) {
			await refuseForbiddenContacts(campaign.listId, item, requests);
		}
		return campaign;
	},
	carryOut: async ({ path, body, scheduled }, requests) =>
		await requests.change<IDataObject>(
			// With its receipt: at a retry, the date may have been corrected.
			{ endpoint: request, path, body, atStart: () => ({ kept: scheduled }) },
			(answer) => {
				const campaign = readCampaign(answer);
				if (campaign === undefined) return undefined;
				const fields: IDataObject = { state: 'notSent', ...fieldsOf(campaign) };
				delete fields.campaignId; // the same ID once more
				return fields;
			},
		),
	howToFindOut: ({ subject }) =>
		`The campaign ${subject} may exist now, and is not created again on its own. Look for it with the operation Get Many Campaigns, or in the account area of the service. If it is not there, run this again with 'Repeat if Unknown' under Delivery Settings turned on.`,
});

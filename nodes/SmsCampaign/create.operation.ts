import type { IDataObject } from 'n8n-workflow';
import { departNow, scheduledFor } from '../shared/fields/allowedHours';
import { pickedName } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import { withoutMarks } from '../shared/lookups/byName';
import { defineOperation } from '../shared/run/define';
import { noteReplacements } from '../shared/run/replacedCharacters';
import { readTestRuns } from '../shared/run/dryRun';
import { InputError } from '../shared/service/InputError';
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
		}),
	],
	request,
	sourceParameters: ['campaignType', 'list', 'name', 'message'],
	verb: 'created',
	prepare(item) {
		const campaign = prepareCampaign(item);
		const { listId } = campaign;
		const shown = pickedName(item.typed('list'), listId);
		const named = shown === undefined ? {} : { listName: withoutMarks(shown, listId) };
		return { ...campaign, named, extra: { ...campaign.extra, listId, ...named } };
	},
	async check(campaign, client, item) {
		await checkColumns(campaign, client);
		if (campaign.isScheduled) {
			await refuseForbiddenContacts(campaign.listId, item, client);
		}
		return campaign;
	},
	begin: (_, entries, client) => noteReplacements(entries, client),
	guards: (run) => [
		{
			begin(candidates) {
				if (readTestRuns(run.account, run.isManual) === 'send') return;
				if (!candidates.some(({ prepared }) => prepared.isScheduled)) return;
				throw new InputError(
					"A campaign with 'Send At' isn't created in a test run, because it may be sent to everybody at that time",
					"Remove 'Send At' to try it out. Published workflows create it. To create it from here, set 'Test Runs' in the credential to Send for Real.",
				);
			},
		},
	],
	execute: async ({ path, body, departure, timeZone, named }, client) =>
		await client.change<IDataObject>(
			{
				endpoint: request,
				path,
				atStart() {
					const date = departNow(departure);
					return {
						// With its receipt: at a retry, the date may have been corrected.
						kept: scheduledFor(date, timeZone),
						body: { ...body, ...(date === undefined ? {} : { date }) },
					};
				},
			},
			(answer) => {
				const campaign = readCampaign(answer);
				if (campaign === undefined) return undefined;
				const { campaignType } = path;
				const { id, ...further } = campaign;
				return {
					...{ state: 'notSent', id, name: body.name, ...named, campaignType },
					...fieldsOf(further),
				};
			},
		),
	howToFindOut: ({ subject }) =>
		`The campaign ${subject} may have been created, and isn't created again automatically. To check, use the operation Get Many Campaigns, or look in the account area of the service. If it isn't there, turn on 'Repeat if Unknown' under Request Settings and run it again.`,
});

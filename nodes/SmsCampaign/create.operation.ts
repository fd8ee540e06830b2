import type { IDataObject } from 'n8n-workflow';
import { requireField } from '../shared/fields/expressions';
import { departNow, scheduledFor } from '../shared/fields/allowedHours';
import { settingsFields } from '../shared/fields/options';
import { pickedField } from '../shared/lookups/byName';
import { defineOperation } from '../shared/run/define';
import { readTestRuns } from '../shared/http/credential';
import { namesOfMoment } from '../shared/service/date';
import { InputError, readAll } from '../shared/service/InputError';
import { fieldsOf } from '../shared/run/outcome';
import { readCampaign as readCreated } from '../shared/service/campaigns';
import { duplicates, type Guard } from '../shared/run/guards';
import type { RunInfo } from '../shared/run/operation';
import { readUnsupported } from '../shared/service/choices';
import type { Column } from '../shared/service/lists';
import { noteOnReplacements, requireAccepted } from '../shared/service/messageText';
import { checkColumns, readCampaign, type WrittenCampaign } from './campaign';
import { campaignFields, creationOptions } from './campaignFields';
import { checkCountries } from './checks';
import { describePlaceholders, written } from './tokens';

const request = 'POST /v2/{campaignType}/campaigns';
const UNDONE = 'No campaign was created.';

/** A campaign to a contact list (interface document 4.2). Creating it doesn't send it. */
export const create = defineOperation({
	name: 'Create Campaign',
	value: 'create',
	action: 'Create campaign',
	description:
		'Create a campaign to a contact list, with or without a landing page. It is not sent yet.',
	builderHint:
		'Use to write one message for all contacts of a list, with a token for each column. It sends nothing: add the operation send afterwards.',
	fields: [...campaignFields, ...settingsFields({ options: creationOptions })],
	request,
	kind: 'change',
	verb: 'created',
	prepare(item) {
		const [name, campaign] = readAll(
			() => requireField(item, 'name', 'Campaign Name'),
			() => readCampaign(item),
		);
		const { listId, message, path, body, date, content, extra } = campaign;
		requireAccepted(message, path.campaignType, readUnsupported(item.options));
		const named = pickedField('listName', item.typed('list'), listId);
		return {
			...campaign,
			timeZone: item.run.timeZone,
			columns: [] as readonly Column[],
			named,
			body: { name, ...body },
			// Its name is part of what is sent: whoever corrects it before a retry means the same campaign.
			content: [...content, name],
			subject: name,
			extra: { ...extra, listId, ...named },
			// A node runs once for each input item: a hundred rows would make a hundred equal campaigns.
			dedupeBy: (date === undefined ? [''] : namesOfMoment(date)).map((time) => ({
				what: 'campaign',
				value: JSON.stringify([path, name, body, time]),
			})),
		};
	},
	async check(campaign, client) {
		const columns = await checkColumns(campaign, client, UNDONE);
		if (campaign.schedule !== undefined) await checkCountries(campaign, client);
		return { ...campaign, columns };
	},
	guards: (run) => ({ guards: [duplicates, announced(run)] }),
	async execute({ path, body, schedule, timeZone, named }, client) {
		const created = await client.change<IDataObject>(
			{
				endpoint: request,
				path,
				atStart() {
					const date = schedule && departNow(schedule);
					return {
						// With its receipt: at a retry, the date may have been corrected.
						kept: scheduledFor(date, timeZone),
						body: { ...body, ...(date === undefined ? {} : { date }) },
					};
				},
			},
			(answer) => {
				const campaign = readCreated(answer);
				if (campaign === undefined) return undefined;
				const { campaignType } = path;
				const { id, ...further } = campaign;
				return {
					...{ state: 'notSent', id, name: body.name, ...named, campaignType },
					...fieldsOf(further),
				};
			},
		);
		if (schedule === undefined)
			client.note('Not sent yet: the operation Send Campaign sends it.');
		return created;
	},
	ifUnknown: ({ subject }) =>
		`'Get Many Campaigns' shows whether the campaign ${subject} exists. If it doesn't, create it in a new execution.`,
});

/** Tells about the messages, and refuses a test run that would create a campaign that is sent by itself. */
function announced({
	account,
	isManual,
}: RunInfo): Guard<WrittenCampaign & { columns: readonly Column[] }> {
	return {
		begin(entries, client) {
			const isDated = entries.some(({ prepared }) => prepared.schedule !== undefined);
			if (isDated && readTestRuns(account, isManual) !== 'send') {
				throw new InputError(
					"A campaign with 'Send At' isn't created in a test run, because it may be sent to everybody at that time",
					"Remove 'Send At' to try it out. Published workflows create it. To create it from here, set 'Test Runs' in the credential to Send for Real.",
				);
			}
			client.note(noteOnReplacements(entries.map(({ prepared }) => prepared.message)));
			const tokens = new Set(entries.flatMap(({ prepared }) => prepared.tokens.map(written)));
			if (tokens.size > 0)
				client.note(
					`Preview Campaign tells which contacts have no value for ${[...tokens].join(', ')}.`,
				);
			for (const { prepared } of entries) {
				const { doubts, placeholders, columns } = prepared;
				for (const warning of [...doubts, describePlaceholders(placeholders, columns)])
					if (warning !== '') client.warn(warning);
			}
		},
	};
}

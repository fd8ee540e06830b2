import type { IDataObject } from 'n8n-workflow';
import { requireField } from '../shared/fields/expressions';
import { departNow, scheduledFor } from '../shared/fields/allowedHours';
import { pickedField } from '../shared/lookups/byName';
import { namesakes } from '../shared/namesakes';
import { defineOperation } from '../shared/run/define';
import { collectionOf } from '../shared/http/collectionOf';
import { readTestRuns } from '../shared/http/credential';
import { namesOfMoment } from '../shared/service/date';
import { InputError, readAll, show } from '../shared/service/InputError';
import type { Client } from '../shared/run/client';
import { listOf } from '../shared/service/countOf';
import { fieldsOf, ignoring } from '../shared/run/outcome';
import { inDoubt } from '../shared/run/unknown';
import { asId, asObject, isMissing } from '../shared/service/answers';
import { CAMPAIGNS, asCampaign, type Campaign } from '../shared/service/campaigns';
import { duplicates } from '../shared/run/guards';
import type { Guard, RunInfo } from '../shared/run/operation';
import { readUnsupported } from '../shared/service/choices';
import type { Column } from '../shared/service/lists';
import { noteOnReplacements, requireAccepted } from '../shared/service/messageText';
import { checkColumns, readCampaign, type WrittenCampaign } from './campaign';
import { campaignFields, creationOptions } from './campaignFields';
import { checkCountries, LEFT } from './checks';
import { findGaps } from './forecast';
import { describePlaceholders } from './tokens';

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
	fields: campaignFields,
	options: creationOptions,
	request,
	kind: 'change',
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
			name,
			// Its name is part of what is sent: whoever corrects it before a retry means the same campaign.
			content: [...content, name],
			subject: name,
			extra: { ...extra, listId, ...named },
			// A node runs once for each input item: a hundred rows would make a hundred equal campaigns.
			dedupeBy: (date === undefined ? [''] : namesOfMoment(date)).map((time) => ({
				what: 'campaign',
				key: JSON.stringify([path, name, body, time]),
			})),
		};
	},
	words: { verb: 'created' },
	async check(campaign, client) {
		const columns = await checkColumns(campaign, client, UNDONE);
		if (campaign.schedule !== undefined) await checkCountries(campaign, client);
		return { ...campaign, columns };
	},
	guards: (run) => ({ guards: [duplicates, announced(run)] }),
	async execute(campaign, client, { run: { isManual, isTool } }) {
		const { path, name, body, schedule, timeZone } = campaign;
		const created = await client.change<IDataObject>(
			{
				endpoint: request,
				path,
				atStart() {
					const date = schedule && departNow(schedule);
					return {
						due: date,
						// With its receipt: at a retry, the date may have been corrected.
						kept: scheduledFor(date, timeZone),
						body: { name, ...body, ...(date === undefined ? {} : { date }) },
					};
				},
			},
			(answer) => {
				const read = asCampaign(answer);
				return read && { ...createdAs(campaign, read.id), ...fieldsOf(read) };
			},
		);
		// Nobody reads a hint of a published workflow.
		if (isManual || isTool) await warnOfGaps(campaign, client);
		if (isManual && !isTool) await warnOfOthers(created.id, campaign, client);
		client.note(
			schedule === undefined
				? 'Not sent yet: the operation Send Campaign sends it.'
				: "Not sent yet. It isn't known whether the service sends it by itself at its time: look at its state then, with Get Campaign Statistics.",
		);
		return created;
	},
	/**
	 * The campaigns of the account tell (extended). Names may be shared: one to another list is another one, and so is one
	 * that was sent.
	 */
	async lookUp(campaign, client, { due, siblings }) {
		const { name, body, timeZone } = campaign;
		const all = await client.find({ endpoint: CAMPAIGNS }, readCampaigns, () => true);
		const called = (all?.records ?? []).filter(
			(one) =>
				(one.name === name || one.message === body.message) &&
				!siblings().has(({ id }) => id === one.id),
		);
		const likeness = called.map((one) => ({ one, isSame: isSame(one, campaign, due) }));
		const found = likeness.find((each) => each.isSame)?.one;
		if (found !== undefined) {
			const { id, state = 'notSent' } = found;
			const dated = scheduledFor(due, timeZone);
			return { value: { ...createdAs(campaign, id), ...fieldsOf({ state }), ...dated } };
		}
		if (likeness.some((each) => each.isSame === undefined))
			return inDoubt(
				`the account doesn't tell whether the campaign ${show(name)} was created`,
			);
		if (due === undefined) return 'absent';
		// One that is shown late would be sent beside it.
		return inDoubt(`the account shows no campaign ${show(name)} for that date so far`);
	},
});

/** Names contacts whose message would have a gap, where the account shows them. */
async function warnOfGaps(
	campaign: WrittenCampaign & { columns: readonly Column[] },
	client: Client,
): Promise<void> {
	const { listId, tokens } = campaign;
	if (tokens.length === 0) return;
	const find = async () => await findGaps(campaign, client).catch(ignoring());
	const gaps = await client.cached(`gaps ${JSON.stringify([listId, tokens])}`, find);
	for (const gap of gaps ?? []) client.warn(gap);
}

const readCampaigns = collectionOf(asCampaign);

/** Names campaigns that were there before: somebody who tries a workflow out makes one each time. */
async function warnOfOthers(
	ownId: unknown,
	{ name, body }: NamedCampaign,
	client: Client,
): Promise<void> {
	const all = { endpoint: CAMPAIGNS, read: asCampaign };
	const called = await namesakes({ id: ownId, name }, all, client);
	const others = called.filter(({ message }) => message === body.message);
	if (others.length === 0) return;
	const ids = listOf(others.map(({ id, state }) => (isMissing(state) ? id : `${id}, ${state}`)));
	client.warn(
		`There is another campaign ${show(name)} with this message already (ID ${ids}). Whoever gets both gets the message twice: send one of them only.`,
	);
}

type NamedCampaign = Pick<WrittenCampaign, 'path' | 'body'> & {
	name: string;
	/** The name of its list. */
	named: Record<string, string>;
};

/** The result of a campaign that was created. */
function createdAs({ path, name, named }: NamedCampaign, id: string): IDataObject {
	return { state: 'notSent', id, name, ...named, campaignType: path.campaignType };
}

/** @returns undefined where the account doesn't tell: the name or the text may have been corrected since */
function isSame(
	{ name, message, sendList, state, date }: Campaign,
	wanted: NamedCampaign,
	due: number | undefined,
): boolean | undefined {
	const told = [
		[asId(asObject(sendList)?.id), wanted.body.sendList.id],
		// One without a date may be shown with that of its creation.
		...(due === undefined ? [] : [[date, due]]),
	];
	if (due === undefined && typeof state === 'string' && LEFT.test(state)) return false;
	if (told.some(([shown, sent]) => !isMissing(shown) && shown !== sent)) return false;
	const areSame = told.every(([shown, sent]) => shown === sent);
	return (areSame && name === wanted.name && message === wanted.body.message) || undefined;
}

/** Tells about the messages, and refuses a test run that would create a campaign that is sent by itself. */
function announced({
	account,
	isManual,
}: RunInfo): Guard<WrittenCampaign & { columns: readonly Column[] }> {
	return (entries, client) => {
		const isDated = entries.some(({ prepared }) => prepared.schedule !== undefined);
		if (isDated && readTestRuns(account, isManual) !== 'send') {
			throw new InputError(
				"A campaign with 'Send At' isn't created in a test run, because it may be sent to everybody at that time",
				"Remove 'Send At' to try it out. Published workflows create it. To create it from here, set 'Test Runs' in the credential to Send for Real.",
			);
		}
		client.note(noteOnReplacements(entries.map(({ prepared }) => prepared.message)));
		for (const { prepared } of entries) {
			const { doubts, placeholders, columns } = prepared;
			for (const warning of [...doubts, describePlaceholders(placeholders, columns)])
				if (warning !== '') client.warn(warning);
		}
	};
}

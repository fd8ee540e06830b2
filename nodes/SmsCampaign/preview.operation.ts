import type { IDataObject } from 'n8n-workflow';
import { creditsLeft } from '../shared/credits';
import { collectionOf } from '../shared/http/collectionOf';
import { getListedNumbers } from '../shared/numbers';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import type { OpenEntry } from '../shared/run/operation';
import type { Outcome } from '../shared/run/outcome';
import { failureOf } from '../shared/run/unknown';
import { CONTACTS } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import type { Column } from '../shared/service/lists';
import { noteOnReplacements } from '../shared/service/messageText';
import { checkColumns, lookUpFailed, readCampaign, type WrittenCampaign } from './campaign';
import { creationOptions, previewFields } from './campaignFields';
import { Forecast } from './forecast';

type PreviewedCampaign = WrittenCampaign & { columns: Column[] };

const UNDONE = 'Nothing was previewed.';

/** Recipients, cost and problems of a campaign, from its fields, its list and the blacklists. Makes only GETs. */
export const preview = defineOperation<PreviewedCampaign>({
	name: 'Preview Campaign',
	value: 'preview',
	action: 'Preview campaign',
	description:
		'Count the recipients, segments and credits of a campaign and check it for problems, without creating it',
	builderHint:
		'Use to estimate what a campaign will cost, how many recipients it has and what is wrong with it. It takes the fields of create, and creates nothing.',
	fields: previewFields,
	options: creationOptions,
	request: CONTACTS,
	kind: 'read',
	prepare: (item) => ({ ...readCampaign(item), extra: {}, columns: [] }),
	words: {
		verb: 'previewed',
		summaryOf,
	},
	check: async (campaign, client) => ({
		...campaign,
		columns: await checkColumns(campaign, client, UNDONE),
	}),
	guards: () => ({ guards: [noteReplacements] }),
	/** One after the other: the contacts of no more than one list are in memory. */
	async executeAll(entries, clientOf) {
		const outcomes = new Map<number, Outcome>();
		for (const entry of entries) {
			const outcome = await previewOne(entry.prepared, clientOf(entry)).catch(failureOf);
			outcomes.set(entry.index, outcome);
		}
		return outcomes;
	},
});

/** "7 recipients, at least 8 credits." */
function summaryOf(results: readonly IDataObject[]): string {
	const sum = (field: string) => results.reduce((all, one) => all + Number(one[field]), 0);
	const counts = [
		countOf(sum('recipients'), 'recipient'),
		`at least ${countOf(sum('estimatedCredits'), 'credit')}`,
	];
	return `${counts.join(', ')}.`;
}

/** @throws StepFailed */
async function previewOne(campaign: PreviewedCampaign, client: Client): Promise<Outcome> {
	const failed = lookUpFailed('The blacklists could not be fetched', UNDONE);
	const unsubscribers = await getListedNumbers('unsubscribers', client).catch(failed);
	const bounces = await getListedNumbers('bounces', client).catch(failed);
	const credits = await creditsLeft(client);
	const forecast = new Forecast(campaign, campaign.columns, { unsubscribers, bounces });
	const get = { endpoint: CONTACTS, path: { listId: campaign.listId } };
	const { leftOut } = await client
		.get(
			get,
			collectionOf((record) => forecast.add(record)),
		)
		.catch(lookUpFailed('The contacts of the list could not be fetched', UNDONE));
	const value = forecast.result(leftOut, credits);
	for (const problem of value.problems) client.warn(problem);
	return { status: 'done', value };
}

/** Tells of characters that are replaced; those that are removed are problems. */
function noteReplacements(
	entries: ReadonlyArray<OpenEntry<PreviewedCampaign>>,
	client: Client,
): void {
	const replaced = entries.map(({ prepared: { message } }) => ({
		replacements: message.replacements.filter(({ replacement }) => replacement !== ''),
	}));
	client.note(noteOnReplacements(replaced));
}

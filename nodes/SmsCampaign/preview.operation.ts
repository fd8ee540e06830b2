import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { settingsFields } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { getListedNumbers } from '../shared/run/blacklists';
import { failureOf, type Outcome, type Output } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { forEach } from '../shared/run/chunks';
import type { CountryRule } from '../shared/service/allowedCountries';
import { readChoice } from '../shared/service/choices';
import { CONTACTS, readAddressee, valueIn, type Contact } from '../shared/service/contacts';
import { LIST, readColumns } from '../shared/service/lists';
import { Audience } from './audience';
import { checkColumns, lookUpFailed, readCampaign, type WrittenCampaign } from './campaign';
import { campaignFields, creationOptions } from './campaignFields';
import { Forecast } from './forecast';

const outputField: INodeProperties = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	options: [
		{
			name: 'One Item per Contact',
			value: 'contacts',
			description:
				'The text that each contact would get, or the reason why it would get none',
		},
		{
			name: 'Summary',
			value: 'summary',
			description:
				'The number of recipients and segments, the estimated credits, and any problems',
		},
	],
	default: 'summary',
	description: 'What to return for each campaign',
};

interface PreviewedCampaign extends WrittenCampaign {
	output: 'summary' | 'contacts';
	/** Send refuses a campaign that has a recipient of another country. */
	countryRule: CountryRule | undefined;
}

/** What a campaign would come to, from its fields, its list and the blacklists. Nothing but GETs. */
export const preview = defineOperation<PreviewedCampaign>({
	name: 'Preview Campaign',
	value: 'preview',
	action: 'Preview campaign',
	description:
		'Count the recipients, segments and credits of a campaign and check it for problems, without creating it',
	builderHint:
		'Use to estimate what a campaign will cost, how many recipients it has and what is wrong with it. It takes the fields of create, and creates nothing.',
	fields: [...campaignFields, outputField, ...settingsFields({ options: creationOptions })],
	request: CONTACTS,
	verb: 'previewed',
	prepare: (item) => ({
		...readCampaign(item),
		output: readChoice(item.parameter('output', 'summary'), ['summary', 'contacts'], 'Output'),
		countryRule: item.countryRule,
		extra: {},
	}),
	async check(campaign, client) {
		await checkColumns(campaign, client);
		return campaign;
	},
	executeAll: async (entries, clientOf) =>
		await previewAll(
			new Map(entries.map(({ index, prepared }) => [index, prepared])),
			clientOf({ ...entries[0], identity: {} }),
		),
	execute: () => [],
});

type Campaigns = Map<number, PreviewedCampaign>;

/** One list after the other, each read once for all of its campaigns: no more than one is in memory. */
async function previewAll(
	campaigns: ReadonlyMap<number, PreviewedCampaign>,
	client: Client,
): Promise<ReadonlyMap<number, Outcome>> {
	const outcomes = new Map<number, Outcome>();
	const ofList = new Map<string, Campaigns>();
	for (const [index, campaign] of campaigns) {
		const { listId } = campaign;
		ofList.set(
			listId,
			(ofList.get(listId) ?? new Map<number, PreviewedCampaign>()).set(index, campaign),
		);
	}
	const previews: Previewed[] = [];
	for (const [listId, ofOne] of ofList) {
		const result = await previewList(listId, ofOne, client).catch(failureOf);
		for (const index of ofOne.keys()) {
			if ('status' in result) {
				outcomes.set(index, result);
				continue;
			}
			const previewed = result.get(index)!;
			outcomes.set(index, { status: 'done', value: previewed.output });
			previews.push(previewed);
		}
	}
	if (previews.length === 1) {
		const [{ note, warning }] = previews;
		client.note(note);
		if (warning !== undefined) client.warn(warning);
	}
	return outcomes;
}

interface Previewed {
	output: Output;
	note: string;
	warning: string | undefined;
}

/** @throws StepFailed */
async function previewList(
	listId: string,
	campaigns: Campaigns,
	client: Client,
): Promise<ReadonlyMap<number, Previewed>> {
	const path = { listId };
	const usesColumns = [...campaigns.values()].some(({ tokens }) => tokens.length > 0);
	const columns = usesColumns
		? await client
				.once({ endpoint: LIST, path }, readColumns)
				.catch(failedWith('The columns of the list could not be looked up'))
		: [];
	const because = failedWith('The blacklists could not be fetched');
	const audience = new Audience({
		unsubscribers: await getListedNumbers('unsubscribers', client).catch(because),
		bounces: await getListedNumbers('bounces', client).catch(because),
	});
	const previews = [...campaigns].map(([index, campaign]) => ({
		index,
		forecast: new Forecast(campaign, columns, campaign.countryRule),
		items: campaign.output === 'contacts' ? new Array<INodeExecutionData>() : undefined,
	}));
	const needed = new Set(previews.flatMap(({ forecast }) => forecast.columnIds));
	const { records, leftOut } = await client
		.getAll({ endpoint: CONTACTS, path }, (record) => readWith(needed, record))
		.catch(failedWith('The contacts of the list could not be fetched'));
	await forEach(records, (contact) => {
		const addressee = audience.next(contact);
		for (const { index, forecast, items } of previews) {
			const json = forecast.next(contact, addressee);
			items?.push({ json, pairedItem: { item: index } });
		}
	});
	return new Map(
		previews.map(({ index, forecast, items }) => {
			const output: Output = items ?? forecast.summary(leftOut);
			return [index, { output, note: forecast.describe(), warning: forecast.warn(leftOut) }];
		}),
	);
}

/** A contact with the values that are needed of it: a large list with all of its columns fills the memory. */
function readWith(columnIds: ReadonlySet<string>, record: unknown): Contact | undefined {
	const contact = readAddressee(record);
	if (contact === undefined) return undefined;
	const { id, identifier, attributes } = contact;
	const needed = [...columnIds].map(
		(columnId) => [columnId, valueIn(attributes, columnId)] as const,
	);
	return { id, identifier, attributes: Object.fromEntries(needed) };
}

function failedWith(what: string): (error: unknown) => never {
	return (error) => {
		throw lookUpFailed(error, what, 'Nothing was previewed.');
	};
}

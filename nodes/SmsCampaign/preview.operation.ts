import { settingsFields } from '../shared/fields/options';
import { getListedNumbers } from '../shared/run/blacklists';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { failureOf, type Outcome } from '../shared/run/outcome';
import { replacedCharacters } from '../shared/run/replacedCharacters';
import { inSlices } from '../shared/run/slices';
import type { CountryRule } from '../shared/service/allowedCountries';
import { countOf } from '../shared/service/countOf';
import { CONTACTS, readAddressee, valueIn } from '../shared/service/contacts';
import type { Column } from '../shared/service/lists';
import { LONGEST_MESSAGE } from '../shared/service/segments';
import { Audience, type Addressee } from './audience';
import { checkColumns, lookUpFailed, readCampaign, type WrittenCampaign } from './campaign';
import { creationOptions, previewFields } from './campaignFields';
import { Forecast } from './forecast';
import { counted } from './tally';
import { columnsFor } from './tokens';

interface PreviewedCampaign extends WrittenCampaign {
	/** Send refuses a campaign that has a recipient of another country. */
	countryRule: CountryRule | undefined;
	/** Of its list. */
	columns: readonly Column[];
}

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
	fields: [...previewFields, ...settingsFields({ options: creationOptions })],
	request: CONTACTS,
	verb: 'previewed',
	prepare: (item) => ({
		...readCampaign(item),
		countryRule: item.countryRule,
		columns: [],
		extra: {},
	}),
	async check(campaign, client) {
		return { ...campaign, columns: await checkColumns(campaign, client, UNDONE) };
	},
	begin: (_, before) => replacedCharacters(before),
	/** One list after the other, each read once for all of its campaigns: no more than one is in memory. */
	async executeAll(entries, clientOf) {
		const outcomes = new Map<number, Outcome>();
		const client = clientOf({ ...entries[0], identity: {} });
		for (const listId of new Set(entries.map(({ prepared }) => prepared.listId))) {
			const ofList = entries.filter(({ prepared }) => prepared.listId === listId);
			const campaigns = ofList.map(({ prepared }) => prepared);
			const results = await previewList(listId, campaigns, client).catch(failureOf);
			for (const [position, { index }] of ofList.entries()) {
				const outcome: Outcome = Array.isArray(results)
					? { status: 'done', value: results[position] }
					: results;
				outcomes.set(index, outcome);
			}
		}
		return outcomes;
	},
	execute: () => [],
	noteOn(results) {
		if (results.length !== 1) return undefined;
		const [{ recipients, estimatedCredits, problems }] = results;
		const cost = `${counted(Number(recipients), 'recipient')}, about ${counted(Number(estimatedCredits), 'credit')}.`;
		const found = (problems as string[]).length;
		return found === 0 ? cost : `${cost} ${countOf(found, 'problem')}.`;
	},
});

/** @returns the result of each campaign @throws StepFailed */
async function previewList(
	listId: string,
	campaigns: readonly PreviewedCampaign[],
	client: Client,
) {
	const because = failedWith('The blacklists could not be fetched');
	const audience = new Audience({
		unsubscribers: await getListedNumbers('unsubscribers', client).catch(because),
		bounces: await getListedNumbers('bounces', client).catch(because),
	});
	const columnIds = new Set(campaigns.flatMap(usedColumns));
	const { records, leftOut } = await client
		.getAll({ endpoint: CONTACTS, path: { listId } }, (record) =>
			readContact(record, columnIds),
		)
		.catch(failedWith('The contacts of the list could not be fetched'));
	const forecasts = campaigns.map(
		(campaign) => new Forecast(campaign, campaign.columns, campaign.countryRule),
	);
	await inSlices(records, (contact) => {
		const addressee = { ...contact, ...audience.next(contact.identifier) };
		for (const forecast of forecasts) forecast.add(addressee);
	});
	return forecasts.map((forecast) => forecast.result(leftOut));
}

function usedColumns({ tokens, columns }: PreviewedCampaign): string[] {
	return tokens.map((token) => columnsFor(token, columns)[0].id);
}

/** A contact with the values that are needed: a large list with all of its columns fills the memory. */
function readContact(
	record: unknown,
	columnIds: ReadonlySet<string>,
): Pick<Addressee, 'identifier' | 'values'> | undefined {
	const contact = readAddressee(record);
	if (contact === undefined) return undefined;
	const { identifier = '', attributes } = contact;
	const values = [...columnIds].map((id) => [id, asText(valueIn(attributes, id))] as const);
	return { identifier, values: Object.fromEntries(values) };
}

/**
 * The value of a contact in a column (interface document 2.4: a text); anything else than a text or a number is empty.
 * A value that no SMS can hold is read only as far as shows that.
 */
function asText(value: unknown): string {
	if (typeof value === 'string') return value.slice(0, LONGEST_MESSAGE + 1);
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function failedWith(what: string): (error: unknown) => never {
	return (error) => {
		throw lookUpFailed(error, what, UNDONE);
	};
}

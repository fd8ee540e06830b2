import { settingsFields } from '../shared/fields/options';
import { getListedNumbers } from '../shared/numbers';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { failureOf, type Outcome } from '../shared/run/outcome';
import { forEach } from '../shared/run/chunks';
import type { CountryRule } from '../shared/service/allowedCountries';
import { CONTACTS, readAddressee, valueIn } from '../shared/service/contacts';
import { noteOnReplacements } from '../shared/service/message';
import { LONGEST_MESSAGE } from '../shared/service/segments';
import { Audience, type Addressee } from './audience';
import { checkColumns, lookUpFailed, readCampaign, type WrittenCampaign } from './campaign';
import { creationOptions, previewFields } from './campaignFields';
import { Forecast } from './forecast';

interface PreviewedCampaign extends WrittenCampaign {
	/** Send refuses a campaign that has a recipient of another country. */
	countryRule: CountryRule | undefined;
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
	prepare: (item) => ({ ...readCampaign(item), countryRule: item.countryRule, extra: {} }),
	async check(campaign, client) {
		await checkColumns(campaign, client, UNDONE);
		return campaign;
	},
	begin: (_, entries, client) =>
		client.note(noteOnReplacements(entries.map(({ prepared }) => prepared))),
	/** One after the other: the contacts of no more than one list are in memory. */
	async executeAll(entries, clientOf) {
		const outcomes = new Map<number, Outcome>();
		for (const entry of entries) {
			const outcome = await previewOne(entry.prepared, clientOf(entry)).catch(failureOf);
			outcomes.set(entry.index, outcome);
		}
		return outcomes;
	},
	execute: () => [],
});

/** @throws StepFailed */
async function previewOne(campaign: PreviewedCampaign, client: Client): Promise<Outcome> {
	const columns = await checkColumns(campaign, client, UNDONE);
	const because = failedWith('The blacklists could not be fetched');
	const audience = new Audience({
		unsubscribers: await getListedNumbers('unsubscribers', client).catch(because),
		bounces: await getListedNumbers('bounces', client).catch(because),
	});
	const forecast = new Forecast(campaign, columns, campaign.countryRule);
	const path = { listId: campaign.listId };
	const { records, leftOut } = await client
		.getAll({ endpoint: CONTACTS, path }, (record) => readContact(record, forecast.columnIds))
		.catch(failedWith('The contacts of the list could not be fetched'));
	await forEach(records, ({ identifier, values }) => {
		forecast.add({ identifier, values, ...audience.next(identifier) });
	});
	return { status: 'done', value: forecast.result(leftOut) };
}

/** A contact with the values that are needed: a large list with all of its columns fills the memory. */
function readContact(
	record: unknown,
	columnIds: readonly string[],
): Pick<Addressee, 'identifier' | 'values'> | undefined {
	const contact = readAddressee(record);
	if (contact === undefined) return undefined;
	const { identifier = '', attributes } = contact;
	const values = columnIds.map((id) => [id, asText(valueIn(attributes, id))] as const);
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

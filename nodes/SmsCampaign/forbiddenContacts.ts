import type { Item } from '../shared/fields/item';
import type { Client } from '../shared/run/client';
import { forEach } from '../shared/run/chunks';
import type { CountryRule } from '../shared/service/allowedCountries';
import { InputError } from '../shared/service/InputError';
import { counted, inWords, Tally } from './tally';
import { contactsOf, listOfCampaign, type Look } from './sendable';

/** What the credential says. */
type Rules = Pick<Item, 'countryRule'>;

const SENDING: Look = {
	what: 'The campaign could not be checked before sending',
	undone: 'It was not sent.',
};
const CREATING: Look = {
	what: 'The contacts of the list could not be checked',
	undone: 'No campaign was created.',
};

/**
 * Refuses to send a campaign that would go to a number which 'Allowed Countries' of the credential doesn't
 * allow, or of which that can't be seen. Without 'Allowed Countries', nothing is looked up.
 *
 * @param name what the form calls it
 * @throws InputError when it is refused
 * @throws StepFailed when it could not be looked at
 */
export async function refuseForbiddenCampaign(
	campaignId: string,
	name: string,
	rules: Rules,
	client: Client,
): Promise<void> {
	if (rules.countryRule === undefined) return;
	const listId = await listOfCampaign(campaignId, client, SENDING);
	if (listId === undefined || listId === '') throw unseen(`list of the campaign ${name}`);
	await refuseForbiddenContacts(listId, rules, client, SENDING);
}

/**
 * The same for a campaign with a date that is to be created.
 *
 * @throws InputError when it is refused
 * @throws StepFailed when the list could not be looked at
 */
export async function refuseForbiddenContacts(
	listId: string,
	{ countryRule }: Rules,
	client: Client,
	saying = CREATING,
): Promise<void> {
	if (countryRule === undefined) return;
	const contacts = await contactsOf(listId, client, saying);
	if (contacts === undefined) throw unseen('contacts of the list');
	const { forbidden, why } = await client.together(
		`forbidden ${listId}`,
		async () => await forbiddenOf(contacts, countryRule),
	);
	if (why === undefined) return;
	throw new InputError(
		`'Allowed Countries' of the credential doesn't allow ${inWords(forbidden.contacts)} of ${counted(contacts.length, 'contact')} of the list: ${forbidden.describe()}`,
		`${saying.undone} Delete these contacts from the list. ${why.description ?? ''}`,
	);
}

async function forbiddenOf(
	contacts: ReadonlyArray<{ identifier?: string }>,
	rule: CountryRule,
): Promise<{ forbidden: Tally; why?: InputError }> {
	const forbidden = new Tally();
	let why: InputError | undefined;
	await forEach(contacts, ({ identifier = '' }) => {
		const refused = rule(identifier);
		if (refused === undefined) return;
		why ??= refused;
		forbidden.add(identifier || 'one without a number');
	});
	return { forbidden, why };
}

function unseen(what: string): InputError {
	return new InputError(
		`Your account can't show the ${what}, so the countries of its contacts can't be checked`,
		"With 'Allowed Countries' in the credential, nothing is sent without this check. To send the campaign, use a credential that allows all countries.",
	);
}

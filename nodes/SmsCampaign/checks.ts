import type { Reader } from '../shared/http/failure';
import type { Client } from '../shared/run/client';
import { StepFailed } from '../shared/run/outcome';
import { forEach } from '../shared/run/chunks';
import type { CountryRule } from '../shared/service/allowedCountries';
import { asId, asObject } from '../shared/service/answers';
import { CAMPAIGN, CAMPAIGN_STATUS } from '../shared/service/campaigns';
import type { Endpoint } from '../shared/service/endpoint';
import { CONTACTS } from '../shared/service/contacts';
import { isMissingPath, meaningOf } from '../shared/service/errorCodes';
import { InputError, show } from '../shared/service/InputError';
import { lookUpFailed } from './campaign';
import { counted, inWords, Tally } from './tally';

/**
 * States of a campaign that has left or is leaving. The states are not shown (interface document 3); SENT is in a public
 * sample, the others are what services call the same.
 */
const LEFT = /^(sent|sending|in[ _-]?progress|finished|done|completed|ended|terminated)$/i;

interface Campaign {
	campaignId: string;
	/** As the form shows it. */
	name: string;
	/** 'Send Without Checks': a campaign that was sent before, or whose list is empty, is sent too. */
	sendAnyway: boolean;
	countryRule: CountryRule | undefined;
}

/**
 * Looks at a campaign before it is sent. It is refused when it was sent before, when its list is empty, and when a
 * contact's country isn't allowed. Where the account can't look at campaigns, only 'Allowed Countries' refuse it.
 *
 * @throws InputError when it is refused
 * @throws StepFailed when it could not be looked at
 */
export async function checkCampaign(
	{ campaignId, name, sendAnyway, countryRule }: Campaign,
	client: Client,
): Promise<void> {
	if (sendAnyway && countryRule === undefined) return;
	// 'Send Without Checks' is no way round 'Allowed Countries'.
	const texts = countryRule === undefined ? { ...SENDING, wayOut: SEND_ANYWAY } : SENDING;
	const ask = async <T>(endpoint: Endpoint, read: Reader<T>) => {
		const get = { endpoint, path: { campaignId } };
		const once = async () => await client.get(get, read, isMissingPath);
		return await look(`${endpoint} ${campaignId}`, once, texts, client);
	};
	const state = sendAnyway ? undefined : await ask(CAMPAIGN_STATUS, readState);
	if (state !== undefined && LEFT.test(state)) {
		throw new InputError(
			`The campaign ${name} was sent before: its state is now ${show(state)}`,
			"Every contact of its list would get it again. If that is what you want, turn on 'Send Without Checks' under Options.",
		);
	}
	const listId = (await ask(CAMPAIGN, readListId)) || undefined;
	const numbers = listId && (await numbersOf(listId, texts, client));
	if (numbers?.length === 0 && !sendAnyway) {
		throw new InputError(
			`The list of the campaign ${name} is empty`,
			'No one would get it. Add contacts to the list first.',
		);
	}
	if (countryRule === undefined) return;
	if (!numbers) throw unseen(listId ? 'contacts of the list' : `list of the campaign ${name}`);
	await refuseForbidden(numbers, countryRule, SENDING);
}

/**
 * Looks at the list of a campaign with a date, which may leave by itself.
 *
 * @throws InputError where a contact's country isn't allowed
 * @throws StepFailed when it could not be looked at
 */
export async function checkCountries(
	listId: string,
	countryRule: CountryRule | undefined,
	client: Client,
): Promise<void> {
	if (countryRule === undefined) return;
	const numbers = await numbersOf(listId, CREATING, client);
	if (numbers === undefined) throw unseen('contacts of the list');
	await refuseForbidden(numbers, countryRule, CREATING);
}

/** Texts for a look that failed. */
interface Look {
	what: string;
	/** The operation that was not carried out, as a sentence. */
	undone: string;
	/** Advice beside that of the failure. */
	wayOut?: string;
}

const SENDING: Look = {
	what: 'The campaign could not be checked before sending',
	undone: 'It was not sent.',
};
const SEND_ANYWAY = "To send it anyway, turn on 'Send Without Checks' under Options.";
const CREATING: Look = {
	what: 'The contacts of the list could not be checked',
	undone: 'No campaign was created.',
};

/** The numbers of a list, empty for a contact without one. @returns undefined where there is no such endpoint */
async function numbersOf(listId: string, texts: Look, client: Client) {
	const get = { endpoint: CONTACTS, path: { listId } };
	const numbers = async () => (await client.getAll(get, readNumber, isMissingPath)).records;
	return await look(`contacts of ${listId}`, numbers, texts, client);
}

/**
 * Looks at something once for all items.
 *
 * @param key tells it apart from other looks
 * @returns undefined where there is no such endpoint
 */
async function look<T>(
	key: string,
	get: () => Promise<T>,
	{ what, undone, wayOut }: Look,
	client: Client,
): Promise<T | undefined> {
	return await client.together(`look at ${key}`, get).catch((error: unknown) => {
		if (!(error instanceof StepFailed)) throw error;
		if (isMissingPath(error.failure)) return undefined;
		const isNotFound = meaningOf(error.failure) === 'campaignNotFound';
		throw isNotFound
			? lookUpFailed(error, undefined, undone)
			: lookUpFailed(error, what, undone, wayOut);
	});
}

async function refuseForbidden(
	numbers: readonly string[],
	rule: CountryRule,
	{ undone }: Look,
): Promise<void> {
	const forbidden = new Tally();
	let why: InputError | undefined;
	await forEach(numbers, (number) => {
		const refused = rule(number);
		if (refused === undefined) return;
		why ??= refused;
		forbidden.add(number || 'one without a number');
	});
	if (why === undefined) return;
	throw new InputError(
		`'Allowed Countries' of the credential doesn't allow ${inWords(forbidden.contacts)} of ${counted(numbers.length, 'contact')} of the list: ${forbidden.describe()}`,
		`${undone} Delete these contacts from the list. ${why.description ?? ''}`,
	);
}

function unseen(what: string): InputError {
	return new InputError(
		`Your account can't show the ${what}, so the countries of its contacts can't be checked`,
		"With 'Allowed Countries' in the credential, nothing is sent without this check. To send the campaign, use a credential that allows all countries.",
	);
}

/** The state of a campaign (extended), empty where the answer has none. */
function readState(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(fields.state) ?? '').trim();
}

/** The list of a campaign (extended), empty where the record has none. */
function readListId(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(asObject(fields.sendList)?.id) ?? '');
}

/** The number of a contact, empty for one without. */
function readNumber(record: unknown): string | undefined {
	const fields = asObject(record);
	return fields && (asId(fields.identifier) ?? '');
}

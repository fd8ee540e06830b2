import type { ServiceRequest } from '../shared/http/request';
import type { Reader } from '../shared/http/failure';
import type { Client } from '../shared/run/client';
import { StepFailed } from '../shared/run/outcome';
import { inSlices } from '../shared/run/slices';
import type { CountryRule } from '../shared/service/allowedCountries';
import { asId, asObject } from '../shared/service/answers';
import { CAMPAIGN, CAMPAIGN_STATUS } from '../shared/service/campaigns';
import { CONTACTS } from '../shared/service/contacts';
import { isMissingPath, meaningOf } from '../shared/service/errorCodes';
import { InputError, show } from '../shared/service/InputError';
import { readCollection } from '../shared/service/records';
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
	const path = { campaignId };
	const fromCampaign = async <T>(endpoint: ServiceRequest['endpoint'], read: Reader<T>) =>
		await look({ endpoint, path }, read, SENDING, client);
	const state = sendAnyway ? undefined : await fromCampaign(CAMPAIGN_STATUS, readState);
	if (state !== undefined && LEFT.test(state)) {
		throw new InputError(
			`The campaign ${name} was sent before: its state is now ${show(state)}`,
			"Every contact of its list would get it again. If that is what you want, turn on 'Send Without Checks' under Options.",
		);
	}
	const listId = (await fromCampaign(CAMPAIGN, readListId)) || undefined;
	const numbers = listId && (await numbersOf(listId, SENDING, client));
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
	wayOut: "To send it anyway, turn on 'Send Without Checks' under Options.",
};
const CREATING: Look = {
	what: 'The contacts of the list could not be checked',
	undone: 'No campaign was created.',
};

async function numbersOf(listId: string, texts: Look, client: Client) {
	return await look({ endpoint: CONTACTS, path: { listId } }, readNumbers, texts, client);
}

/** A GET, made once for all items. @returns undefined where there is no such endpoint */
async function look<T>(
	request: ServiceRequest,
	read: Reader<T>,
	{ what, undone, wayOut }: Look,
	client: Client,
): Promise<T | undefined> {
	return await client.once(request, read, isMissingPath).catch((error: unknown) => {
		if (error instanceof StepFailed && isMissingPath(error.failure)) return undefined;
		if (error instanceof StepFailed && meaningOf(error.failure) === 'campaignNotFound') {
			throw lookUpFailed(error, undefined, undone);
		}
		throw lookUpFailed(error, what, undone, wayOut);
	});
}

async function refuseForbidden(
	numbers: readonly string[],
	rule: CountryRule,
	{ undone }: Look,
): Promise<void> {
	const forbidden = new Tally();
	let why: InputError | undefined;
	await inSlices(numbers, (number) => {
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

/** The numbers of a list, empty for a contact without one. */
function readNumbers(body: unknown): string[] | undefined {
	return readCollection(body, (record) => {
		const fields = asObject(record);
		return fields && (asId(fields.identifier) ?? '');
	});
}

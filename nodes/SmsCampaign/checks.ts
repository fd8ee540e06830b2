import type { IDataObject } from 'n8n-workflow';
import { creditsLeft, tooFewCredits } from '../shared/credits';
import { getListedNumbers } from '../shared/numbers';
import {
	describeClock,
	HOURS_ARE,
	otherClocks,
	type Schedule,
} from '../shared/fields/allowedHours';
import { collectionOf } from '../shared/http/collectionOf';
import type { Reader } from '../shared/http/failure';
import type { Client } from '../shared/run/client';
import { ignoring } from '../shared/run/outcome';
import { forEach } from '../shared/chunks';
import type { CountryRule } from '../shared/service/allowedCountries';
import { asId, asObject, readNumbers } from '../shared/service/answers';
import { BLACKLISTS } from '../shared/service/blacklists';
import { CAMPAIGN, CAMPAIGN_STATUS, CAMPAIGN_TIMES } from '../shared/service/campaigns';
import { showDate } from '../shared/service/date';
import { countOf, inWords, listOf } from '../shared/service/countOf';
import type { Endpoint, PathValues } from '../shared/service/endpoint';
import { CONTACTS } from '../shared/service/contacts';
import { isMissingPath } from '../shared/service/errorCodes';
import { InputError, show } from '../shared/service/InputError';
import { canonicalNumber } from '../shared/service/number';
import { LIST, readColumns, RICH_MESSAGE } from '../shared/service/lists';
import { lookUpFailed, type WrittenCampaign } from './campaign';
import { canBeTexted, findGaps } from './forecast';
import { columnsFor, tokensIn, written } from './tokens';

/**
 * States of a campaign that has left or is leaving. The states are not shown (interface document 3); SENT is in a public
 * sample, the others are what services call the same.
 */
export const LEFT = /^(sent|sending|in[ _-]?progress|finished|done|completed|ended|terminated)$/i;
/** States of a campaign that has certainly not been sent: any other one may mean that it was. */
export const NOT_YET = /^(created|draft|new)$/i;
/** States of one that nobody has sent, or that waits for its date. Where it has no state, nothing can be checked. */
const WAITS = /^(|created|draft|new|unsent|scheduled|planned)$/i;

const SEND_ANYWAY =
	"To send it anyway, turn on 'Send Without Checks' under Options, and off afterwards: it also lets a campaign be sent twice.";

interface Campaign {
	path: { campaignId: string };
	/** Its name or ID. */
	subject: string;
	/** Of a test to one number. */
	body: IDataObject | undefined;
	/** 'Send Without Checks': also one that was sent before, whose list is empty, or that the credits don't suffice for. */
	sendAnyway: boolean;
	/** 'Refuse Empty Fields': nobody gets a message with a gap. */
	refusesGaps: boolean;
	/** Somebody reads hints, such as in the editor. */
	isWatched: boolean;
	schedule: Schedule;
	countryRule: CountryRule | undefined;
}

/**
 * Looks at a campaign before it is sent. It is refused when it was sent before, when its list is empty, when the credits
 * don't suffice for it, when a contact's country isn't allowed, and by 'Refuse Empty Fields'. Where the account can't
 * look at campaigns, only the last two refuse it.
 *
 * @throws InputError when it is refused
 * @throws StepFailed when it could not be looked at
 */
export async function checkCampaign(campaign: Campaign, client: Client): Promise<void> {
	const { path, body, subject: name, sendAnyway, refusesGaps, isWatched, countryRule } = campaign;
	if (sendAnyway && !refusesGaps && countryRule === undefined) return;
	const undone = 'It was not sent.';
	const failed = lookUpFailed(
		'The campaign could not be checked before sending',
		undone,
		// 'Send Without Checks' is no way round 'Allowed Countries' and 'Refuse Empty Fields'.
		countryRule === undefined && !refusesGaps ? SEND_ANYWAY : '',
	);
	const state = sendAnyway ? undefined : await stateOf(path, client).catch(failed);
	if (state !== undefined && LEFT.test(state)) {
		throw new InputError(
			`The campaign ${name} was sent before: its state is now ${show(state)}`,
			"Every contact of its list would get it again. If that is what you want, turn on 'Send Without Checks' under Options.",
		);
	}
	if (state !== undefined && !WAITS.test(state)) {
		throw new InputError(
			`The state of the campaign ${name}, ${show(state)}, doesn't tell whether it was sent`,
			`${undone} Look at it in your account. If nobody got it, turn on 'Send Without Checks' under Options, and off afterwards.`,
		);
	}
	const shown = await ask(CAMPAIGN, readShown, path, client).catch(failed);
	const listId = shown?.listId;
	const numbers = listId ? await numbersOf(listId, client).catch(failed) : undefined;
	if (numbers?.length === 0 && !sendAnyway) {
		throw new InputError(
			`The list of the campaign ${name} is empty`,
			'No one would get it. Add contacts to the list first.',
		);
	}
	await refuseForbidden(numbers, countryRule, undone);
	const { timeZone } = campaign.schedule;
	if (shown?.date !== undefined && shown.date > Date.now())
		client.warn(
			`The campaign ${name} has a date, ${showDate(shown.date, timeZone)} (${timeZone}): the service may send it only then.`,
		);
	if (numbers !== undefined && body === undefined && !sendAnyway)
		await requireCredits(name, numbers, client, failed);
	if (isWatched) warnOfClock(campaign.schedule, numbers ?? [], client);
	if (!refusesGaps && !isWatched) return;
	const gaps = await gapsOf(shown, client).catch(refusesGaps ? failed : ignoring());
	if (!refusesGaps) {
		for (const gap of gaps ?? []) client.warn(gap);
	} else if (gaps === undefined) {
		throw new InputError(
			"Your account can't show the campaign, so 'Refuse Empty Fields' can't be checked",
			`${undone} Turn 'Refuse Empty Fields' off under Options to send it anyway.`,
		);
	} else if (gaps.length > 0) {
		throw new InputError(
			gaps.join(' ').replace(/\.$/, ''),
			`${undone} Give these contacts a value, add the column, or create another campaign. To send it with gaps, turn 'Refuse Empty Fields' off under Options.`,
		);
	}
}

/** @returns undefined where the account doesn't show the message and the list of the campaign */
async function gapsOf(
	{ listId = '', message }: Partial<Shown> = {},
	client: Client,
): Promise<string[] | undefined> {
	if (listId === '' || message === undefined) return undefined;
	const all = [...tokensIn(message)].filter((token) => token !== RICH_MESSAGE);
	if (all.length === 0) return [];
	const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
	const tokens = all.filter((token) => columnsFor(token, columns).length > 0);
	// A column may have been deleted since the campaign was created.
	const lost = all.filter((token) => !tokens.includes(token)).map(written);
	const gaps = tokens.length === 0 ? [] : await findGaps({ listId, tokens, columns }, client);
	return [...lost.map((token) => `The list has no column for ${token}.`), ...gaps];
}

/** @returns the state of a campaign (extended), empty where it has none, undefined where the account doesn't show it */
export async function stateOf(path: Campaign['path'], client: Client): Promise<string | undefined> {
	return await ask(CAMPAIGN_STATUS, readState, path, client);
}

/** A GET that is made once in a run. @returns undefined where the account has no such endpoint */
async function ask<T>(
	endpoint: Endpoint,
	read: Reader<T>,
	path: PathValues,
	client: Client,
): Promise<T | undefined> {
	const get = { endpoint, path };
	const answer = async () =>
		await client.get(get, read, isMissingPath).catch(ignoring(isMissingPath));
	return await client.cached(`shown ${JSON.stringify(get)}`, answer);
}

/**
 * Looks at the list of a campaign with a date, which may leave by itself.
 *
 * @throws InputError where a contact's country isn't allowed
 * @throws StepFailed when it could not be looked at
 */
export async function checkCountries(
	{ listId, countryRule }: Pick<WrittenCampaign, 'listId' | 'countryRule'>,
	client: Client,
): Promise<void> {
	if (countryRule === undefined) return;
	const undone = 'No campaign was created.';
	const numbers = await numbersOf(listId, client).catch(
		lookUpFailed('The contacts of the list could not be checked', undone),
	);
	await refuseForbidden(numbers, countryRule, undone);
}

/**
 * Refuses a campaign that would run out of credits on its way: nothing tells who would have got it.
 *
 * @throws StepFailed
 */
async function requireCredits(
	name: string,
	numbers: readonly string[],
	client: Client,
	failed: (error: unknown) => never,
): Promise<void> {
	const credits = await creditsLeft(client);
	if (credits === undefined || numbers.length <= credits) return;
	const recipients = new Set<string>();
	await forEach(numbers, (number) => {
		if (canBeTexted(number)) recipients.add(canonicalNumber(number));
	});
	for (const blacklist of BLACKLISTS) {
		const listed = await getListedNumbers(blacklist, client).catch(failed);
		for (const number of listed) recipients.delete(number);
	}
	const { size } = recipients;
	if (size <= credits) return;
	throw tooFewCredits(
		credits,
		`the campaign ${name} to ${countOf(size, 'contact')} needs at least ${inWords(size)}`,
		`: if they run out while it is sent, nothing tells who got it. ${SEND_ANYWAY}`,
	);
}

/** Contacts that show whether a list is on the workflow's clocks. */
const SAMPLE = 20;

function warnOfClock(schedule: Schedule, numbers: readonly string[], client: Client): void {
	const found = numbers
		.slice(0, SAMPLE)
		.map((number) => otherClocks(schedule, canonicalNumber(number)).hours);
	const isOnNone = found.every(({ length }) => length > 0);
	if (isOnNone && found.length > 0) client.warn(describeClock(HOURS_ARE, found[0][0]));
}

/** Contacts that are named in an error. */
const NAMED = 5;

/** The numbers of a list, empty for a contact without one. @returns undefined where there is no such endpoint */
async function numbersOf(listId: string, client: Client): Promise<string[] | undefined> {
	return (await ask(CONTACTS, collectionOf(readNumber), { listId }, client))?.records;
}

async function refuseForbidden(
	numbers: readonly string[] | undefined,
	rule: CountryRule | undefined,
	undone: string,
): Promise<void> {
	if (rule === undefined) return;
	if (numbers === undefined) {
		throw new InputError(
			"Your account can't show the contacts of the campaign's list, so their countries can't be checked",
			"With 'Allowed Countries' in the credential, nothing is sent without this check. To send the campaign, use a credential that allows all countries.",
		);
	}
	const forbidden: string[] = [];
	let why: InputError | undefined;
	await forEach(numbers, (number) => {
		const refused = rule(number);
		if (refused === undefined) return;
		why ??= refused;
		forbidden.push(number || 'one without a number');
	});
	if (why === undefined) return;
	throw new InputError(
		`'Allowed Countries' of the credential doesn't allow ${inWords(forbidden.length)} of ${countOf(numbers.length, 'contact')} of the list: ${listOf(forbidden, NAMED)}`,
		`${undone} Delete these contacts from the list. ${why.description ?? ''}`,
	);
}

/** The state of a campaign (extended), empty where the answer has none. */
function readState(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(fields.state) ?? '').trim();
}

/** A campaign as the account shows it (extended). */
interface Shown {
	/** Empty where the record has none. */
	listId: string;
	message?: string;
	/** Milliseconds. */
	date?: number;
}

function readShown(body: unknown): Shown | undefined {
	const fields = asObject(body);
	if (fields === undefined) return undefined;
	const { date } = readNumbers(fields, CAMPAIGN_TIMES) ?? {};
	const listId = asId(asObject(fields.sendList)?.id) ?? '';
	const { message } = fields;
	return { listId, date, ...(typeof message === 'string' ? { message } : {}) };
}

/** The number of a contact, empty for one without. */
function readNumber(record: unknown): string | undefined {
	const fields = asObject(record);
	return fields && (asId(fields.identifier) ?? '');
}

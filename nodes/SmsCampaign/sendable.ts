import type { ServiceRequest } from '../shared/http/request';
import { StepFailed } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { asId, asObject } from '../shared/service/answers';
import { CAMPAIGN, CAMPAIGN_STATUS } from '../shared/service/campaigns';
import { CONTACTS, readAddressee } from '../shared/service/contacts';
import { isMissingPath, meaningOf } from '../shared/service/errorCodes';
import { InputError, show } from '../shared/service/InputError';
import { lookUpFailed } from './campaign';

/**
 * States that say that a campaign has left or is leaving. The states are not shown (interface document
 * 3); SENT is in a public sample, the others are what services call the same.
 */
const LEFT = /^(sent|sending|in[ _-]?progress|finished|done|completed|ended|terminated)$/i;

/**
 * Looks at a campaign before it is sent: it is refused when it was sent before, or when its list is empty.
 * Where the account has no endpoint to look at it, or the record names no list, nothing is known and it is
 * not refused.
 *
 * @param name what the form calls it
 * @throws InputError when it is refused
 * @throws StepFailed when it could not be looked at
 */
export async function refuseSentOrEmpty(
	campaignId: string,
	name: string,
	client: Client,
): Promise<void> {
	const path = { campaignId };
	const saying = BEFORE_SENDING;
	const state = await look(
		{ endpoint: CAMPAIGN_STATUS, path },
		async (get, expected) => await client.get(get, readState, expected),
		client,
		saying,
	);
	if (state !== undefined && LEFT.test(state)) {
		throw new InputError(
			`The campaign ${name} was sent before: its state is now ${show(state)}`,
			"Every contact of its list would get it again. If that is what you want, turn on 'Send Without Checks' under Options.",
		);
	}
	const listId = await listOfCampaign(campaignId, client, saying);
	if (listId === undefined || listId === '') return;
	const contacts = await contactsOf(listId, client, saying);
	if (contacts?.length === 0) {
		throw new InputError(
			`The list of the campaign ${name} is empty`,
			'No one would get it. Add contacts to the list first.',
		);
	}
}

/** What to say of a look that failed. */
export interface Look {
	/** What could not be looked at. */
	what: string;
	/** What was not done then, as a sentence. */
	undone: string;
	/** What a user can do, beside what the failure advises. */
	wayOut?: string;
}

const BEFORE_SENDING: Look = {
	what: 'The campaign could not be checked before sending',
	undone: 'It was not sent.',
	wayOut: "To send it anyway, turn on 'Send Without Checks' under Options.",
};

/**
 * @returns empty where the record names none, undefined where there is no such endpoint
 * @throws StepFailed
 */
export async function listOfCampaign(campaignId: string, client: Client, saying: Look) {
	return await look(
		{ endpoint: CAMPAIGN, path: { campaignId } },
		async (get, expected) => await client.get(get, readListOf, expected),
		client,
		saying,
	);
}

/**
 * @returns undefined where there is no such endpoint
 * @throws StepFailed
 */
export async function contactsOf(listId: string, client: Client, saying: Look) {
	return await look(
		{ endpoint: CONTACTS, path: { listId } },
		async (get, expected) => (await client.getAll(get, readIdentifier, expected)).records,
		client,
		saying,
	);
}

/** @returns undefined where there is no such endpoint */
async function look<T>(
	get: ServiceRequest,
	make: (get: ServiceRequest, expected: typeof isMissingPath) => Promise<T>,
	client: Client,
	{ what, undone, wayOut }: Look,
) {
	return await client.together(`look ${JSON.stringify(get)}`, async () => {
		return await make(get, isMissingPath).catch((error: unknown) => {
			if (error instanceof StepFailed && isMissingPath(error.failure)) return undefined;
			if (error instanceof StepFailed && meaningOf(error.failure) === 'campaignNotFound') {
				throw lookUpFailed(error, undefined, undone);
			}
			throw lookUpFailed(error, what, undone, wayOut);
		});
	});
}

/** The state of a campaign (extended), empty where the answer has none. */
function readState(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(fields.state) ?? '').trim();
}

/** A contact with its number alone: a list may be large. */
function readIdentifier(record: unknown): { identifier?: string } | undefined {
	const contact = readAddressee(record);
	return contact && { identifier: contact.identifier };
}

/** The list of a campaign (extended), empty where the record has none. */
function readListOf(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(asObject(fields.sendList)?.id) ?? '');
}

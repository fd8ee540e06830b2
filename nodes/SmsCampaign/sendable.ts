import type { Failure, Reader } from '../shared/http/failure';
import { notBegun, StepFailed } from '../shared/run/outcome';
import type { Requests } from '../shared/run/Requests';
import { asId, asObject } from '../shared/service/answers';
import { campaignPath } from '../shared/service/campaigns';
import { contactsPath, readContacts } from '../shared/service/contacts';
import { isMissingPath } from '../shared/service/errorCodes';
import { InputError, show } from '../shared/service/InputError';

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
 * @throws InputError when it is refused
 * @throws StepFailed when it could not be looked at
 */
export async function refuseSentOrEmpty(campaignId: string, requests: Requests): Promise<void> {
	const state = await look(`${campaignPath(campaignId)}/status`, readState, requests);
	if (state !== undefined && LEFT.test(state)) {
		throw new InputError(
			`The campaign ${campaignId} was sent before: its state is ${show(state)}`,
			"Everybody on its list would get it again. If that is what you want, turn on 'Send Anyway' under Options.",
		);
	}
	const listId = await look(campaignPath(campaignId), readListOf, requests);
	if (listId === undefined || listId === '') return;
	const contacts = await look(contactsPath(listId), readContacts, requests);
	if (contacts?.length === 0) {
		throw new InputError(
			`The list of the campaign ${campaignId} is empty`,
			"Nobody would get it. Add contacts to the list, or turn on 'Send Anyway' under Options.",
		);
	}
}

/** @returns undefined where there is no such endpoint */
async function look<T>(url: string, read: Reader<T>, requests: Requests) {
	const key = `look ${url}`;
	return await requests.together(key, async () => {
		return await requests.get({ url }, read, isMissingPath).catch((error: unknown) => {
			if (!(error instanceof StepFailed)) throw error;
			if (isMissingPath(error.failure)) return undefined;
			throw lookFailed(error.failure);
		});
	});
}

function lookFailed(failure: Failure): StepFailed {
	const { message, advice } = failure;
	return new StepFailed({
		...notBegun(failure),
		message: `The campaign could not be looked at before sending: ${message}`,
		advice: `It was not sent. ${advice} To send it without a look, turn on 'Send Anyway' under Options.`,
	});
}

/** The state of a campaign (extended), empty where the answer has none. */
function readState(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(fields.state) ?? '').trim();
}

/** The list of a campaign (extended), empty where the record has none. */
function readListOf(body: unknown): string | undefined {
	const fields = asObject(body);
	return fields && (asId(asObject(fields.sendList)?.id) ?? '');
}

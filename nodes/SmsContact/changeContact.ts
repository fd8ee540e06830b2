import type { IDataObject } from 'n8n-workflow';
import { eachSpelling } from '../shared/run/bySpelling';
import type { Client, Deletion } from '../shared/run/client';
import { invalid, StepFailed, type Failed } from '../shared/run/outcome';
import type { Fields } from '../shared/service/answers';
import {
	ADD_CONTACT,
	contactBody,
	DELETE_BY_ID,
	DELETE_BY_NUMBER,
	type Contact,
} from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import type { Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { readCreated, readNothing, type Collection } from '../shared/service/records';
import { namedBy } from './attributes';
import type { Difference } from './difference';

/** Step under which the values of a contact are kept that is about to be deleted. */
const VALUES = 'values';

/** A contact of a list that is to be changed. */
export interface Changing {
	listId: string;
	identifier: string;
	columns: readonly Column[];
	/** The new values by column ID; the empty text clears one. */
	attributes: Fields;
}

/**
 * Makes a contact as it is to be. The service has no request that changes one: it is deleted and added again (interface
 * document 4.5). Where the service refuses the new values, the old ones are added back, once.
 *
 * @returns the contact as the list has it then
 * @throws StepFailed with its values where it is missing now, or may be
 */
export async function changeContact(
	{ listId, identifier, columns, attributes: wanted }: Changing,
	{ outdated, kept, attributes, restored }: Difference,
	client: Client,
): Promise<Contact> {
	const isReplaced = outdated.length > 0 && kept === undefined;
	// An earlier try may have deleted it, and not added it again.
	const earlier = isReplaced ? undefined : client.recall(VALUES);
	const values = earlier === undefined ? attributes : { ...earlier, ...wanted };
	const old = isReplaced ? restored : earlier;
	const named = namedBy(columns);
	const number = canonicalNumber(identifier);
	const details = {
		...{ number, listId },
		...{ attributes: named(values), previous: named(old ?? {}) },
	};
	const had = describeValues(named(old ?? {}));
	if (isReplaced) client.remember(VALUES, restored as IDataObject);
	try {
		for (const contact of outdated) await deleteContact(listId, contact, client);
	} catch (error) {
		throw explained(error, `It may have been deleted. ${had}`, details);
	}
	if (kept !== undefined) return kept;
	const add = async (given: Fields, step: string) =>
		await client.change<IDataObject>(
			{
				endpoint: ADD_CONTACT,
				path: { listId },
				body: contactBody(identifier, given),
				// The list was read: a receipt of an earlier try says less.
				step: `${step} ${Date.now()}`,
				evenIfStopped: old === undefined ? undefined : 'always',
			},
			readCreated,
		);
	try {
		const { id } = await add(values, 'add');
		return { id: String(id), identifier, attributes: values };
	} catch (error) {
		const isRefused = error instanceof StepFailed && error.failure.status !== 'unknown';
		if (old === undefined || !isRefused) {
			const what = 'It was deleted, and may not have been added again.';
			throw explained(error, old === undefined ? '' : `${what} ${had}`, old && details);
		}
		const isBack = await add(old, 'restore').catch(() => undefined);
		if (isBack !== undefined)
			throw error.after('The contact has its old values, and a new ID.', {});
		const { failure } = error.after(
			`It was deleted, and could not be added again. ${had}`,
			details,
		);
		// No further contact is to be deleted.
		throw client.refuse({ ...failure, general: true, transient: false });
	}
}

/** Deletes a contact by its ID, so that nobody else is: the number may have been added anew meanwhile. */
export async function deleteContact(
	listId: string,
	{ id, identifier = '' }: Contact,
	client: Client,
): Promise<void> {
	const deletion: Deletion =
		id === undefined
			? {
					endpoint: DELETE_BY_NUMBER.contacts,
					path: { listId },
					search: eachSpelling(identifier, Object.values(DELETE_BY_NUMBER)),
				}
			: { endpoint: DELETE_BY_ID, path: { listId, contactId: id } };
	const step = `remove ${id ?? identifier}`;
	await client.delete({ ...deletion, step, evenIfStopped: 'onceSent' }, readNothing);
}

/** Why nothing can be changed in a list: contacts without a readable number could be anyone. */
export function unreadContacts({ leftOut, records }: Collection<Contact>): Failed | undefined {
	const isReadable = records.length === 0 || records.some(({ identifier }) => identifier);
	const unread = isReadable ? leftOut : leftOut + records.length;
	if (unread === 0) return undefined;
	return {
		status: 'notSent',
		message: `${countOf(unread, 'contact')} of the list can't be read`,
		advice: 'Nothing is changed, because somebody could be added twice. Please report this to the maintainers of the node.',
		transient: false,
		general: true,
	};
}

/** The failure of a contact that can't be deleted, because it has a value that it can't be added with again. */
export function unchangeable(problem: Error): Failed {
	const { message, advice } = invalid(problem);
	return { status: 'notSent', message, advice, transient: false, general: false };
}

/** The same failure, with the number that it is about. */
export function namedFailure({ identifier }: Changing, failure: Failed): Failed {
	if (failure.isNotStarted) return failure;
	return { ...failure, message: `${canonicalNumber(identifier)}: ${failure.message}` };
}

function describeValues(values: IDataObject): string {
	const pairs = Object.entries(values).map(([name, value]) => `${name}: ${String(value)}`);
	return pairs.length === 0 ? 'It had no values.' : `It had these values: ${pairs.join(', ')}.`;
}

/** The same failure, where it is unknown, with the values of the contact. */
function explained(error: unknown, advice: string, details?: IDataObject): unknown {
	const isUnknown = error instanceof StepFailed && error.failure.status === 'unknown';
	return isUnknown && details ? error.after(advice, details) : error;
}

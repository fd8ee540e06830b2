import { eachSpelling } from '../shared/run/bySpelling';
import { whenGone } from '../shared/run/changes';
import type { Attempted, Failed } from '../shared/run/outcome';
import type { FindOut, Place } from '../shared/run/Place';
import type { Fields } from '../shared/service/answers';
import {
	ADD_CONTACT,
	contactBody,
	DELETE_BY_ID,
	DELETE_BY_NUMBER,
	type Contact,
} from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { readCreated, readNothing, type Collection } from '../shared/service/records';

/** A contact that was added. */
export interface Added {
	id?: string;
	/** Without some of its values. */
	isCut?: boolean;
}

/** Why a list says nothing of who isn't in it: some of its contacts may be anybody, or all of them. */
export function unreadOf({ leftOut, records }: Collection<Contact>): Failed | undefined {
	const isReadable = records.length === 0 || records.some(({ identifier }) => identifier);
	const unread = isReadable ? leftOut : leftOut + records.length;
	if (unread === 0) return undefined;
	return {
		status: 'notSent',
		message: `${countOf(unread, 'contact')} of the list can't be read`,
		advice: 'The list is left as it is, because somebody could be added twice. Please report this to the maintainers of the node.',
		transient: false,
		general: true,
	};
}

/** The columns of a list, read in a place at the gate. */
export async function columnsOf(listId: string, place: Place): Promise<Attempted<Column[]>> {
	const request = { endpoint: LIST, path: { listId } };
	return await place.repeat(async () => await place.request(request, readColumns));
}

/** Deletes a contact, and once more while its answer is lost. What isn't there any more counts as deleted. */
export async function deleteIt(
	listId: string,
	contact: Contact,
	place: Place,
	onLost: () => void = () => {},
): Promise<Attempted> {
	const once = async (): Promise<Attempted> => {
		const result = await deleteOne(listId, contact, place);
		if ('value' in result || result.status !== 'unknown') return result;
		onLost();
		// It does no harm when it is repeated, and one that is left open may have taken somebody off the list.
		return { ...result, transient: true };
	};
	return await place.repeat(once, { comesTo: whenGone() });
}

/** By its ID, so that nobody else is: a number may have been added anew meanwhile. */
async function deleteOne(
	listId: string,
	{ id, identifier = '' }: Contact,
	place: Place,
): Promise<Attempted> {
	if (id !== undefined) {
		const path = { listId, contactId: id };
		return await place.request({ endpoint: DELETE_BY_ID, path }, readNothing);
	}
	const request = { endpoint: DELETE_BY_NUMBER.contacts, path: { listId } };
	const search = eachSpelling(identifier, Object.values(DELETE_BY_NUMBER));
	return await search(
		async (address) => await place.request({ ...request, ...address }, readNothing),
	);
}

/** Adds a contact; again after a failure that may pass, where it is known what became of it. It leaves no receipt. */
export async function addSurely(
	place: Place,
	{ listId, identifier, attributes }: { listId: string; identifier: string; attributes: Fields },
	findOut: FindOut<Added>,
): Promise<Attempted<Added>> {
	const body = contactBody(identifier, attributes);
	const request = { endpoint: ADD_CONTACT, path: { listId }, body };
	const once = async (): Promise<Attempted<Added>> => {
		const added = await place.request(request, readCreated);
		const isLost = !('value' in added) && added.status === 'unknown';
		return isLost ? await findOut(added) : added;
	};
	return await place.repeat(once, { isSending: true });
}

import type { IDataObject } from 'n8n-workflow';
import { eachSpelling } from '../shared/numbers';
import type { Client, Deletion } from '../shared/run/client';
import { StepFailed } from '../shared/run/outcome';
import type { Fields } from '../shared/service/answers';
import { isAlreadyThere } from '../shared/service/errorCodes';
import {
	ADD_CONTACT,
	contactBody,
	DELETE_BY_ID,
	DELETE_BY_NUMBER,
	type Contact,
} from '../shared/service/contacts';
import { readCreated, readNothing } from '../shared/service/records';
import { withoutEmpty, type Difference } from './difference';
import type { ListContents } from './readList';
import type { Row } from './row';

/** Step under which the values of a contact are kept that is about to be deleted. */
const VALUES = 'values';

/**
 * Makes a contact as it is to be. The service has no request that changes one: it is deleted and added again (interface
 * document 4.5). Where the service refuses the new values, the old ones are added back, once.
 *
 * @returns the contact as the list has it then
 * @throws StepFailed with its values where it is missing now, or may be
 */
export async function changeContact(
	{ listId, number, attributes }: Row,
	{ outdated, kept, old }: Difference,
	{ named }: ListContents,
	client: Client,
): Promise<Contact> {
	if (outdated.length > 0 && kept === undefined) client.keep(VALUES, old as IDataObject);
	// An earlier try may have deleted it, and not added it again.
	const before = kept === undefined ? client.kept(VALUES) : undefined;
	const wanted = withoutEmpty({ ...before, ...attributes });
	/** The error of a contact that is not in the list now, or may not be. */
	const missing = (error: unknown, what: string) => {
		if (before === undefined || !(error instanceof StepFailed)) return error;
		const previous = named(before);
		const values = { number, listId, attributes: named(wanted), previous };
		return error.after(`${what} ${describeValues(previous)}`, values);
	};
	for (const [at, contact] of outdated.entries()) {
		try {
			await removeContact(listId, contact, client, at > 0);
		} catch (error) {
			throw at === 0 && isCertain(error)
				? error
				: missing(error, 'It may have been deleted.');
		}
	}
	if (kept !== undefined) return kept;
	const add = async (given: Fields, step: string) =>
		await client.change<IDataObject>(
			{
				endpoint: ADD_CONTACT,
				path: { listId },
				body: contactBody(number, given),
				// The list was read: a receipt of an earlier try says less.
				step: `${step} ${Date.now()}`,
				evenIfStopped: before === undefined ? undefined : 'always',
			},
			readCreated,
		);
	try {
		const { id } = await add(wanted, 'add');
		return { id: String(id), identifier: number, attributes: wanted };
	} catch (error) {
		if (isThere(error)) throw addedMeanwhile(error);
		if (before === undefined || !isCertain(error))
			throw missing(error, 'It was deleted, and may not have been added again.');
		const isBack = await add(before, 'restore').catch(() => undefined);
		if (isBack !== undefined)
			throw error.after('The contact has its old values, and a new ID.', {});
		const lost = missing(error, 'It was deleted, and could not be added again.') as StepFailed;
		// No further contact is to be deleted.
		throw client.refuse({ ...lost.failure, concernsAll: true, transient: false });
	}
}

function isThere(error: unknown): error is StepFailed {
	return error instanceof StepFailed && isAlreadyThere(error.failure);
}

/** The list, as it was read before, did not have it. */
function addedMeanwhile({ failure }: StepFailed): StepFailed {
	const advice =
		'Somebody else has added or changed this contact at the same moment, so the list has it, perhaps with other values. Run this item again.';
	return new StepFailed({ ...failure, advice });
}

/** True where it is certain that nothing was done. */
function isCertain(error: unknown): error is StepFailed {
	return error instanceof StepFailed && error.failure.status !== 'unknown';
}

/** @param isBegun it completes an earlier step */
export async function removeContact(
	listId: string,
	contact: Pick<Contact, 'id' | 'identifier'>,
	client: Client,
	isBegun = false,
): Promise<void> {
	const step = `remove ${contact.id ?? contact.identifier}`;
	const evenIfStopped = isBegun ? 'always' : 'onceSent';
	await client.delete({ ...deletionOf(listId, contact), step, evenIfStopped }, readNothing);
}

/** The deletion of a contact, by its ID where that is known: its number may have been added anew meanwhile. */
export function deletionOf(
	listId: string,
	{ id, identifier = '' }: Pick<Contact, 'id' | 'identifier'>,
): Deletion {
	if (id !== undefined) return { endpoint: DELETE_BY_ID, path: { listId, contactId: id } };
	const search = eachSpelling(identifier, Object.values(DELETE_BY_NUMBER));
	return { endpoint: DELETE_BY_NUMBER.contacts, path: { listId }, search };
}

function describeValues(values: IDataObject): string {
	const pairs = Object.entries(values).map(([name, value]) => `${name}: ${String(value)}`);
	return pairs.length === 0 ? 'It had no values.' : `It had these values: ${pairs.join(', ')}.`;
}

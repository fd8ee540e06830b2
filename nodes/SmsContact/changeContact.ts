import type { IDataObject } from 'n8n-workflow';
import { eachSpelling } from '../shared/numbers';
import type { Client, Deletion } from '../shared/run/client';
import { StepFailed } from '../shared/run/outcome';
import type { Fields } from '../shared/service/answers';
import {
	ADD_CONTACT,
	contactBody,
	DELETE_BY_ID,
	DELETE_BY_NUMBER,
	type Contact,
} from '../shared/service/contacts';
import type { Column } from '../shared/service/lists';
import { readCreated, readNothing } from '../shared/service/records';
import { namedBy } from './attributes';
import { withoutEmpty, type Difference } from './difference';
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
	{ listId, identifier, number, attributes }: Row,
	{ outdated, kept, old }: Difference,
	columns: readonly Column[],
	client: Client,
): Promise<Contact> {
	const isReplaced = outdated.length > 0 && kept === undefined;
	if (isReplaced) client.remember(VALUES, old as IDataObject);
	// An earlier try may have deleted it, and not added it again.
	const before = kept === undefined ? client.recall(VALUES) : undefined;
	const wanted = withoutEmpty({ ...before, ...attributes });
	const named = namedBy(columns);
	const previous = named(before ?? {});
	const details = { number, listId, attributes: named(wanted), previous };
	const explained = (error: unknown, what: string) =>
		error instanceof StepFailed
			? error.after(`${what} ${describeValues(previous)}`, details)
			: error;
	let deleted = 0;
	try {
		for (const contact of outdated) {
			await deleteContact(listId, contact, client, deleted > 0);
			deleted++;
		}
	} catch (error) {
		const what =
			deleted > 0
				? 'Some of several contacts with this number were deleted.'
				: 'It may have been deleted.';
		const isSafe = kept !== undefined || (deleted === 0 && isCertain(error));
		throw isSafe ? error : explained(error, what);
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
				evenIfStopped: before === undefined ? undefined : 'always',
			},
			readCreated,
		);
	try {
		const { id } = await add(wanted, 'add');
		return { id: String(id), identifier, attributes: wanted };
	} catch (error) {
		if (before === undefined || !isCertain(error)) {
			const what = 'It was deleted, and may not have been added again.';
			throw before === undefined ? error : explained(error, what);
		}
		const isBack = await add(before, 'restore').catch(() => undefined);
		if (isBack !== undefined)
			throw error.after('The contact has its old values, and a new ID.', {});
		const { failure } = explained(
			error,
			'It was deleted, and could not be added again.',
		) as StepFailed;
		// No further contact is to be deleted.
		throw client.refuse({ ...failure, general: true, transient: false });
	}
}

/** Whether it is known that nothing was done. */
function isCertain(error: unknown): error is StepFailed {
	return error instanceof StepFailed && error.failure.status !== 'unknown';
}

/**
 * Deletes a contact by its ID, so that nobody else is: the number may have been added anew meanwhile.
 *
 * @param isBegun it completes an earlier step
 */
export async function deleteContact(
	listId: string,
	{ id, identifier = '' }: Contact,
	client: Client,
	isBegun = false,
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
	const evenIfStopped = isBegun ? 'always' : 'onceSent';
	await client.delete({ ...deletion, step, evenIfStopped }, readNothing);
}

function describeValues(values: IDataObject): string {
	const pairs = Object.entries(values).map(([name, value]) => `${name}: ${String(value)}`);
	return pairs.length === 0 ? 'It had no values.' : `It had these values: ${pairs.join(', ')}.`;
}

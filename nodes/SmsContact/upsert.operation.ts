import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { whenThere } from '../shared/run/alreadyThere';
import { eachSpelling } from '../shared/run/bySpelling';
import { defineOperation } from '../shared/run/define';
import { StepFailed } from '../shared/run/outcome';
import type { Requests } from '../shared/run/Requests';
import { DELETE_BY_NUMBER } from '../shared/service/contacts';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import {
	ADDING,
	contactFields,
	contactSettings,
	post,
	readContact,
	withColumns,
	type NewContact,
} from './newContact';

/** With its object, like all others; n8n's lint knows it as "Create or Update", below a resource. */
const NAME = 'Create or Update Contact';

/** What "update" can't mean with this service: it has no call that changes a contact. */
const replacesAll: INodeProperties = {
	displayName:
		'A contact that exists is replaced: columns that you leave empty lose their values, and the contact gets a new ID',
	name: 'replacesAll',
	type: 'notice',
	default: '',
};

/** A contact is added, in the place of the one with its number (interface document 4.5). */
export const upsert = defineOperation({
	...ADDING,
	name: NAME,
	value: 'upsert',
	action: 'Create or update contact in list',
	description: 'Create a new record, or update the current one if it already exists (upsert)',
	builderHint:
		"Use to change the values of a contact, such as a first name, or to add it if it isn't there yet.",
	fields: [...contactFields, replacesAll, ...contactSettings],
	deed: 'written',
	columns: ['number', 'replaced'],
	prepare: readContact,
	check: withColumns,
	carryOut: async (contact, requests) =>
		// What was added is not deleted by a retry.
		requests.isSettled
			? await add(contact, requests)
			: await inTurn(contact, requests, async () => await replace(contact, requests)),
});

const isThere = whenThere('alreadyExists');

/** @throws StepFailed also when it is there, unless an earlier try, whose answer was lost, may have added it */
async function add(
	contact: NewContact,
	requests: Requests,
	further?: IDataObject,
): Promise<IDataObject> {
	return await post(
		contact,
		requests,
		(failure, wasLost) => (wasLost ? isThere(failure, wasLost) : undefined),
		further,
	);
}

/**
 * Deletes the contact and adds it: the service has no request that changes one.
 *
 * @throws StepFailed
 */
async function replace(contact: NewContact, requests: Requests): Promise<IDataObject> {
	const { listId, identifier } = contact;
	const replaced = await requests.delete(
		{
			endpoint: DELETE_BY_NUMBER.contacts,
			path: { listId },
			search: eachSpelling(identifier, Object.values(DELETE_BY_NUMBER)),
			step: 'remove',
			essence: [listId, canonicalNumber(identifier)],
		},
		readNothing,
	);
	try {
		return { ...(await add(contact, requests, { replaced })), replaced };
	} catch (error) {
		throw replaced && error instanceof StepFailed
			? error.after(
					'The contact was deleted in order to be replaced, and is not in the list now. A retry of this execution adds it.',
					{ listId, identifier },
				)
			: error;
	}
}

/** Lets items of a run that are about the same contact replace it one after the other. */
async function inTurn<T>(
	{ listId, identifier }: NewContact,
	requests: Requests,
	work: () => Promise<T>,
): Promise<T> {
	const turns = await requests.together('turns', () =>
		Promise.resolve(new Map<string, Promise<unknown>>()),
	);
	const key = `${listId} ${canonicalNumber(identifier)}`;
	const before = turns.get(key) ?? Promise.resolve();
	const mine = before.catch(() => {}).then(work);
	turns.set(key, mine);
	return await mine;
}

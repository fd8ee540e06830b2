import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { whenThere } from '../shared/run/alreadyThere';
import { eachSpelling } from '../shared/run/bySpelling';
import type { Deletion } from '../shared/run/changes';
import { defineOperation } from '../shared/run/define';
import type { Attempted, Failed } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { mayHaveGone } from '../shared/run/unknown';
import { DELETE_BY_NUMBER, type Contact } from '../shared/service/contacts';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { attributesField } from './attributes';
import { addSurely, type Added } from './contactRequests';
import {
	ADDING,
	additionOf,
	contactSettings,
	post,
	readContact,
	withColumns,
	type NewContact,
} from './newContact';
import { Course, deletionOf, Replacement, tellValues, type Steps } from './replacement';

/** With its object, like all others; n8n's lint knows it as "Create or Update", below a resource. */
const NAME = 'Create or Update Contact';
/** Of its own, too: what n8n's lint wants of all upserts doesn't say that values are lost. */
const DESCRIPTION =
	'Add a contact, or replace the one that has its number: columns left empty lose their values';

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
	description: DESCRIPTION,
	builderHint:
		"Use to change the values of a contact, such as a first name, or to add it if it isn't there yet.",
	fields: [listLocatorField, numberField, replacesAll, attributesField, ...contactSettings],
	verb: 'written',
	columns: ['number', 'replaced'],
	prepare: readContact,
	check: withColumns,
	async execute(contact, client, item) {
		const { isSettled, mayBeMade } = client;
		// What was added is not deleted by a retry. Where that isn't known, the list tells.
		if (isSettled && !mayBeMade) return await post(contact, client, isAdded);
		const whole = isSettled ? await withColumns(contact, client, item) : contact;
		const work = async () => await write(whole, client, item.timeZone);
		return await inTurn(contact, client, work);
	},
});

const isThere = whenThere('alreadyExists');

/** What is there already, where an earlier try, whose answer was lost, may have added it. */
const isAdded: typeof isThere = (failure, wasLost) =>
	wasLost ? isThere(failure, wasLost) : undefined;

/** Deletes whoever has the number: the list isn't read for one contact. */
function removalOf({ listId, identifier }: NewContact): Deletion {
	return {
		endpoint: DELETE_BY_NUMBER.contacts,
		path: { listId },
		search: eachSpelling(identifier, Object.values(DELETE_BY_NUMBER)),
		step: 'remove',
		content: [listId, canonicalNumber(identifier)],
	};
}

/**
 * Puts the contact in the place of the one with its number.
 *
 * @throws StepFailed
 */
async function write(contact: NewContact, client: Client, timeZone: string): Promise<IDataObject> {
	const { listId, identifier, columns = [], attributes = {}, named } = contact;
	const course = await client.together('course', () => Promise.resolve(new Course()));
	const removal = removalOf(contact);
	const hasBegun = client.wasDeleted(removal);
	const replacement = new Replacement(contact, course, hasBegun, client.isSettled);
	/** What was found in the list, or added without a receipt, as a result. */
	const whole = (added: Attempted<Added>): Attempted => {
		if (!('value' in added)) return added;
		const shown = named === undefined ? {} : { attributes: named };
		return { value: { ...added.value, ...shown, replaced: replacement.hasBegun } };
	};
	const first: Steps<IDataObject> = {
		...{ attributes, columns, timeZone },
		count: 1,
		async remove(place, { begun, lost }) {
			const findOut = async (failure: Failed) => {
				lost();
				return await Promise.resolve({ ...failure, transient: true });
			};
			const result = await place.delete(removal, readNothing, findOut);
			if (!('value' in result)) return result;
			if (result.value) begun();
			return undefined;
		},
		async add(place, findOut) {
			if (client.isSettled) {
				const found = await findOut(mayHaveGone());
				if ('value' in found || !found.transient) return whole(found);
				return whole(await addSurely(place, { listId, identifier, attributes }, findOut));
			}
			const replaced = replacement.hasBegun;
			const comesTo: typeof isAdded = (failure, wasLost) => {
				const there = isAdded(failure, wasLost);
				return there && { ...there, replaced };
			};
			const { change, read } = additionOf(contact, comesTo, { replaced });
			return await place.change(change, read, async (lost) => whole(await findOut(lost)));
		},
	};
	const next = async (contacts: readonly Contact[]) =>
		await Promise.resolve({
			...first,
			...deletionOf(listId, contacts),
			previous: contacts[0],
		});
	try {
		return await client.inOnePlace(
			async (place) => await replacement.make(place, first, next),
			replacement,
		);
	} catch (error) {
		const told = tellValues('It was to have', named ?? {});
		const details = { attributes: named ?? {} };
		throw replacement.explain(error, 'A retry of this execution', told, details);
	}
}

/** Lets items of a run that are about the same contact replace it one after the other. */
async function inTurn<T>(
	{ listId, identifier }: NewContact,
	client: Client,
	work: () => Promise<T>,
): Promise<T> {
	const turns = await client.together('turns', () =>
		Promise.resolve(new Map<string, Promise<unknown>>()),
	);
	const key = `${listId} ${canonicalNumber(identifier)}`;
	const before = turns.get(key) ?? Promise.resolve();
	const mine = before.catch(() => {}).then(work);
	turns.set(key, mine);
	return await mine;
}

import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { whenThere } from '../shared/run/alreadyThere';
import { eachSpelling } from '../shared/run/bySpelling';
import type { Deletion } from '../shared/run/changes';
import { defineOperation } from '../shared/run/define';
import { StepFailed, type Failed } from '../shared/run/outcome';
import type { Place } from '../shared/run/Place';
import type { Requests } from '../shared/run/Requests';
import { DELETE_BY_NUMBER, type Contact } from '../shared/service/contacts';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { attributesField } from './attributes';
import { differenceOf } from './difference';
import {
	ADDING,
	additionOf,
	contactSettings,
	post,
	readContact,
	withColumns,
	type NewContact,
} from './newContact';
import { addSurely, Course, deleteIt, Replacement, tellFate, type Steps } from './replacement';

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
	deed: 'written',
	columns: ['number', 'replaced'],
	prepare: readContact,
	check: withColumns,
	carryOut: async (contact, requests, { timeZone }) =>
		// What was added is not deleted by a retry.
		requests.isSettled
			? await post(contact, requests, isAdded)
			: await inTurn(contact, requests, async () => await write(contact, requests, timeZone)),
});

const isThere = whenThere('alreadyExists');

/** What is there already, where an earlier try, whose answer was lost, may have added it. */
const isAdded: typeof isThere = (failure, wasLost) =>
	wasLost ? isThere(failure, wasLost) : undefined;

/** How often the contact is replaced once more, because somebody else has added it meanwhile. */
const MOST_ROUNDS = 3;

/**
 * Puts the contact in the place of the one with its number.
 *
 * @throws StepFailed
 */
async function write(
	contact: NewContact,
	requests: Requests,
	timeZone: string,
): Promise<IDataObject> {
	const course = await requests.together('course', () => Promise.resolve(new Course()));
	const removal = removalOf(contact);
	const replacement = new Replacement(contact, course, requests.wasDeleted(removal));
	const work = async (place: Place) => {
		let steps = stepsOf(contact, timeZone, removing(removal));
		for (let round = 0; ; round++) {
			const made = await replacement.make(place, steps);
			if ('value' in made || !replacement.isAnothers(made) || round === MOST_ROUNDS) {
				return made;
			}
			// Somebody else has added it, or it is stored in a form that the deletion didn't find.
			const found = await replacement.look(place);
			if (!('value' in found) || found.value.length === 0) return made;
			steps = stepsOf(contact, timeZone, removingThese(contact.listId, found.value));
		}
	};
	try {
		return await requests.inOnePlace(work, replacement);
	} catch (error) {
		throw replacement.hasBegun && error instanceof StepFailed
			? explain(error, contact, replacement)
			: error;
	}
}

function explain(
	error: StepFailed,
	{ listId, identifier, named = {} }: NewContact,
	replacement: Replacement,
): StepFailed {
	const values = Object.entries(named).map(([name, value]) => `${name}: ${String(value)}`);
	const isIn = replacement.fate === 'kept' || values.length === 0;
	const wanted = isIn ? '' : `It was to have ${values.join('; ')}.`;
	const advice = [tellFate(replacement, 'A retry of this execution'), wanted];
	return error.after(advice.filter(Boolean).join(' '), {
		number: canonicalNumber(identifier),
		listId,
		attributes: named,
	});
}

/** What is deleted, and whether anything was. */
type Removing = Pick<Steps<unknown>, 'count' | 'putBack'> & {
	remove: (...how: Parameters<Steps<unknown>['remove']>) => Promise<Failed | boolean>;
};

function removalOf({ listId, identifier }: NewContact): Deletion {
	return {
		endpoint: DELETE_BY_NUMBER.contacts,
		path: { listId },
		search: eachSpelling(identifier, Object.values(DELETE_BY_NUMBER)),
		step: 'remove',
		essence: [listId, canonicalNumber(identifier)],
	};
}

/** Whoever has the number: the list isn't read for one contact. */
function removing(removal: Deletion): Removing {
	return {
		count: 1,
		async remove(place, { lost }) {
			const result = await place.delete(removal, readNothing, async (failure) => {
				lost();
				return await Promise.resolve({ ...failure, transient: true });
			});
			return 'value' in result ? result.value : result;
		},
	};
}

/** Contacts that the list has shown: their values are known. */
function removingThese(listId: string, contacts: readonly Contact[]): Removing {
	const [{ identifier = '', attributes }] = contacts;
	return {
		count: contacts.length,
		async remove(place, { begun, lost }) {
			for (const contact of contacts) {
				const result = await deleteIt(listId, contact, place, lost);
				if (!('value' in result)) return result;
				begun();
			}
			return true;
		},
		putBack: async (place) => await addSurely(place, { listId, identifier, attributes }),
	};
}

function stepsOf(
	contact: NewContact,
	timeZone: string,
	{ remove, ...removing }: Removing,
): Steps<IDataObject> {
	const { columns = [], attributes = {}, named } = contact;
	const wanted = { columns, attributes, timeZone };
	let replaced = false;
	return {
		...removing,
		async remove(place, { begun, lost }) {
			const hears = { begun, lost: () => (lost(), (replaced = true)) };
			const result = await remove(place, hears);
			if (typeof result !== 'boolean') return result;
			replaced ||= result;
			if (replaced) begun();
			return undefined;
		},
		async add(place, findOut) {
			const comesTo: typeof isAdded = (failure, wasLost) => {
				const there = isAdded(failure, wasLost);
				return there && { ...there, replaced };
			};
			const { change, read } = additionOf(contact, comesTo, { replaced });
			return await place.change(change, read, findOut);
		},
		addedIn(contacts) {
			const ours = contacts.find((one) => differenceOf(wanted, [one]).action === 'unchanged');
			const { id } = ours ?? {};
			return (
				ours && {
					...(id === undefined ? {} : { id }),
					...(named === undefined ? {} : { attributes: named }),
					replaced,
				}
			);
		},
	};
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

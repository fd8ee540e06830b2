import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../shared/http/failure';
import { eachSpelling } from '../shared/run/bySpelling';
import type { Attempted } from '../shared/run/carrier';
import type { Prepared, WholeRun } from '../shared/run/operation';
import {
	failureOf,
	invalid,
	isFailure,
	StepFailed,
	type Failed,
	type Outcome,
} from '../shared/run/outcome';
import type { MakeRequest, Requests } from '../shared/run/Requests';
import { beginInSlices, inSlices } from '../shared/run/slices';
import { without, type Fields } from '../shared/service/answers';
import {
	ADD_CONTACT,
	CONTACTS,
	DELETE_BY_ID,
	DELETE_BY_NUMBER,
	readContacts,
	type Contact,
} from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { isNothingFound, isNothingThere, meaningOf } from '../shared/service/errorCodes';
import { InputError } from '../shared/service/InputError';
import { canonicalNumber, withNumber } from '../shared/service/number';
import { readCreated, readNothing } from '../shared/service/records';
import { namedBy, type TypedValues } from './attributes';
import { byNumber, differenceOf, withoutEmpty, type Difference, type Wanted } from './difference';

/** An input item: a number, and what the list is to hold of it. */
export interface Row extends Prepared, Wanted {
	listId: string;
	identifier: string;
	typed: TypedValues;
	/** What the first item says holds for the run. */
	planOnly: boolean;
	/** In percent of the list; undefined where nobody is removed. */
	maxRemovals: number | undefined;
	/** Another item has the same number and other values. */
	clash?: InputError;
}

/** The contacts, as they were when the run began. */
export async function readList(listId: string, requests: Requests): Promise<Contact[]> {
	return await requests.once({ endpoint: CONTACTS, path: { listId } }, readContacts);
}

/**
 * Makes the list equal to the items. It reads what the list holds and makes requests for the differences only:
 * a run that was stopped is finished by the next one.
 *
 * @throws InputError, StepFailed before anything is changed
 */
export async function syncList(
	rows: ReadonlyMap<number, Row>,
	requests: Requests,
	{ items, beside }: WholeRun<Row>,
): Promise<ReadonlyMap<number, Outcome>> {
	const [firstRow] = rows.values();
	const contacts = await readList(firstRow.listId, requests);
	const found = await byNumber(contacts);
	const outcomes = new Map<number, Outcome>();
	const wanted = new Map<string, number[]>();
	await inSlices(rows, ([index, { identifier }]) => {
		const number = canonicalNumber(identifier);
		wanted.set(number, [...(wanted.get(number) ?? []), index]);
	});
	for (const indexes of wanted.values()) {
		const { clash } = rows.get(indexes[0])!;
		if (clash === undefined) continue;
		for (const index of indexes) outcomes.set(index, invalid(clash));
	}
	const unread = items - rows.size + outcomes.size;
	const course: Course = { isLosing: false };
	const gone = removalsOf(firstRow, contacts, found, wanted, unread, requests);

	await beginInSlices(wanted, async ([number, [index, ...others]]) => {
		if (outcomes.has(index)) return;
		const row = rows.get(index)!;
		const difference = differenceOf(row, found.get(number) ?? []);
		const outcome = await outcomeOf(
			row,
			async () => await settle(row, difference, requests, course),
		);
		outcomes.set(index, outcome);
		for (const other of others) outcomes.set(other, sameAs(row, outcome));
	});
	// Whoever is gone comes last: nobody is missing when the run is stopped before, or when a new number of
	// somebody could not be added.
	const hasFailed = [...outcomes.values()].some(isFailure);
	const removed = new Map<Contact, Outcome>();
	await beginInSlices(gone, async (contact) => {
		const row = rowOf(contact, firstRow);
		const outcome = hasFailed
			? NOT_REMOVED
			: await outcomeOf(row, async () => await remove(row, contact, requests));
		removed.set(contact, outcome);
	});
	for (const contact of gone) beside(rowOf(contact, firstRow), removed.get(contact)!);
	const summary = summaryOf([...outcomes.values(), ...removed.values()]);
	if (summary !== '') requests.note(`${firstRow.planOnly ? 'Plan: ' : ''}${summary}.`);
	return outcomes;
}

/**
 * The contacts to remove.
 *
 * @param unread number of items of which it isn't known whose they are
 * @throws InputError where they are more than the user allows
 */
function removalsOf(
	{ maxRemovals, planOnly }: Row,
	contacts: readonly Contact[],
	found: ReadonlyMap<string, Contact[]>,
	wanted: ReadonlyMap<string, unknown>,
	unread: number,
	requests: Requests,
): Contact[] {
	if (maxRemovals === undefined) return [];
	if (unread > 0) {
		requests.note(
			`Nobody is removed, because ${countOf(unread, 'item')} can't be used, and may be about one of the contacts.`,
		);
		return [];
	}
	const gone = [...found].flatMap(([number, same]) => (wanted.has(number) ? [] : same));
	if (gone.length * 100 <= maxRemovals * contacts.length) return gone;
	const message = `${gone.length} of ${countOf(contacts.length, 'contact')} would be removed, more than 'Max Removals (%)' allows (${maxRemovals} %)`;
	if (!planOnly) {
		throw new InputError(
			message,
			"The list is left as it is. Check that all items reach this node in one run. 'Plan Only' shows who would be removed; if that is right, raise 'Max Removals (%)'.",
		);
	}
	requests.note(`${message}: without 'Plan Only', the run is refused.`);
	return gone;
}

async function outcomeOf(row: Row, work: () => Promise<IDataObject>): Promise<Outcome> {
	try {
		return { status: 'done', value: await work() };
	} catch (error) {
		const failure = failureOf(error);
		if (failure.isHeldBack) return failure;
		return { ...failure, message: `${canonicalNumber(row.identifier)}: ${failure.message}` };
	}
}

/** Of a further item that is equal: what was done is done once. */
function sameAs({ planOnly }: Row, outcome: Outcome): Outcome {
	if (outcome.status !== 'done') return outcome;
	const value = without(outcome.value as IDataObject, ['previous']) as IDataObject;
	return { status: 'done', value: { ...value, ...named(planOnly, 'unchanged') } };
}

function named(planOnly: boolean, action: Difference['action'] | 'removed'): IDataObject {
	return planOnly ? { wouldBe: action } : { action };
}

/** How often the list is read anew for a number that somebody else keeps changing. */
const MOST_READINGS = 3;

/** What the replacements of a run have to know of each other. */
interface Course {
	/** One was deleted and could not be added again: no other is deleted in order to be replaced. */
	isLosing: boolean;
}

/**
 * Makes what the list holds of one number what it is to hold.
 *
 * @param readings how often the list was read once more, because somebody had changed it meanwhile
 * @throws StepFailed
 */
async function settle(
	row: Row,
	difference: Difference,
	requests: Requests,
	course: Course,
	readings = 0,
): Promise<IDataObject> {
	const { action, outdated, kept, attributes, previous } = difference;
	const { listId, identifier, planOnly } = row;
	const hasChanged = Object.keys(previous).length > 0;
	const rename = namedBy(row.columns);
	const result = (contact?: { id?: string }): IDataObject => ({
		...named(planOnly, action),
		...(contact?.id === undefined ? {} : { id: contact.id }),
		attributes: rename(attributes),
		...(hasChanged ? { previous: rename(previous) } : {}),
	});
	if (planOnly || action === 'unchanged') return result(kept);

	const waiting = [...outdated];
	const deleteOld = deletionOf(listId, waiting);
	let isBack = false;
	const work = async (make: MakeRequest): Promise<Attempted<{ id?: string }>> => {
		if (course.isLosing && outdated.length > 0 && waiting.length === outdated.length) {
			return { ...LOSING };
		}
		const failure = await deleteOld(make);
		if (failure !== undefined) return failure;
		if (kept !== undefined) return { value: kept };
		const added = await post(row, attributes, make);
		if ('value' in added || added.status !== 'refused' || isThere(added)) return added;
		const [before] = outdated;
		if (before === undefined) return added;
		// A value that the service refuses must not take anybody off the list.
		const values = withoutEmpty({ ...attributes, ...previous });
		isBack =
			'value' in
			(await post({ listId, identifier: before.identifier ?? identifier }, values, make));
		return added;
	};
	try {
		const isLast = readings === MOST_READINGS;
		return result(await requests.inOnePlace(work, isLast ? undefined : isThere));
	} catch (error) {
		const failed = error instanceof StepFailed ? error : undefined;
		if (failed !== undefined && readings < MOST_READINGS && isThere(failed.failure)) {
			const read = async () => await readAgain(listId, requests);
			// The first one is for all that somebody else had added until then.
			const now = await (readings === 0 ? requests.together('again', read) : read());
			const contacts = now.get(canonicalNumber(identifier)) ?? [];
			return await settle(row, differenceOf(row, contacts), requests, course, readings + 1);
		}
		const isDeleted = waiting.length < outdated.length;
		if (isDeleted && !isBack) course.isLosing = true;
		throw isDeleted && failed !== undefined
			? failed.after(isBack ? KEPT : DELETED, {
					identifier,
					listId,
					attributes: attributes as IDataObject,
				})
			: error;
	}
}

const NOT_REMOVED: Failed = {
	status: 'notSent',
	message: 'Not removed, because another item failed',
	advice: 'Run it again when that one is right.',
	transient: false,
	general: false,
	isHeldBack: true,
};

const LOSING: Failure = {
	status: 'notSent',
	message: 'Left as it is, because an earlier contact was deleted and could not be added again',
	advice: 'Run it again when the service adds contacts.',
	transient: false,
	general: false,
};

const KEPT = 'The contact keeps its previous values.';
const DELETED =
	'The contact was deleted in order to be replaced. The next run adds it if it is missing.';

function isThere(failure: Failure): boolean {
	return meaningOf(failure) === 'alreadyExists';
}

async function readAgain(listId: string, requests: Requests) {
	return await byNumber(
		await requests.get({ endpoint: CONTACTS, path: { listId } }, readContacts),
	);
}

/** @throws StepFailed */
async function remove(row: Row, contact: Contact, requests: Requests): Promise<IDataObject> {
	const { id, attributes } = contact;
	const result = {
		...named(row.planOnly, 'removed'),
		...(id === undefined ? {} : { id }),
		attributes: namedBy(row.columns)(attributes),
	};
	if (row.planOnly) return result;
	const deleteIt = deletionOf(row.listId, [contact]);
	return await requests.inOnePlace(async (make) => (await deleteIt(make)) ?? { value: result });
}

/**
 * A function that deletes contacts one after the other, and goes on with what is left when it is called
 * again. What isn't there any more counts as deleted.
 *
 * @param waiting loses those that are deleted
 */
function deletionOf(listId: string, waiting: Contact[]) {
	let wasLost = false;
	return async (make: MakeRequest) => {
		for (; waiting.length > 0; waiting.shift()) {
			const result = await deleteOne(listId, waiting[0], make);
			if ('value' in result || isNothingFound(result)) continue;
			if (wasLost && isNothingThere(result)) continue;
			if (result.status !== 'unknown') return result;
			wasLost = true;
			// It does no harm when it is repeated, and one that is left open may have taken somebody off the list.
			return { ...result, transient: true };
		}
		return undefined;
	};
}

/** By its ID, so that nobody else is: a number may have been added anew meanwhile. */
async function deleteOne(
	listId: string,
	{ id, identifier = '' }: Contact,
	make: MakeRequest,
): Promise<Attempted> {
	if (id !== undefined) {
		return await make({ endpoint: DELETE_BY_ID, path: { listId, contactId: id } }, readNothing);
	}
	const search = eachSpelling(identifier, Object.values(DELETE_BY_NUMBER));
	return await search(
		async (address) => await make({ path: { listId }, ...address }, readNothing),
	);
}

async function post(
	{ listId, identifier }: Pick<Row, 'listId' | 'identifier'>,
	attributes: Fields,
	make: MakeRequest,
): Promise<Attempted<{ id: string }>> {
	const values = Object.entries(attributes).map(([id, value]) => [id, String(value)]);
	const body = {
		identifier,
		...(values.length === 0 ? {} : { attributes: Object.fromEntries(values) as IDataObject }),
	};
	const result = await make({ endpoint: ADD_CONTACT, path: { listId }, body }, readCreated);
	// What may have been added is not added once more: the next run finds out.
	return 'value' in result || result.status !== 'unknown' || !result.transient
		? result
		: { ...result, transient: false, advice: '' };
}

function rowOf(contact: Contact, first: Row): Row {
	const { identifier = '' } = contact;
	return { ...first, identifier, extra: { ...withNumber({ identifier }), listId: first.listId } };
}

/** "3 added, 1 updated, 96 unchanged"; empty where nothing was done. */
function summaryOf(outcomes: readonly Outcome[]): string {
	const counts: Record<string, number> = { added: 0, updated: 0, removed: 0, unchanged: 0 };
	for (const outcome of outcomes) {
		if (outcome.status !== 'done') continue;
		const { action, wouldBe } = outcome.value as IDataObject;
		counts[String(action ?? wouldBe)]++;
	}
	return Object.entries(counts)
		.filter(([, count]) => count > 0)
		.map(([action, count]) => `${count} ${action}`)
		.join(', ');
}

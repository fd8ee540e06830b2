import type { IDataObject } from 'n8n-workflow';
import type { Prepared, WholeRun } from '../shared/run/operation';
import { failureOf, invalid, isFailure, type Failed, type Outcome } from '../shared/run/outcome';
import type { Place } from '../shared/run/Place';
import type { Client } from '../shared/run/client';
import { beginInSlices, inSlices } from '../shared/run/slices';
import { CONTACTS, readContact, type Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber, readingsOf } from '../shared/service/number';
import { namedBy, type TypedValues } from './attributes';
import { addSurely, columnsOf, deleteIt, unreadOf, type Added } from './contactRequests';
import { byNumber, differenceOf, type Difference, type Wanted } from './difference';
import { Course, deletionOf, Replacement, tellValues, type Steps } from './replacement';

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

/** What a list holds. */
interface Contents {
	columns: readonly Column[];
	contacts: readonly Contact[];
}

/** What is kept under this key is what all items of a run are compared with. */
const CONTENTS = 'contents';

/** The list, as it was when the run began. */
export async function readList(listId: string, client: Client): Promise<Contents> {
	return await client.together(CONTENTS, async () => await readContents(listId, client));
}

/**
 * The columns, then the contacts; the columns once more where somebody has added one meanwhile: a contact that
 * is replaced would lose its value in it.
 */
async function readContents(listId: string, client: Client): Promise<Contents> {
	const path = { listId };
	const get = async () => await client.get({ endpoint: LIST, path }, readColumns);
	const columns = await get();
	const read = await client.getAll({ endpoint: CONTACTS, path }, readContact);
	const unread = unreadOf(read);
	if (unread !== undefined) throw client.refuse(unread);
	const { records: contacts } = read;
	let areKnown = true;
	const isKnown = knownBy(columns);
	await inSlices(contacts, (contact) => (areKnown &&= isKnown(contact)));
	return { contacts, columns: areKnown ? columns : await get() };
}

/** Whether a contact has values in these columns only. */
function knownBy(columns: readonly Column[]): (contact: Contact) => boolean {
	const known = new Set(columns.map(({ id }) => id));
	return ({ attributes }) => Object.keys(attributes).every((id) => known.has(id));
}

/**
 * Makes the list equal to the items. It reads what the list holds and makes requests for the differences only:
 * a run that was stopped is finished by the next one.
 *
 * @throws InputError, StepFailed before anything is changed
 */
export async function syncList(
	rows: ReadonlyMap<number, Row>,
	client: Client,
	{ items, extraResult }: WholeRun<Row>,
): Promise<ReadonlyMap<number, Outcome>> {
	const [firstRow] = rows.values();
	const end = ([index, ...others]: readonly number[], outcome: Outcome) => {
		outcomes.set(index, outcome);
		for (const other of others) outcomes.set(other, sameAs(firstRow, outcome));
	};
	const outcomes = new Map<number, Outcome>();
	const { changes, gone } = await compare(rows, client, items, end);

	const course = new Course();
	await beginInSlices(changes, async ([indexes, difference]) => {
		const row = rows.get(indexes[0])!;
		const work = async () => await settle(row, difference, client, course);
		end(indexes, await outcomeOf(row, work));
	});
	// Whoever is gone comes last: nobody is missing when the run is stopped before, or when a new number of
	// somebody could not be added.
	const hasFailed = [...outcomes.values()].some(isFailure);
	const removed = new Map<Contact, Outcome>();
	await beginInSlices(gone, async (contact) => {
		const row = rowOf(contact, firstRow);
		const outcome = hasFailed
			? NOT_REMOVED
			: await outcomeOf(row, async () => await remove(row, contact, client));
		removed.set(contact, outcome);
	});
	for (const contact of gone) extraResult(rowOf(contact, firstRow), removed.get(contact)!);
	const summary = summaryOf([...outcomes.values(), ...removed.values()]);
	if (summary !== '') client.note(`${firstRow.planOnly ? 'Plan: ' : ''}${summary}.`);
	return outcomes;
}

/** The items with one number, and what is to be done about it. */
type Planned = [indexes: readonly number[], difference: Difference];

/**
 * Compares the list with the items. All values are checked before the first contact is deleted.
 *
 * @param items number of items, with those that can't be used
 * @param end hears of those of which nothing is to be done
 * @throws InputError, StepFailed
 */
async function compare(
	rows: ReadonlyMap<number, Row>,
	client: Client,
	items: number,
	end: (indexes: readonly number[], outcome: Outcome) => void,
): Promise<{ changes: Planned[]; gone: Contact[] }> {
	const [firstRow] = rows.values();
	const { planOnly } = firstRow;
	const found = await byNumber((await readList(firstRow.listId, client)).contacts);
	// The list may be large, and most of it is as it is to be: what is compared is let go.
	client.forget(CONTENTS);
	const wanted = new Map<string, number[]>();
	await inSlices(rows, ([index, { identifier }]) => {
		const number = canonicalNumber(identifier);
		const same = wanted.get(number);
		if (same === undefined) wanted.set(number, [index]);
		else same.push(index);
	});
	let unread = items - rows.size;
	await inSlices(wanted, ([, indexes]) => {
		if (rows.get(indexes[0])!.clash !== undefined) unread += indexes.length;
	});
	const gone = await removalsOf(firstRow, found, wanted, unread, client);
	const changes: Planned[] = [];
	await inSlices(wanted, ([number, indexes]) => {
		const row = rows.get(indexes[0])!;
		const { clash } = row;
		if (clash !== undefined) {
			for (const index of indexes) end([index], invalid(clash));
			return;
		}
		const difference = differenceOf(row, found.get(number) ?? []);
		found.delete(number);
		const { action, problem } = difference;
		if (problem !== undefined) {
			end(indexes, named(row, client.refuse(unaddable(problem)).failure));
		} else if (planOnly || action === 'unchanged') {
			end(indexes, { status: 'done', value: resultOf(row, difference) });
		} else {
			changes.push([indexes, difference]);
		}
	});
	return { changes, gone };
}

/**
 * The contacts to remove. Their maximum depends on what the list had before: a run that was killed may have
 * left out as many contacts as it was replacing at once, of those that an item has. No more of them count than
 * there are others that stay: where nobody stays, the items are about another list.
 *
 * @param unread number of items of which it isn't known whose they are
 * @throws InputError where they are more than the user allows
 */
async function removalsOf(
	{ maxRemovals, planOnly }: Row,
	found: ReadonlyMap<string, Contact[]>,
	wanted: ReadonlyMap<string, unknown>,
	unread: number,
	client: Client,
): Promise<Contact[]> {
	if (maxRemovals === undefined) return [];
	if (unread > 0) {
		client.note(
			`Nobody is removed, because ${countOf(unread, 'item')} can't be used, and may be about one of the contacts.`,
		);
		return [];
	}
	const gone: Contact[] = [];
	let missing = 0;
	await inSlices(found, ([number, same]) => {
		if (wanted.has(number)) return;
		// One that lacks its 0 or its + may be either of two numbers.
		const [{ identifier = '' }] = same;
		if (readingsOf(identifier).some((reading) => wanted.has(reading))) return;
		missing++;
		gone.push(...same);
	});
	const stay = found.size - missing;
	const leftOut = Math.min(wanted.size - stay, client.concurrency, stay);
	if (missing * 100 <= maxRemovals * (found.size + leftOut)) return gone;
	const message = `${missing} of ${countOf(found.size, 'contact')} would be removed, more than 'Max Removals (%)' allows (${maxRemovals} %)`;
	if (!planOnly) {
		throw new InputError(
			message,
			"The list is left as it is. Check that all items reach this node in one run. 'Plan Only' shows who would be removed; if that is right, raise 'Max Removals (%)'.",
		);
	}
	client.note(`Without 'Plan Only', this run is refused: ${message}.`);
	return gone;
}

async function outcomeOf(row: Row, work: () => Promise<IDataObject>): Promise<Outcome> {
	try {
		return { status: 'done', value: await work() };
	} catch (error) {
		return named(row, failureOf(error));
	}
}

/** The same, saying whom it is about. */
function named(row: Row, failure: Failed): Failed {
	if (failure.isHeldBack) return failure;
	return { ...failure, message: `${canonicalNumber(row.identifier)}: ${failure.message}` };
}

/** Nothing was tried. */
function unaddable(problem: InputError): Failed {
	const { message, advice } = invalid(problem);
	return { status: 'notSent', message, advice, transient: false, general: false };
}

/** Of a further item that is equal: what was done is done once. */
function sameAs({ planOnly }: Row, outcome: Outcome): Outcome {
	if (outcome.status !== 'done') return outcome;
	const value = outcome.value as IDataObject;
	return {
		status: 'done',
		value: { ...value, ...actionOf(planOnly, 'unchanged'), previous: {} },
	};
}

function actionOf(planOnly: boolean, action: Difference['action'] | 'removed'): IDataObject {
	return planOnly ? { wouldBe: action } : { action };
}

/**
 * The same fields for each contact, so that n8n shows them as one table.
 *
 * @param id of the contact that the list has then; null where nobody knows it yet
 */
function resultOf(
	{ planOnly, columns }: Row,
	{ action, kept, attributes, previous }: Difference,
	id = kept?.id,
): IDataObject {
	const rename = namedBy(columns);
	return {
		...actionOf(planOnly, action),
		id: id ?? null,
		attributes: rename(attributes),
		previous: rename(previous),
	};
}

/**
 * Makes what the list holds of one number what it is to hold.
 *
 * @throws StepFailed
 */
async function settle(
	row: Row,
	difference: Difference,
	client: Client,
	course: Course,
): Promise<IDataObject> {
	const { listId } = row;
	const replacement = new Replacement(row, course);
	let now = { row, difference };
	const deleted: Contact[] = [];
	/** What is left to do where somebody else has added the number. */
	const goOn = async (contacts: readonly Contact[], place: Place) => {
		const { columns } = now.row;
		const read = contacts.every(knownBy(columns))
			? { value: columns }
			: await columnsOf(listId, place);
		if (!('value' in read)) return read;
		deleted.push(...now.difference.outdated);
		const anew = { ...row, columns: read.value };
		now = { row: anew, difference: differenceOf(anew, contacts, deleted) };
		const { action, kept = {}, problem } = now.difference;
		if (problem !== undefined) return unaddable(problem);
		return action === 'unchanged' ? { value: kept } : stepsOf(now.row, now.difference);
	};
	try {
		const { id } = await client.inOnePlace(
			async (place) => await replacement.make<Added>(place, stepsOf(row, difference), goOn),
			replacement,
		);
		return resultOf(now.row, now.difference, id);
	} catch (error) {
		const rename = namedBy(now.row.columns);
		const attributes = rename(now.difference.attributes);
		const previous = rename(now.difference.previous);
		const values = tellValues('It had', { ...attributes, ...previous });
		throw replacement.explain(error, 'The next run', values, { attributes, previous });
	}
}

/** What makes the difference. */
function stepsOf(row: Row, { kept, outdated, attributes, restored }: Difference): Steps<Added> {
	const { listId, identifier, columns, timeZone } = row;
	const steps = { ...deletionOf(listId, outdated), attributes, columns, timeZone };
	if (kept !== undefined) {
		const others: Steps<Added>['remove'] = async (place) =>
			await steps.remove(place, { begun: () => {}, lost: () => {} });
		return {
			...steps,
			remove: others,
			count: 0,
			add: async () => await Promise.resolve({ value: kept }),
		};
	}
	const [old] = outdated;
	return {
		...steps,
		add: async (place, findOut) =>
			await addSurely(place, { listId, identifier, attributes }, findOut),
		previous: old && { identifier: old.identifier, attributes: restored },
	};
}

const NOT_REMOVED: Failed = {
	status: 'notSent',
	message: 'Not removed, because another item failed',
	advice: 'Run it again when that one is right.',
	transient: false,
	general: false,
	isHeldBack: true,
};

/** @throws StepFailed */
async function remove(row: Row, contact: Contact, client: Client): Promise<IDataObject> {
	const { id, attributes } = contact;
	const result = {
		...actionOf(row.planOnly, 'removed'),
		id: id ?? null,
		attributes: namedBy(row.columns)(attributes),
		previous: {},
	};
	if (row.planOnly) return result;
	return await client.inOnePlace(async (place) => {
		const deleted = await deleteIt(row.listId, contact, place);
		return 'value' in deleted ? { value: result } : deleted;
	});
}

function rowOf(contact: Contact, first: Row): Row {
	const { identifier = '' } = contact;
	const extra = { number: canonicalNumber(identifier), listId: first.listId };
	return { ...first, identifier, extra };
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

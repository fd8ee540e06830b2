import type { IDataObject } from 'n8n-workflow';
import { forEach, forEachConcurrently } from '../shared/run/chunks';
import type { Client } from '../shared/run/client';
import type { OpenEntry, Prepared, WholeRun } from '../shared/run/operation';
import { failureOf, isFailure, type Failed, type Outcome } from '../shared/run/outcome';
import { without } from '../shared/service/answers';
import type { Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { canonicalNumber, readingsOf } from '../shared/service/number';
import { namedBy, type TypedValues } from './attributes';
import { changeContact, deleteContact, namedFailure, unchangeable } from './changeContact';
import { differenceOf, type Difference, type Wanted } from './difference';
import { readList } from './readList';

/** An input item: a number, and the values that the list is to hold of it. */
export interface Row extends Prepared, Wanted {
	listId: string;
	identifier: string;
	typed: TypedValues;
	/** The first item says whether the run changes anything. */
	planOnly: boolean;
	/** In percent of the list; undefined where nobody is removed. */
	maxRemovals: number | undefined;
}

type RowEntry = OpenEntry<Row>;

/**
 * Makes a list equal to the items: reads it, compares, adds and replaces what differs, and removes last. Each change is
 * one result. It is repeatable: another run does what is still missing.
 *
 * @throws InputError, StepFailed before anything is changed
 */
export async function syncList(
	entries: readonly RowEntry[],
	clientOf: (entry: RowEntry) => Client,
	{ items, extraResult }: WholeRun<Row>,
): Promise<ReadonlyMap<number, Outcome>> {
	const [first] = entries;
	const { planOnly, listId } = first.prepared;
	const client = clientOf(first);
	const { contacts, columns } = await readList(listId, client);
	const sizeBefore = contacts.size;
	const outcomes = new Map<number, Outcome>();
	const changes: Array<{ entry: RowEntry; row: Row; difference: Difference }> = [];
	const seen = new Map<string, number>();
	const same: Array<[index: number, first: number]> = [];
	await forEach(entries, (entry) => {
		const number = canonicalNumber(entry.prepared.identifier);
		const earlier = seen.get(number);
		if (earlier !== undefined) {
			same.push([entry.index, earlier]);
			return;
		}
		seen.set(number, entry.index);
		const row = { ...entry.prepared, columns };
		const difference = differenceOf(row, contacts.get(number) ?? []);
		contacts.delete(number);
		const { problem, action, kept } = difference;
		if (problem !== undefined) {
			const failure = namedFailure(row, client.refuse(unchangeable(problem)).failure);
			outcomes.set(entry.index, failure);
		} else if (planOnly || action === 'unchanged') {
			outcomes.set(entry.index, { status: 'done', value: resultOf(row, difference, kept) });
		} else changes.push({ entry, row, difference });
	});
	const gone = await removalsOf(
		first.prepared,
		contacts,
		seen,
		sizeBefore,
		items - entries.length,
		client,
	);

	await forEachConcurrently(
		changes,
		async ({ entry, row, difference }) => {
			const outcome = await outcomeOf(row, async () => {
				const contact = await changeContact(row, difference, clientOf(entry));
				return resultOf(row, difference, contact);
			});
			outcomes.set(entry.index, outcome);
			// No more contacts are deleted at a time than can be added again at once.
		},
		client.concurrency,
	);
	for (const [index, other] of same)
		outcomes.set(index, sameAs(first.prepared, outcomes.get(other)!));
	const hasFailed = [...outcomes.values()].some(isFailure);
	const removed = new Map<Contact, Outcome>();
	await forEachConcurrently(gone, async (contact) => {
		const row = rowOf(contact, { ...first.prepared, columns });
		const remove = async () => {
			if (!planOnly) await deleteContact(listId, contact, client);
			return removalOf(row, contact);
		};
		removed.set(contact, hasFailed ? NOT_REMOVED : await outcomeOf(row, remove));
	});
	for (const contact of gone) extraResult(rowOf(contact, first.prepared), removed.get(contact)!);
	const summary = summaryOf([...outcomes.values(), ...removed.values()]);
	if (summary !== '') client.note(`${planOnly ? 'Dry run: ' : ''}${summary}.`);
	return outcomes;
}

/**
 * The contacts to remove: *Max Removals (%)* is a percentage of the contacts of the list.
 *
 * @param contacts those that no item has, by number
 * @param unread number of items that can't be used
 * @throws InputError where they are more than the user allows
 */
async function removalsOf(
	{ maxRemovals, planOnly }: Row,
	contacts: ReadonlyMap<string, Contact[]>,
	wanted: ReadonlyMap<string, unknown>,
	size: number,
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
	await forEach(contacts, ([, same]) => {
		// A number that lacks its 0 or its + may be either of two.
		const [{ identifier = '' }] = same;
		if (readingsOf(identifier).some((reading) => wanted.has(reading))) return;
		missing++;
		gone.push(...same);
	});
	if (missing * 100 <= maxRemovals * size) return gone;
	const message = `${missing} of ${countOf(size, 'contact')} would be removed, more than 'Max Removals (%)' allows (${maxRemovals} %)`;
	if (!planOnly) {
		throw new InputError(
			message,
			"The list is left as it is. Check that all items reach this node in one run. 'Dry Run' shows who would be removed; if that is right, raise 'Max Removals (%)'.",
		);
	}
	client.note(`Without 'Dry Run', this run is refused: ${message}.`);
	return gone;
}

async function outcomeOf(row: Row, work: () => Promise<IDataObject>): Promise<Outcome> {
	try {
		return { status: 'done', value: await work() };
	} catch (error) {
		return namedFailure(row, failureOf(error));
	}
}

/** The outcome of a further item that is equal: it is done once. */
function sameAs({ planOnly }: Row, outcome: Outcome): Outcome {
	if (outcome.status !== 'done') return outcome;
	const value = without(outcome.value as IDataObject, ['previous']) as IDataObject;
	return { status: 'done', value: { ...value, ...actionOf(planOnly, 'unchanged') } };
}

function actionOf(planOnly: boolean, action: Difference['action'] | 'removed'): IDataObject {
	return planOnly ? { wouldBe: action } : { action };
}

/** @param contact as the list has it then; undefined where it is to be added */
function resultOf(
	{ planOnly, columns }: Row,
	{ action, attributes, previous }: Difference,
	contact: Contact | undefined,
): IDataObject {
	const rename = namedBy(columns);
	return {
		...actionOf(planOnly, action),
		...(contact?.id === undefined ? {} : { id: contact.id }),
		attributes: rename(attributes),
		...(Object.keys(previous).length === 0 ? {} : { previous: rename(previous) }),
	};
}

function removalOf({ planOnly, columns }: Row, { id, attributes }: Contact): IDataObject {
	return {
		...actionOf(planOnly, 'removed'),
		...(id === undefined ? {} : { id }),
		attributes: namedBy(columns)(attributes),
	};
}

const NOT_REMOVED: Failed = {
	status: 'notSent',
	message: 'Not removed, because another item failed',
	advice: 'Run it again when that one is right.',
	transient: false,
	general: false,
	isNotStarted: true,
};

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

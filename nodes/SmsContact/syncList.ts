import type { IDataObject } from 'n8n-workflow';
import { forEach, forEachConcurrently } from '../shared/run/chunks';
import type { Client } from '../shared/run/client';
import type { WholeRun } from '../shared/run/operation';
import {
	failureOf,
	isFailure,
	NOT_STARTED,
	type Failed,
	type Outcome,
} from '../shared/run/outcome';
import type { Contact } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { canonicalNumber, readingsOf } from '../shared/service/number';
import { namedBy } from './attributes';
import { deleteContact } from './changeContact';
import { changeContacts } from './changeContacts';
import { readList, type ListContents } from './readList';
import { noteIgnored, type Row, type RowEntry } from './row';

/** An item of a sync. The first one says how. */
export interface SyncRow extends Row {
	/** Nothing is changed. */
	planOnly: boolean;
	/** In percent of the list; undefined where nobody is removed. */
	maxRemovals: number | undefined;
}

/**
 * Makes a list equal to the items: reads it, compares, adds and replaces what differs, and removes last. Each change is
 * one result. It is repeatable: another run does what is still missing.
 *
 * @throws InputError, StepFailed before anything is changed
 */
export async function syncList(
	entries: ReadonlyArray<RowEntry<SyncRow>>,
	clientOf: (entry: RowEntry<SyncRow>) => Client,
	{ items, extraResult }: WholeRun<SyncRow>,
): Promise<ReadonlyMap<number, Outcome>> {
	const [{ prepared: first }] = entries;
	const client = clientOf(entries[0]);
	const { planOnly, listId } = first;
	const list = await readList(listId, client);
	const wanted = new Set<string>();
	await forEach(entries, ({ prepared: { number } }) => void wanted.add(number));
	const gone = await removalsOf(list, wanted, first, items - entries.length, client);
	await noteIgnored(entries, client);

	const listOf = async () => await Promise.resolve(list);
	const outcomes = await changeContacts(entries, clientOf, listOf, planOnly);
	const hasFailed = [...outcomes.values()].some(isFailure);
	const removed = new Map<Contact, Outcome>();
	await forEachConcurrently(gone, async (contact) => {
		removed.set(contact, hasFailed ? NOT_REMOVED : await remove(contact));
	});
	for (const contact of gone) {
		const number = canonicalNumber(contact.identifier ?? '');
		extraResult({ ...first, extra: { number, listId } }, removed.get(contact)!);
	}
	const summary = summaryOf([...outcomes.values(), ...removed.values()]);
	if (summary !== '') client.note(`${planOnly ? 'Dry run: ' : ''}${summary}.`);
	return outcomes;

	async function remove(contact: Contact): Promise<Outcome> {
		try {
			if (!planOnly) await deleteContact(listId, contact, client);
		} catch (error) {
			const failure = failureOf(error);
			const message = `${canonicalNumber(contact.identifier ?? '')} was not removed: ${failure.message}`;
			return failure.isNotStarted ? failure : { ...failure, message };
		}
		const value = {
			[planOnly ? 'wouldBe' : 'action']: 'removed',
			...(contact.id === undefined ? {} : { id: contact.id }),
			attributes: namedBy(list.columns)(contact.attributes),
		};
		return { status: 'done', value };
	}
}

/**
 * The contacts to remove: *Max Removals (%)* is a percentage of the contacts of the list.
 *
 * @param wanted the numbers of the items
 * @param unread number of items that can't be used
 * @throws InputError where they are more than the user allows
 */
async function removalsOf(
	{ contacts, size }: ListContents,
	wanted: ReadonlySet<string>,
	{ maxRemovals, planOnly }: SyncRow,
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
	await forEach(contacts, ([, same]) => {
		// A number that lacks its 0 or its + may be either of two.
		const [{ identifier = '' }] = same;
		if (!readingsOf(identifier).some((reading) => wanted.has(reading))) gone.push(...same);
	});
	if (gone.length * 100 <= maxRemovals * size) return gone;
	const message = `${gone.length} of ${countOf(size, 'contact')} would be removed, more than 'Max Removals (%)' allows (${maxRemovals} %)`;
	if (!planOnly) {
		throw new InputError(
			message,
			"The list is left as it is. Check that all items reach this node in one run. 'Dry Run' shows who would be removed; if that is right, raise 'Max Removals (%)'.",
		);
	}
	client.note(`Without 'Dry Run', this run is refused: ${message}.`);
	return gone;
}

const NOT_REMOVED: Failed = {
	...NOT_STARTED,
	message: 'Not removed, because another item failed',
	advice: 'Run it again when that one is right.',
};

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

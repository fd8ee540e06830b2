import type { IDataObject } from 'n8n-workflow';
import { forEach, forEachConcurrently } from '../shared/run/chunks';
import { eachSpelling } from '../shared/run/bySpelling';
import type { Client, Deletion } from '../shared/run/client';
import {
	failureOf,
	invalid,
	isFailure,
	NOT_STARTED,
	StepFailed,
	type Outcome,
} from '../shared/run/outcome';
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
import { differenceOf, withoutEmpty, type Difference } from './difference';
import type { ListContents } from './readList';
import type { Row, RowEntry } from './row';

/** Step under which the values of a contact are kept that is about to be deleted. */
const VALUES = 'values';

/**
 * Compares each row with its list, and changes what differs. Rows about the same number go one after the other, in
 * their order.
 *
 * @param isPlan nothing is changed
 */
export async function changeContacts<R extends Row>(
	entries: ReadonlyArray<RowEntry<R>>,
	clientOf: (entry: RowEntry<R>) => Client,
	listOf: (listId: string, client: Client) => Promise<ListContents>,
	isPlan = false,
): Promise<Map<number, Outcome>> {
	const outcomes = new Map<number, Outcome>();
	const groups = new Map<string, Array<RowEntry<R>>>();
	await forEach(entries, (entry) => {
		const { listId, number } = entry.prepared;
		const key = `${listId} ${number}`;
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [entry]);
		else group.push(entry);
	});
	await forEachConcurrently(
		groups.values(),
		async (group) => {
			// One for all: the values of a contact that is out are kept once.
			const client = clientOf(group[0]);
			let before: Outcome | undefined;
			for (const entry of group) {
				const outcome =
					afterFailure(before) ??
					(await changeOne(entry.prepared, client, listOf, isPlan));
				outcomes.set(entry.index, outcome);
				before = outcome;
			}
		},
		// No more contacts are deleted at a time than can be added again at once.
		clientOf(entries[0]).concurrency,
	);
	return outcomes;
}

/** The outcome of a row whose number an earlier row has left in doubt: nobody knows what the list has now. */
function afterFailure(before: Outcome | undefined): Outcome | undefined {
	if (before === undefined || !isFailure(before)) return undefined;
	if (before.status === 'unknown') return before;
	const message = 'Not started, because an earlier item about the same number failed';
	return { ...NOT_STARTED, message, advice: '' };
}

async function changeOne(
	row: Row,
	client: Client,
	listOf: (listId: string, client: Client) => Promise<ListContents>,
	isPlan: boolean,
): Promise<Outcome> {
	try {
		const { contacts, columns } = await listOf(row.listId, client);
		const difference = differenceOf({ ...row, columns }, contacts.get(row.number) ?? []);
		const { action, kept, values, previous, problem } = difference;
		if (problem !== undefined) {
			const { message, advice } = invalid(problem);
			const failure = { message, advice, transient: false, general: false };
			throw client.refuse({ status: 'notSent', ...failure });
		}
		let contact: Contact = kept ?? { identifier: row.identifier, attributes: values };
		if (action !== 'unchanged' && !isPlan)
			contact = await changeContact(row, difference, columns, client);
		contacts.set(row.number, [contact]);
		const rename = namedBy(columns);
		return {
			status: 'done',
			value: {
				[isPlan ? 'wouldBe' : 'action']: action,
				...(contact.id === undefined ? {} : { id: contact.id }),
				attributes: rename(kept === undefined ? contact.attributes : values),
				...(Object.keys(previous).length === 0 ? {} : { previous: rename(previous) }),
			},
		};
	} catch (error) {
		return failureOf(error);
	}
}

/**
 * Makes a contact as it is to be. The service has no request that changes one: it is deleted and added again (interface
 * document 4.5). Where the service refuses the new values, the old ones are added back, once.
 *
 * @returns the contact as the list has it then
 * @throws StepFailed with its values where it is missing now, or may be
 */
async function changeContact(
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

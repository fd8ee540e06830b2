import { forEach, forEachConcurrently } from '../shared/run/chunks';
import type { Client } from '../shared/run/client';
import { failureOf, invalid, isFailure, NOT_STARTED, type Outcome } from '../shared/run/outcome';
import type { Contact } from '../shared/service/contacts';
import { namedBy } from './attributes';
import { changeContact } from './changeContact';
import { differenceOf } from './difference';
import type { ListContents } from './readList';
import type { Row, RowEntry } from './row';

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

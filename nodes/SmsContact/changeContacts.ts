import type { IDataObject } from 'n8n-workflow';
import { forEachConcurrently } from '../shared/chunks';
import type { Client } from '../shared/run/client';
import type { OpenEntry } from '../shared/run/operation';
import { invalidNow, isFailure, notStarted, type Outcome } from '../shared/run/outcome';
import { failureOf } from '../shared/run/unknown';
import type { Contact } from '../shared/service/contacts';
import { InputError } from '../shared/service/InputError';
import { changeContact } from './changeContact';
import { differenceOf, withoutEmpty } from './difference';
import { groupBy } from './groupBy';
import { readContents, type ListContents } from './readList';
import { noteOnRows, type Row } from './row';

/**
 * Compares each row with its list, and changes what differs. Rows about the same number go one after the other, in
 * their order.
 */
export async function changeContacts(
	entries: ReadonlyArray<OpenEntry<Row>>,
	clientOf: (entry: OpenEntry<Row>) => Client,
): Promise<Map<number, Outcome>> {
	const firstClient = clientOf(entries[0]);
	await noteOnRows(entries, firstClient);
	const outcomes = new Map<number, Outcome>();
	const keyOf = ({ prepared }: OpenEntry<Row>) => `${prepared.listId} ${prepared.number}`;
	const groups = await groupBy(entries, keyOf);
	await forEachConcurrently(
		groups.values(),
		async (group) => {
			// One for all: the values of a contact that is out are kept once.
			const client = clientOf(group[0]);
			let hasFailed = false;
			for (const { prepared, index } of group) {
				const outcome = hasFailed ? NOT_TRIED : await changeOne(prepared, client);
				hasFailed ||= isFailure(outcome);
				outcomes.set(index, outcome);
			}
		},
		// No more contacts are deleted at a time than can be added again at once.
		() => firstClient.concurrency,
	);
	return outcomes;
}

/** Nobody knows what the list has of its number now. */
const NOT_TRIED = notStarted(
	'Not started, because an earlier item about the same number failed',
	'',
);

async function changeOne(row: Row, client: Client): Promise<Outcome> {
	try {
		const list = await readContents(row.listId, client);
		const { contacts, columns, named } = list;
		const difference = differenceOf({ ...row, columns }, contacts.get(row.number) ?? []);
		const { action, kept, old, previous } = difference;
		const { number, attributes, planOnly: isPlan } = row;
		const contact =
			action === 'unchanged' || isPlan
				? (kept ?? { identifier: number, attributes: { ...old, ...attributes } })
				: await changeContact(row, difference, list, client);
		contacts.set(row.number, [contact]);
		const change = Object.keys(previous).length === 0 ? {} : { previous: named(previous) };
		return {
			status: 'done',
			value: { ...contactResult(action, contact, list, isPlan), ...change },
		};
	} catch (error) {
		if (!(error instanceof InputError)) return failureOf(error);
		return client.refuse(invalidNow(error)).failure;
	}
}

/** @param isPlan it only would be done */
export function contactResult(
	action: string,
	{ id, attributes }: Contact,
	{ named }: ListContents,
	isPlan = false,
): IDataObject {
	return {
		[isPlan ? 'wouldBe' : 'action']: action,
		...(id === undefined ? {} : { id }),
		attributes: named(withoutEmpty(attributes)),
	};
}

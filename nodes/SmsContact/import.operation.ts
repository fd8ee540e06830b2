import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readRepeatUnknown, repeatUnknown, settingsFields } from '../shared/fields/options';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { fingerprint } from '../shared/run/fingerprint';
import { failureOf, type Outcome } from '../shared/run/outcome';
import { isEmpty } from '../shared/service/answers';
import { CONTACTS, readContact, valueIn } from '../shared/service/contacts';
import { InputError } from '../shared/service/InputError';
import { isSimilarName, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import {
	contactFields,
	noteIgnored,
	readRow,
	refuseOtherLists,
	withValues,
	type Row,
	type RowEntry,
} from './row';

/** Name of the column with the phone numbers in an import. */
const NUMBER_COLUMN = 'tel';
const ROWS_PER_REQUEST = 500;

const request = 'POST /v2/lists/{listId}/import';

/** Many contacts in one request (extended: public facts). */
export const importContacts = defineOperation<Row>({
	name: 'Import Contacts',
	value: 'import',
	action: 'Import contacts into list',
	description:
		'Add all input items to a contact list at once. To change contacts that it has, use Sync Contacts.',
	builderHint:
		'Use to add thousands of rows to a list in few requests. Not every account has it; the operation add works everywhere.',
	fields: [...contactFields, ...settingsFields({ options: [repeatUnknown] })],
	request,
	sourceParameters: ['list', 'number'],
	verb: 'imported',
	prepare: (item) => ({ ...readRow(item), resendUnknown: readRepeatUnknown(item.options) }),
	check: async (row, client, item) => await withValues(row, client, item),
	compare: (entries) =>
		refuseOtherLists(
			entries,
			'You can only import to one list at a time. Import one list after the other, or use the operation Add Contact.',
		),
	begin: (_, entries, client) => noteIgnored(entries, client),
	executeAll: async (entries, clientOf) =>
		await importRows(entries, clientOf({ ...entries[0], identity: {} })),
	execute: () => [],
	howToFindOut: () =>
		"The operation Get Many Contacts tells which contacts are in the list now. For those that are missing, add 'Repeat if Unknown' under Options and turn it on, save the workflow, and choose 'Retry with currently saved workflow' in Executions.",
});

/**
 * Imports rows in parts, one request after the other. Each has a receipt of its own: a retry imports none twice.
 *
 * @throws InputError before anything is imported
 */
async function importRows(
	entries: readonly RowEntry[],
	client: Client,
): Promise<ReadonlyMap<number, Outcome>> {
	const [{ prepared: first }] = entries;
	const path = { listId: first.listId };
	const columns = usedColumns(entries.map(({ prepared }) => prepared));
	// An answer doesn't tell who is new. A list that can't be read may take them all the same.
	const get = { endpoint: CONTACTS, path };
	const found = await client.getAll(get, readNumber, () => true).catch(() => undefined);
	const listed = found && new Set(found.records);
	const outcomes = new Map<number, Outcome>();
	const accepted: number[] = [];
	const parts: IDataObject[] = [];
	for (let start = 0; start < entries.length; start += ROWS_PER_REQUEST) {
		const part = entries.slice(start, start + ROWS_PER_REQUEST);
		try {
			parts.push(await importPart(part.map(({ prepared }) => prepared)));
			for (const { index } of part) accepted.push(index);
		} catch (error) {
			for (const { index } of part) outcomes.set(index, failureOf(error));
		}
	}
	for (const index of accepted) outcomes.set(index, { status: 'done', value: [] });
	if (parts.length === 0) return outcomes;
	const item: INodeExecutionData = {
		json: { ...totalOf(parts, accepted.length), ...path },
		pairedItem: accepted.map((index) => ({ item: index })),
	};
	if ('answers' in item.json)
		client.warn(
			"The service may have refused some of the contacts: see 'answers' in the result.",
		);
	return outcomes.set(accepted[0], { status: 'done', value: [item] });

	async function importPart(rows: readonly Row[]): Promise<IDataObject> {
		const numbers = rows.map(({ number }) => number);
		const added = listed && new Set(numbers.filter((number) => !listed.has(number))).size;
		// Its numbers are part of its name: other rows of the same items are another import.
		const step = { step: `import ${fingerprint(numbers)}`, content: [path, numbers] };
		const result = await client.change<IDataObject>(
			{ endpoint: request, path, body: toTable(rows, columns), ...step },
			(body) => readNothing(body) && (isEmpty(body) ? { added } : { answer: body as object }),
		);
		for (const number of numbers) listed?.add(number);
		return result;
	}
}

/** How many were imported and new, or what the service said of it instead. */
function totalOf(parts: readonly IDataObject[], imported: number): IDataObject {
	const answers = parts.flatMap(({ answer }) => answer ?? []);
	if (answers.length > 0) return { answers };
	const added = parts.reduce((sum, part) => sum + Number(part.added), 0);
	return Number.isNaN(added) ? { imported } : { imported, added, alreadyThere: imported - added };
}

function readNumber(record: unknown): string | undefined {
	const contact = readContact(record);
	return contact && canonicalNumber(contact.identifier ?? '');
}

/** The rows of the request; the first one names the columns. */
function toTable(rows: readonly Row[], columns: readonly Column[]): string[][] {
	return [
		[NUMBER_COLUMN, ...columns.map(({ name }) => name)],
		...rows.map(({ identifier, attributes }) => [
			identifier,
			...columns.map(({ id }) => valueIn(attributes, id) ?? ''),
		]),
	];
}

/**
 * The columns that a contact has a value for. An import knows them by name only, and has one of its own.
 *
 * @throws InputError for one that could be taken for another
 */
function usedColumns(rows: readonly Row[]): Column[] {
	// Those of the list were looked up for rows that have values.
	const { columns } = rows.find((row) => row.columns.length > 0) ?? rows[0];
	const names = [NUMBER_COLUMN, ...columns.map(({ name }) => name)];
	const used = columns.filter(({ id }) =>
		rows.some(({ attributes }) => Object.hasOwn(attributes, id)),
	);
	const unclear = used.find(
		({ name }) => names.filter((other) => isSimilarName(other, name)).length > 1,
	);
	if (unclear === undefined) return used;
	throw new InputError(
		`Import can't fill in the column '${unclear.name}'`,
		`An import only uses names of columns: '${NUMBER_COLUMN}' stands for the phone numbers, and columns with the same name can't be told apart. Use the operation Add Contact, or leave the column out.`,
	);
}

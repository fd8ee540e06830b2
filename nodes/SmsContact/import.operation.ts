import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readRepeatUnknown, repeatUnknown, settingsFields } from '../shared/fields/options';
import { forEach } from '../shared/run/chunks';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { fingerprint } from '../shared/run/fingerprint';
import { failureOf, fieldsOf, invalid, type Outcome } from '../shared/run/outcome';
import { asNumber, asObject, without, type Fields } from '../shared/service/answers';
import { CONTACTS, readContact, valueIn } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { isSimilarName, visibleName } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { asRecords, readNothing } from '../shared/service/records';
import {
	contactFields,
	noteIgnored,
	readRow,
	refuseOtherLists,
	withColumns,
	type Row,
	type RowEntry,
} from './row';

/** Name of the column with the phone numbers in an import. */
const NUMBER_COLUMN = 'tel';
const ROWS_PER_REQUEST = 500;
/** For the contacts that are in the list. Milliseconds. */
const LONGEST_WAIT = 60_000;

const request = 'POST /v2/lists/{listId}/import';

/** Many contacts in one request (extended: public facts). */
export const importContacts = defineOperation<Row>({
	name: 'Import Contacts',
	value: 'import',
	action: 'Import contacts into list',
	description:
		'Add all input items to a contact list at once. To change contacts that it has, use Sync Contacts. Not available on every account.',
	builderHint:
		'Use to add thousands of rows to a list in few requests. Not every account has it; the operation add works everywhere.',
	fields: [...contactFields, ...settingsFields({ options: [repeatUnknown] })],
	request,
	sourceParameters: ['list', 'number'],
	verb: 'imported',
	prepare: (item) => ({ ...readRow(item), resendUnknown: readRepeatUnknown(item.options) }),
	check: async (row, client) => await withColumns(row, client),
	compare(entries) {
		refuseOtherLists(
			entries,
			'You can only import to one list at a time. Import one list after the other, or use the operation Add Contact.',
		);
		refuseUnclear(entries);
	},
	executeAll: async (entries, clientOf) =>
		await importRows(entries, clientOf({ ...entries[0], identity: {} })),
	execute: () => [],
	howToFindOut: () =>
		"The operation Get Many Contacts tells which contacts are in the list now. For those that are missing, turn on 'Repeat if Unknown' under Options, save the workflow, and choose 'Retry with currently saved workflow' in Executions.",
});

/** Imports rows in parts, one request after the other. Each has a receipt of its own: a retry imports none twice. */
async function importRows(
	entries: readonly RowEntry[],
	client: Client,
): Promise<ReadonlyMap<number, Outcome>> {
	const [{ prepared: first }] = entries;
	const listed = await numbersIn(first.listId, client);
	const outcomes = new Map<number, Outcome>();
	const accepted: number[] = [];
	let total: IDataObject | undefined;
	for (let start = 0; start < entries.length; start += ROWS_PER_REQUEST) {
		const part = entries.slice(start, start + ROWS_PER_REQUEST);
		try {
			const rows = part.map(({ prepared }) => prepared);
			total = sum(total, await importPart(rows, listed, client));
			for (const { number } of rows) listed?.add(number);
			for (const { index } of part) accepted.push(index);
		} catch (error) {
			for (const { index } of part) outcomes.set(index, failureOf(error));
		}
	}
	for (const index of accepted) outcomes.set(index, { status: 'done', value: [] });
	if (total !== undefined) {
		const item: INodeExecutionData = {
			json: { ...total, listId: first.listId },
			pairedItem: accepted.map((index) => ({ item: index })),
		};
		outcomes.set(accepted[0], { status: 'done', value: [item] });
		if (Number(total.imported) < accepted.length)
			client.warn(
				`The service imported ${String(total.imported)} of ${countOf(accepted.length, 'contact')}.`,
			);
		await noteIgnored(entries, client);
	}
	return outcomes;
}

/** Adds up the counts that all answers have, and joins lists, such as the rows that were refused. */
function sum(total: IDataObject | undefined, answer: IDataObject): IDataObject {
	if (total === undefined) return answer;
	const names = Object.keys(answer).filter((name) => name in total);
	return Object.fromEntries(
		names.map((name) => {
			const [before, now] = [total[name], answer[name]];
			if (Array.isArray(before) && Array.isArray(now)) return [name, [...before, ...now]];
			const areCounts = typeof before === 'number' && typeof now === 'number';
			return [name, areCounts ? before + now : now];
		}),
	);
}

/** The numbers in the list, which the answer to an import doesn't tell; undefined where they can't be read. */
async function numbersIn(listId: string, client: Client): Promise<Set<string> | undefined> {
	const get = { endpoint: CONTACTS, path: { listId } };
	const contacts = await client.tryGet(get, asRecords, LONGEST_WAIT);
	if (contacts === undefined) return undefined;
	const numbers = new Set<string>();
	await forEach(contacts, (contact) => {
		const { identifier } = readContact(contact) ?? {};
		if (identifier !== undefined) numbers.add(canonicalNumber(identifier));
	});
	return numbers;
}

/** @throws StepFailed */
async function importPart(
	rows: readonly Row[],
	listed: ReadonlySet<string> | undefined,
	client: Client,
): Promise<IDataObject> {
	const [{ listId }] = rows;
	const numbers = rows.map(({ number }) => number);
	const added = new Set(numbers.filter((number) => listed?.has(number) === false)).size;
	return await client.change<IDataObject>(
		{
			endpoint: request,
			path: { listId },
			body: toTable(rows),
			// Its numbers are part of its name: other rows of the same items are another import.
			step: `import ${fingerprint(numbers)}`,
			content: [listId, numbers],
		},
		(body) => {
			if (readNothing(body) === undefined) return undefined;
			const said = asObject(body) ?? {};
			const imported = countIn(said, COUNTS) ?? rows.length - (countIn(said, REFUSED) ?? 0);
			// Where the service left some out, nobody knows which.
			const isCounted = listed !== undefined && imported === rows.length;
			const counts = isCounted ? { added, alreadyThere: rows.length - added } : {};
			return { imported, ...counts, ...fieldsOf(without(said, ['imported'])) };
		},
	);
}

/** Possible names of the contacts that were taken, and of those that weren't; the document has none. */
const COUNTS = ['imported', 'added', 'created', 'count', 'contacts'] as const;
const REFUSED = ['rejected', 'refused', 'errors', 'failed', 'invalid'] as const;

/** The first of some fields that is a number or a list. */
function countIn(said: Fields, names: readonly string[]): number | undefined {
	return names
		.map((name) => said[name])
		.map((value) => (Array.isArray(value) ? value.length : asNumber(value)))
		.find((count) => count !== undefined);
}

/** The rows of the request; the first one names the columns, those that no contact has left out. */
function toTable(rows: readonly Row[]): string[][] {
	const { columns = [] } = rows.find((row) => row.columns.length > 0) ?? {};
	const used = columns.filter(({ id }) =>
		rows.some(({ attributes }) => Object.hasOwn(attributes, id)),
	);
	return [
		[NUMBER_COLUMN, ...used.map(({ name }) => name)],
		...rows.map(({ identifier, attributes }) => [
			identifier,
			...used.map(({ id }) => valueIn(attributes, id) ?? ''),
		]),
	];
}

/**
 * An import knows columns by name only, and has one of its own: values for two that look alike are refused. A column
 * called `tel` that holds the number itself is left out, since the number is there already.
 */
function refuseUnclear(entries: readonly RowEntry[]): void {
	const { columns } =
		entries.map(({ prepared }) => prepared).find((row) => row.columns.length > 0) ?? {};
	for (const { id, name } of columns ?? []) {
		const isNumber = visibleName(name) === NUMBER_COLUMN;
		const isAlone = columns!.filter((other) => isSimilarName(other.name, name)).length === 1;
		if (!isNumber && isAlone) continue;
		const error = isNumber
			? new InputError(
					`Import can't fill in the column '${name}'`,
					'The service takes a column with this name for the phone numbers. Use the operation Add Contact, or leave the column out.',
				)
			: new InputError(
					`Import can't tell the columns called '${name}' apart`,
					'The list has several columns with this name, and the import only uses names. Use the operation Add Contact, or leave the column out.',
				);
		for (const entry of entries) {
			const { attributes, number } = entry.prepared;
			if (!Object.hasOwn(attributes, id)) continue;
			if (isNumber && canonicalNumber(attributes[id]) === number) delete attributes[id];
			else entry.outcome ??= invalid(error);
		}
	}
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { readRepeatUnknown, repeatUnknown, settingsFields } from '../shared/fields/options';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { fingerprint } from '../shared/run/fingerprint';
import { failureOf, fieldsOf, invalid, type Outcome } from '../shared/run/outcome';
import { asNumber, asObject, without, type Fields } from '../shared/service/answers';
import { CONTACTS, readContact, valueIn } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { isSimilarName, visibleName, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { groupBy } from './groupBy';
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
			for (const { number } of rows) listed?.set(number, []);
			for (const { index } of part) accepted.push(index);
		} catch (error) {
			for (const { index } of part) outcomes.set(index, failureOf(error));
		}
	}
	for (const index of accepted) outcomes.set(index, { status: 'done', value: [] });
	if (total === undefined) return outcomes;
	const item: INodeExecutionData = {
		json: { ...total, listId: first.listId },
		pairedItem: accepted.map((index) => ({ item: index })),
	};
	outcomes.set(accepted[0], { status: 'done', value: [item] });
	if (Number(total.imported) < accepted.length)
		client.warn(
			`The service imported ${String(total.imported)} of ${countOf(accepted.length, 'contact')}.`,
		);
	noteIgnored(entries, client);
	return outcomes;
}

/** Adds up the counts that all answers have, and joins lists, such as the rows that were refused. */
function sum(total: IDataObject | undefined, answer: IDataObject): IDataObject {
	if (total === undefined) return answer;
	const common = Object.entries(answer).filter(([name]) => name in total);
	return Object.fromEntries(
		common.map(([name, now]) => {
			const before = total[name];
			if (Array.isArray(before)) return [name, [...before, now].flat()];
			return [name, typeof before === 'number' ? before + Number(now) : now];
		}),
	);
}

/** The contacts of the list by number, which the answer to an import doesn't tell; undefined where they can't be read. */
async function numbersIn(
	listId: string,
	client: Client,
): Promise<Map<string, unknown[]> | undefined> {
	const get = { endpoint: CONTACTS, path: { listId } };
	const found = await client.getAll(get, readContact, () => true).catch(() => undefined);
	return found && (await groupBy(found.records, (one) => canonicalNumber(one.identifier ?? '')));
}

/** @throws StepFailed */
async function importPart(
	rows: readonly Row[],
	listed: ReadonlyMap<string, unknown> | undefined,
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
const COUNTS = ['imported', 'added', 'created', 'count', 'contacts'];
const REFUSED = ['rejected', 'refused', 'errors', 'failed', 'invalid'];

/** The first of some fields that is a number or a list. */
function countIn(said: Fields, names: readonly string[]): number | undefined {
	return names
		.map((name) => said[name])
		.map((value) => (Array.isArray(value) ? value.length : asNumber(value)))
		.find((count) => count !== undefined);
}

/** The rows of the request; the first one names the columns, those that no contact has left out. */
function toTable(rows: readonly Row[]): string[][] {
	const used = columnsOf(rows).filter(({ id }) =>
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

/** The columns of the list, which were looked up for rows that have values. */
function columnsOf(rows: readonly Row[]): readonly Column[] {
	return rows.find(({ columns }) => columns.length > 0)?.columns ?? [];
}

/**
 * An import knows columns by name only, and has one of its own: values for two that look alike are refused. A column
 * called `tel` that holds the number itself is left out, since the number is there already.
 */
function refuseUnclear(entries: readonly RowEntry[]): void {
	const columns = columnsOf(entries.map(({ prepared }) => prepared));
	for (const { id, name } of columns) {
		const isNumber = visibleName(name) === NUMBER_COLUMN;
		const isAlone = columns.filter((other) => isSimilarName(other.name, name)).length === 1;
		if (!isNumber && isAlone) continue;
		const error = new InputError(
			`Import can't fill in the column '${name}'`,
			`An import only uses names of columns: '${NUMBER_COLUMN}' stands for the phone numbers, and columns with the same name can't be told apart. Use the operation Add Contact, or leave the column out.`,
		);
		for (const entry of entries) {
			const { attributes, number } = entry.prepared;
			if (!Object.hasOwn(attributes, id)) continue;
			if (isNumber && canonicalNumber(attributes[id]) === number) delete attributes[id];
			else entry.outcome ??= invalid(error);
		}
	}
}

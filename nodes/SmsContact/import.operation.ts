import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { settingsFields, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { defineOperation } from '../shared/run/define';
import { fingerprint } from '../shared/run/fingerprint';
import type { Prepared } from '../shared/run/operation';
import { fieldsOf, StepFailed, type Outcome } from '../shared/run/outcome';
import type { Client } from '../shared/run/client';
import { asNumber, asObject } from '../shared/service/answers';
import { valueIn } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { meaningOf } from '../shared/service/errorCodes';
import { InputError } from '../shared/service/InputError';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { attributesField, readAttributes, writeAttributes, type TypedValues } from './attributes';
import { refuseOtherLists } from './oneList';

/** Name of the column with the phone numbers in an import. */
const NUMBER_COLUMN = 'tel';

interface Row extends Prepared {
	listId: string;
	identifier: string;
	typed: TypedValues;
	/** Once the columns were looked up: all of them, and the values by column ID. */
	columns: readonly Column[];
	attributes: Record<string, string>;
}

const request = 'POST /v2/lists/{listId}/import';

/** Many contacts in one request (extended: public facts). */
export const importContacts = defineOperation<Row>({
	name: 'Import Contacts',
	value: 'import',
	action: 'Import contacts into list',
	description:
		'Add all input items to a contact list at once. To change contacts that it has, use Sync Contacts. Not available on every account.',
	builderHint:
		'Use to add thousands of rows to a list in one request. Not every account has it; the operation add works everywhere.',
	fields: [
		listLocatorField,
		numberField,
		attributesField,
		...settingsFields({ options: [repeatUnknown] }),
	],
	request,
	sourceParameters: ['list', 'number'],
	verb: 'imported',
	prepare(item) {
		return {
			listId: readListId(item),
			identifier: item.number(),
			typed: readAttributes(item.parameter('attributes', null), item.json),
			columns: [],
			attributes: {},
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	async check(row, client, { timeZone }) {
		if (Object.keys(row.typed.values).length === 0) return row;
		const get = { endpoint: LIST, path: { listId: row.listId } };
		const columns = await client.once(get, readColumns);
		const attributes = writeAttributes(row.typed, columns, timeZone);
		return withoutClashes({ ...row, columns, attributes });
	},
	compare: (entries) =>
		refuseOtherLists(
			entries,
			'You can only import to one list at a time. Import one list after the other, or use the operation Add Contact.',
		),
	executeAll: async (entries, clientOf) =>
		await importRows(
			new Map(entries.map(({ index, prepared }) => [index, prepared])),
			clientOf({ ...entries[0], identity: {} }),
		),
	execute: () => [],
	howToFindOut: () => 'The operation Get Many Contacts tells which contacts are in the list now.',
});

/** Rows of one request, by item index. */
type Chunk = ReadonlyArray<readonly [index: number, row: Row]>;

/**
 * Imports all rows at once, or in halves where that is too much for the service, one request after the
 * other. Each has a receipt of its own, also that it was too much: a retry imports no row twice.
 */
async function importRows(
	rows: ReadonlyMap<number, Row>,
	client: Client,
): Promise<ReadonlyMap<number, Outcome>> {
	const outcomes = new Map<number, Outcome>();
	const accepted: number[] = [];
	let total: IDataObject = {};
	for (const waiting: Chunk[] = [[...rows]]; waiting.length > 0; ) {
		const chunk = waiting.shift()!;
		const result = await importChunk(chunk, client).catch((error: unknown) => {
			if (error instanceof StepFailed) return error;
			throw error;
		});
		if (result instanceof StepFailed) {
			for (const [index] of chunk) outcomes.set(index, result.failure);
		} else if (result.isTooMuch === true) {
			const half = Math.ceil(chunk.length / 2);
			waiting.unshift(chunk.slice(0, half), chunk.slice(half));
		} else {
			total = sum(total, result);
			for (const [index] of chunk) accepted.push(index);
		}
	}
	const [{ listId }] = rows.values();
	for (const index of accepted) outcomes.set(index, { status: 'done', value: [] });
	const [first] = accepted;
	if (first !== undefined) {
		const item: INodeExecutionData = {
			json: { imported: total.imported, listId, ...total },
			pairedItem: accepted.map((index) => ({ item: index })),
		};
		outcomes.set(first, { status: 'done', value: [item] });
		const note = describe(accepted.map((index) => rows.get(index)!));
		if (note !== undefined) client.note(note);
	}
	return outcomes;
}

/** A note beside its one result. */
function describe(imported: readonly Row[]): string | undefined {
	const numbers = new Set(imported.map(({ identifier }) => canonicalNumber(identifier)));
	const again = imported.length - numbers.size;
	if (again === 0) return undefined;
	return countOf(again, 'item') + ' had the number of an earlier one.';
}

/** The answers to several requests as one: counts add up. */
function sum(total: IDataObject, answer: IDataObject): IDataObject {
	const result = { ...total };
	for (const [name, value] of Object.entries(answer)) {
		const before = total[name];
		result[name] =
			typeof before === 'number' && typeof value === 'number' ? before + value : value;
	}
	return result;
}

/** @throws StepFailed */
async function importChunk(chunk: Chunk, client: Client): Promise<IDataObject> {
	const contacts = chunk.map(([, row]) => row);
	const [{ listId }] = contacts;
	const columns = contacts.find((row) => row.columns.length > 0)?.columns ?? [];
	const numbers = contacts.map(({ identifier }) => canonicalNumber(identifier));
	return await client.change<IDataObject>(
		{
			endpoint: request,
			path: { listId },
			body: toTable(contacts, columns),
			// Its numbers are part of its name: other rows of the same items are another import.
			step: `import ${fingerprint(numbers)}`,
			content: [listId, numbers],
			comesTo: (failure) =>
				meaningOf(failure) === 'tooMuch' && chunk.length > 1
					? { isTooMuch: true }
					: undefined,
		},
		(body) => readImported(body, chunk.length),
	);
}

/** The rows of the request; the first one names the columns, those that no contact has left out. */
function toTable(contacts: readonly Row[], columns: readonly Column[]): string[][] {
	const used = usedColumns(contacts, columns);
	return [
		[NUMBER_COLUMN, ...used.map(({ name }) => name)],
		...contacts.map(({ identifier, attributes }) => [
			identifier,
			...used.map(({ id }) => valueIn(attributes, id) ?? ''),
		]),
	];
}

function usedColumns(contacts: readonly Row[], columns: readonly Column[]): Column[] {
	return columns.filter(({ id }) =>
		contacts.some(({ attributes }) => Object.hasOwn(attributes, id)),
	);
}

/**
 * An import knows columns by name only, and has one of its own: two of one name can't be told apart. A
 * column called `tel` that holds the number itself is left out, since the number is there already.
 *
 * @throws InputError
 */
function withoutClashes(row: Row): Row {
	const attributes = { ...row.attributes };
	for (const { id, name } of row.columns) {
		if (!Object.hasOwn(attributes, id)) continue;
		const isCalled = (other: string) =>
			other.trim().toLowerCase() === name.trim().toLowerCase();
		if (isCalled(NUMBER_COLUMN)) {
			if (canonicalNumber(attributes[id]) !== canonicalNumber(row.identifier)) {
				throw new InputError(
					`Import can't fill in the column '${name}'`,
					'The service takes a column with this name for the phone numbers. Use the operation Add Contact, or leave the column out.',
				);
			}
			delete attributes[id];
		} else if (row.columns.filter((column) => isCalled(column.name)).length > 1) {
			throw new InputError(
				`Import can't tell the columns called '${name}' apart`,
				'The list has several columns with this name, and the import only uses names. Use the operation Add Contact, or leave the column out.',
			);
		}
	}
	return { ...row, attributes };
}

/** Possible names of the number of contacts that were taken; the document has none. */
const COUNTS = ['imported', 'added', 'created', 'count', 'contacts'] as const;

/**
 * 201 and a Location header. Where the body says how many were taken, that counts; otherwise all that were
 * given were.
 */
function readImported(body: unknown, given: number): IDataObject | undefined {
	if (readNothing(body) === undefined) return undefined;
	const said = asObject(body) ?? {};
	const [counted] = COUNTS.map((name) => asNumber(said[name])).filter(
		(count) => count !== undefined,
	);
	return {
		...fieldsOf(said),
		imported: counted ?? given,
	};
}

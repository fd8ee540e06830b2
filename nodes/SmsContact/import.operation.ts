import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { optionsField, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import type { Answer } from '../shared/http/failure';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import type { Requests } from '../shared/run/Requests';
import { InputError } from '../shared/service/InputError';
import { listPath, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { attributesField, readAttributes, writeAttributes, type TypedValues } from './attributes';

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

/** Extended: POST /v2/lists/<list_id>/import (public facts). */
export const importContacts = defineOperation<Row>({
	name: 'Import',
	value: 'import',
	action: 'Import contacts to list',
	description: 'Add all input items to a contact list in a single request (extended)',
	fields: [listLocatorField, numberField, attributesField, optionsField([repeatUnknown])],
	request: { method: 'POST', url: listPath('list', '/import') },
	custom: "one request for all items, which n8n's router can't make",
	madeOf: ['list', 'number'],
	deed: 'imported',
	prepare(item) {
		return {
			listId: readListId(item),
			identifier: parseNumber(item.parameter('number')),
			typed: readAttributes(item.parameter('attributes', null), item.json),
			columns: [],
			attributes: {},
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	async check(row, requests, { timeZone, index }) {
		// All items share what is kept under one key: the first one says which list it is.
		const first = await requests.together('list', () =>
			Promise.resolve({ index, id: row.listId }),
		);
		if (row.listId !== first.id) {
			throw new InputError(
				`'List' is another one than that of the items before`,
				'One import goes to one list. Use the operation Add, or import one list after the other.',
			);
		}
		if (Object.keys(row.typed.values).length === 0) return row;
		const columns = await requests.once({ url: listPath(row.listId) }, readColumns);
		return { ...row, columns, attributes: writeAttributes(row.typed, columns, timeZone) };
	},
	carryOutAll: importRows,
	carryOut: () => [],
	howToFindOut: () => 'The operation Get Many tells which contacts are in the list now.',
});

async function importRows(
	rows: ReadonlyMap<number, Row>,
	requests: Requests,
): Promise<INodeExecutionData[]> {
	const [{ listId }] = rows.values();
	const contacts = [...rows.values()];
	const columns = contacts.find((row) => row.columns.length > 0)?.columns ?? [];
	const answer = await requests.change(
		{
			method: 'POST',
			url: listPath(listId, '/import'),
			body: toTable(contacts, columns),
			step: 'import',
			essence: [listId, contacts.map(({ identifier }) => canonicalNumber(identifier))],
		},
		readImported,
	);
	return [
		{
			json: { imported: contacts.length, listId, ...answer },
			pairedItem: [...rows.keys()].map((item) => ({ item })),
		},
	];
}

/** The rows of the request; the first one names the columns, those that no contact has left out. */
function toTable(contacts: readonly Row[], columns: readonly Column[]): string[][] {
	const used = columns.filter(({ id }) => contacts.some(({ attributes }) => id in attributes));
	return [
		[NUMBER_COLUMN, ...used.map(({ name }) => name)],
		...contacts.map(({ identifier, attributes }) => [
			identifier,
			...used.map(({ id }) => attributes[id] ?? ''),
		]),
	];
}

/** 201 and a Location header. */
function readImported(body: unknown, { headers }: Answer): IDataObject | undefined {
	if (readNothing(body) === undefined) return undefined;
	const { location } = headers;
	return typeof location === 'string' ? { location } : {};
}

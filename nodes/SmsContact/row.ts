import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { forEach } from '../shared/run/chunks';
import type { Client } from '../shared/run/client';
import type { OpenEntry, Prepared } from '../shared/run/operation';
import { invalid } from '../shared/run/outcome';
import { InputError } from '../shared/service/InputError';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { attributesField, readAttributes, writeAttributes, type TypedValues } from './attributes';

/** An item that is about a contact of a list. */
export interface Row extends Prepared {
	listId: string;
	identifier: string;
	/** The same in international format. */
	number: string;
	/** Until the columns of the list were looked up. */
	typed: TypedValues;
	columns: readonly Column[];
	/** The values as they are written, by column ID. */
	attributes: Record<string, string>;
	/** Fields of the input item that are for no column. */
	ignored: readonly string[];
	/** IANA name of the workflow's time zone. */
	timeZone: string;
}

export type RowEntry<R extends Row = Row> = OpenEntry<R>;

/** The fields of a contact. */
export const contactFields: INodeProperties[] = [listLocatorField, numberField, attributesField];

/** @throws InputError */
export function readRow(item: Item): Row {
	const listId = readListId(item);
	const identifier = item.number();
	const number = canonicalNumber(identifier);
	return {
		...{ listId, identifier, number },
		typed: readAttributes(item.parameter('attributes', null), item.json),
		...{ columns: [], attributes: {}, ignored: [] },
		timeZone: item.timeZone,
		target: [listId, number],
		subject: identifier,
		extra: { number, listId },
	};
}

/**
 * The row with its values as the service takes them; the columns of a list are looked up once in a run.
 *
 * @param empty stands for an empty value, which is left out by default
 * @throws InputError, StepFailed
 */
export async function withColumns<R extends Row>(row: R, client: Client, empty?: ''): Promise<R> {
	const { listId, typed, timeZone } = row;
	if (Object.keys(typed.values).length === 0) return row;
	const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
	const written = writeAttributes(typed, columns, timeZone, empty);
	// There may be hundreds of thousands of rows: the values as typed are let go.
	return { ...row, ...written, columns, typed: { values: {}, automatic: false } };
}

const MAX_NAMED = 10;

/** Says which fields *Map Automatically* found no column for, except for those that other parameters read. */
export async function noteIgnored(entries: readonly RowEntry[], client: Client): Promise<void> {
	const ignored = new Set<readonly string[]>();
	await forEach(entries, ({ prepared }) => void ignored.add(prepared.ignored));
	const [{ item }] = entries;
	const used = JSON.stringify(['number', 'list'].map((name) => item.typed(name)));
	const names = [...new Set([...ignored].flat())]
		.filter((name) => !used.includes(name))
		.map((name) => `'${name}'`);
	if (names.length === 0) return;
	const rest = names.length - MAX_NAMED;
	const more = rest > 0 ? ` and ${rest} more` : '';
	const named = names.slice(0, MAX_NAMED).join(', ');
	client.note(`Not stored, because the list has no such column: ${named}${more}.`);
}

/**
 * Refuses items that are about another list than the first one.
 *
 * @param advice for an operation that is about one list
 */
export function refuseOtherLists(entries: readonly RowEntry[], advice: string): void {
	for (const entry of entries) {
		if (entry.prepared.listId === entries[0].prepared.listId) continue;
		const error = new InputError("'List' differs from the list of the items before", advice);
		entry.outcome = invalid(error);
	}
}

import type { INodeProperties } from 'n8n-workflow';
import { forEach, takeTurn } from '../shared/chunks';
import type { Item } from '../shared/fields/item';
import { listLocatorField, readListId } from '../shared/fields/list';
import { numberAsTyped, numberField } from '../shared/fields/number';
import type { Client } from '../shared/run/client';
import type { End, OpenEntry, Prepared } from '../shared/run/operation';
import { listOf, rowOf } from '../shared/service/countOf';
import { isFrenchFixedLine } from '../shared/service/frenchPlan';
import { InputError, oneLine, readAll } from '../shared/service/InputError';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber, looksMadeUp, noteOnMadeUp } from '../shared/service/number';
import { attributesField, mappingOf, readAttributes, writeAttributes } from './attributes';
import { differenceOf } from './difference';
import { groupBy } from './groupBy';

/** An item that is about a contact of a list. */
export interface Row extends Prepared {
	listId: string;
	/** In international format, as the service gets it: one spelling for one person. */
	number: string;
	/** The error of an item without a valid number. */
	problem?: InputError;
	columns: readonly Column[];
	/** The values as they are written, by column ID. */
	attributes: Record<string, string>;
	/** Fields of the input item without a column. */
	unknown: readonly string[];
	/** Those whose column has another field. */
	doubled: readonly string[];
	/** IANA name of the workflow's time zone. */
	timeZone: string;
	/** Of a sync, whose first item says how: nothing is changed. */
	planOnly?: boolean;
	/** Of a sync, in percent of the list; undefined where nobody is removed. */
	maxRemovals?: number;
}

/** The fields of a contact. */
export const contactFields: INodeProperties[] = [listLocatorField, numberField, attributesField];

/** @throws InputError, but not for the number: `withValues` tells that, with what is wrong with the values */
export function readRow(item: Item): Row {
	const listId = readListId(item);
	const { timeZone } = item.run;
	const row = { listId, timeZone, columns: [], attributes: {}, unknown: NONE, doubled: NONE };
	try {
		const number = canonicalNumber(item.number());
		const about = { target: [listId, number], subject: number, extra: { number, listId } };
		return { ...row, number, ...about };
	} catch (error) {
		const extra = { ...numberAsTyped(item), listId };
		return { ...row, number: '', problem: error as InputError, extra };
	}
}

/** The same, where all items are taken together: names the way out for a row without a number. */
export function readRowOfTable(item: Item): Row {
	const row = readRow(item);
	const { problem, extra } = row;
	if (problem === undefined || String(extra?.number ?? '').trim() !== '') return row;
	const { message, description = '' } = problem;
	const advice = `${description} To leave rows without a number out, put a Filter node before this one.`;
	return { ...row, problem: new InputError(message, advice) };
}

const NONE: readonly string[] = [];

/**
 * The row with its values as the service takes them; the columns of a list are looked up once in a run.
 *
 * @param empty the empty text where an empty value clears its column, and a field that is empty in the form keeps its
 *   value; by default, both are left out
 * @throws InputError, StepFailed
 */
export async function withValues<R extends Row>(
	row: R,
	client: Client,
	item: Item,
	empty?: '',
): Promise<R> {
	const { listId, timeZone } = row;
	const { values, automatic } = readAttributes(item, empty !== undefined);
	const fields = Object.keys(values);
	const checkNumber = () => {
		if (row.problem !== undefined) throw row.problem;
	};
	if (fields.length === 0) {
		checkNumber();
		return row;
	}
	const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
	const map = async () => {
		await takeTurn();
		return mappingOf(fields, columns);
	};
	// Most items have the same fields.
	const { mapped, unknown, doubled } = automatic
		? await client.cached(JSON.stringify([listId, fields]), map)
		: { mapped: fields.map((field) => [field, field] as const), unknown: NONE, doubled: NONE };
	const chosen = Object.fromEntries(mapped.map(([field, key]) => [key, values[field]]));
	const [, attributes] = readAll(checkNumber, () =>
		writeAttributes(chosen, columns, timeZone, empty),
	);
	return { ...row, columns, attributes, unknown, doubled };
}

const MAX_NAMED = 10;

/**
 * Says which fields *Map Automatically* found no column for, except for those that other parameters read, and which
 * contacts can't get an SMS, or look made up.
 */
export async function noteOnRows(
	entries: ReadonlyArray<OpenEntry<Row>>,
	client: Client,
): Promise<void> {
	const numbers = entries.map(({ prepared }) => prepared.number);
	const named = (which: (number: string) => boolean) =>
		listOf([...new Set(numbers.filter(which))], MAX_NAMED);
	const fixedLines = named(isFrenchFixedLine);
	if (fixedLines !== '')
		client.warn(`Only mobile numbers get SMS, but there are fixed lines: ${fixedLines}.`);
	const madeUp = named(looksMadeUp);
	if (madeUp !== '') client.warn(noteOnMadeUp(madeUp));
	const [{ item }] = entries;
	const used = JSON.stringify(['number', 'list'].map((name) => item.typed(name)));
	const noteOn = async (why: string, fieldsOf: (row: Row) => readonly string[]) => {
		const names = new Set<string>();
		await forEach(new Set(entries.map(({ prepared }) => fieldsOf(prepared))), (fields) => {
			for (const name of fields) if (!used.includes(name)) names.add(`'${oneLine(name)}'`);
		});
		if (names.size > 0)
			client.note(`Not stored, because ${why}: ${listOf([...names], MAX_NAMED)}.`);
	};
	await noteOn(
		"the list has no such column ('Add Column to List' adds one)",
		({ unknown }) => unknown,
	);
	await noteOn('another field is for the same column', ({ doubled }) => doubled);
}

/** Refuses items about another list than the first one, and all of those with one number and different values. */
export async function refuseClashes(
	entries: ReadonlyArray<OpenEntry<Row>>,
	_client: Client,
	end: End,
): Promise<void> {
	const byNumber = await groupBy(entries, ({ prepared }) => prepared.number);
	const clashing = [...byNumber.values()].filter(([first, ...others]) =>
		others.some(({ prepared }) => !isSame(prepared, first.prepared)),
	);
	for (const those of clashing) {
		const rows = listOf(
			those.map(({ index }) => rowOf(index)),
			MAX_NAMED,
		);
		for (const entry of those)
			end(entry, {
				status: 'invalid',
				message: `'Phone Number' ${entry.prepared.number} is in several items, with different values: ${rows}`,
				advice: 'A list can contain a number only once. Keep one of these items.',
			});
	}
	const [{ prepared: firstRow }] = entries;
	for (const entry of entries) {
		if (entry.outcome !== undefined || entry.prepared.listId === firstRow.listId) continue;
		end(entry, {
			status: 'invalid',
			message: "'List' differs from the list of the items before",
			advice: 'All items have to be about the same list. Run this operation for one list after the other.',
		});
	}
}

function isSame(row: Row, { attributes }: Row): boolean {
	const [names, others] = [row.attributes, attributes].map((values) =>
		Object.keys(values).sort().join(),
	);
	return names === others && differenceOf(row, [{ attributes }]).action === 'unchanged';
}

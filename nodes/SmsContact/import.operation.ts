import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { listLocatorField, parseId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import type { Operation } from '../shared/fields/operation';
import { optionsField, repeatUnknown } from '../shared/fields/options';
import { startCustomRun, type CustomRun } from '../shared/run/CustomRun';
import type { Answer, Failure } from '../shared/http/failure';
import { StepFailed } from '../shared/run/steps';
import { readSwitch } from '../shared/service/choices';
import { InputError } from '../shared/service/InputError';
import { listPath, readColumns, type Column } from '../shared/service/lists';
import { parseNumber } from '../shared/service/number';
import { readNothing } from '../shared/service/records';
import { attributesField, readAttributes, writeAttributes, type TypedValues } from './attributes';

/** Extended: POST /v2/lists/<list_id>/import (public facts). */
export const importContacts: Operation = {
	option: {
		name: 'Import',
		value: 'import',
		action: 'Import contacts to list',
		description: 'Add all input items to a contact list in a single request (extended)',
	},
	fields: [listLocatorField, numberField, attributesField, optionsField([repeatUnknown])],
};

/** Name of the column with the phone numbers in an import. */
const NUMBER_COLUMN = 'tel';

interface Row {
	listId: string;
	identifier: string;
	typed: TypedValues;
	resendUnknown: boolean;
}

/** A custom operation: one request for all items, which n8n's router can't make. */
export async function importItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	if (this.getInputData().length === 0) return [[]];
	const run = startCustomRun(this);
	const rows = await run.prepareAll(rowReader());
	const imported = await importRows(run, rows, this.getTimezone()).catch(
		async (error: unknown) => {
			if (!(error instanceof StepFailed)) throw error;
			return await failAll(this, run, rows, error.failure);
		},
	);
	return [[...imported, ...run.invalidItems().values()]];
}

async function importRows(
	run: CustomRun,
	rows: ReadonlyMap<number, Row>,
	timeZone: string,
): Promise<INodeExecutionData[]> {
	const [first] = rows.values();
	if (first === undefined) return [];
	const { listId, resendUnknown } = first;
	const numbers = [...rows.values()].map(({ identifier }) => identifier);
	const requests = run.requestsOf('import', numbers, resendUnknown);

	const typed = [...rows.values()].some(
		({ typed: { values } }) => Object.keys(values).length > 0,
	);
	const columns = typed ? await requests.once(listPath(listId), readColumns) : [];
	const contacts = await run.prepareAll((_, index): Contact => {
		const row = rows.get(index)!;
		return [row.identifier, writeAttributes(row.typed, columns, timeZone)];
	});
	if (contacts.size === 0) return [];

	const body = toTable([...contacts.values()], columns) as unknown as IDataObject[];
	const request = { method: 'POST' as const, url: listPath(listId, '/import'), body };
	const answer = await requests.step('import', request, readImported);
	return [
		{
			json: { imported: contacts.size, listId, ...answer },
			pairedItem: [...contacts.keys()].map((item) => ({ item })),
		},
	];
}

/** The request failed: for all items alike. */
async function failAll(
	context: IExecuteFunctions,
	run: CustomRun,
	rows: ReadonlyMap<number, Row>,
	failure: Failure,
): Promise<INodeExecutionData[]> {
	const told =
		failure.status === 'unknown'
			? {
					...failure,
					message: `It is unknown whether the contacts were imported: ${failure.message}`,
					advice: 'The operation Get Many tells which contacts are in the list now.',
				}
			: failure;
	const invalid = run.invalidItems();
	const failed = [...rows.keys()].filter((index) => !invalid.has(index));
	if (!context.continueOnFail()) throw await run.stoppedBy(told, failed[0]);
	return await Promise.all(failed.map(async (index) => await run.failedItem(told, index)));
}

/** Reads the rows one by one; all of them have to go to the list of the first one. */
function rowReader(): (context: IExecuteFunctions, index: number) => Row {
	let first: string | undefined;
	return (context, index) => {
		const list = context.getNodeParameter('list', index, '', { extractValue: true });
		const listId = parseId(list, 'List');
		first ??= listId;
		if (listId !== first) {
			throw new InputError(
				`'List' is another one than that of the items before`,
				'One import goes to one list. Use the operation Add, or import one list after the other.',
			);
		}
		const options = context.getNodeParameter('options', index, {}) as IDataObject;
		return {
			listId,
			identifier: parseNumber(context.getNodeParameter('number', index)),
			typed: readAttributes(
				context.getNodeParameter('attributes', index, null),
				context.getInputData()[index].json,
			),
			resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
		};
	};
}

type Contact = [identifier: string, attributes: Record<string, string>];

/** The rows of the request; the first one names the columns, those that no contact has left out. */
function toTable(contacts: Contact[], columns: readonly Column[]): string[][] {
	const used = columns.filter(({ id }) => contacts.some(([, attributes]) => id in attributes));
	return [
		[NUMBER_COLUMN, ...used.map(({ name }) => name)],
		...contacts.map(([identifier, attributes]) => [
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

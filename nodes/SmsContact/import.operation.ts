import type { IDataObject } from 'n8n-workflow';
import { readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import type { Change, Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { fingerprint } from '../shared/fingerprint';
import type { OpenEntry } from '../shared/run/operation';
import type { Outcome } from '../shared/run/outcome';
import { failureOf } from '../shared/run/unknown';
import { isEmpty } from '../shared/service/answers';
import { valueIn } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { columnsLike, isSimilarName, type Column } from '../shared/service/lists';
import { readNothing } from '../shared/service/records';
import { readContents } from './readList';
import {
	contactFields,
	noteOnRows,
	readRowOfTable,
	refuseClashes,
	withValues,
	type Row,
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
	fields: contactFields,
	options: [repeatUnknown],
	request,
	kind: 'change',
	prepare: (item) => ({
		...readRowOfTable(item),
		resendUnknown: readRepeatUnknown(item.options),
	}),
	words: {
		verb: 'imported',
		ifUnknown: () => "'Get Many Contacts' shows which contacts are in the list now.",
		repeatOption: 'Repeat if Unknown',
	},
	check: async (row, client, item) => await withValues(row, client, item),
	compare: refuseClashes,
	guards: () => ({ guards: [noteOnRows] }),
	executeAll: async (entries, clientOf) =>
		await importRows(entries, clientOf({ ...entries[0], identity: {} })),
});

/**
 * Imports rows in parts, one request after the other. Each has a receipt of its own: a retry imports none twice.
 *
 * @throws InputError before anything is imported
 */
async function importRows(
	entries: ReadonlyArray<OpenEntry<Row>>,
	client: Client,
): Promise<ReadonlyMap<number, Outcome>> {
	const path = { listId: entries[0].prepared.listId };
	// An answer doesn't tell who is new.
	const { columns, contacts } = await readContents(path.listId, client);
	const used = usedColumns(entries, columns);
	/** The first row names the columns. */
	const names = [NUMBER_COLUMN, ...used.map(({ name }) => name)];
	const outcomes = new Map<number, Outcome>();
	const accepted: Array<OpenEntry<Row>> = [];
	const answers: unknown[] = [];
	let added = 0;
	for (let start = 0; start < entries.length; start += ROWS_PER_REQUEST) {
		const part = entries.slice(start, start + ROWS_PER_REQUEST);
		const table = part.map(({ prepared: { number, attributes } }) => [
			number,
			...used.map(({ id }) => valueIn(attributes, id) ?? ''),
		]);
		const numbers = part.map(({ prepared }) => prepared.number);
		const fresh = new Set(numbers.filter((number) => !contacts.has(number)));
		const change: Change = {
			...{ endpoint: request, path, body: [names, ...table] },
			// Its numbers are part of its name: other rows of the same items are another import.
			...{ step: `import ${fingerprint(numbers)}`, content: [path, numbers] },
		};
		let outcome: Outcome = { status: 'done', value: [] };
		try {
			const result = await client.change<IDataObject>(change, (body) => {
				const counted = isEmpty(body) ? { added: fresh.size } : { answer: body as object };
				return readNothing(body) && counted;
			});
			for (const number of fresh) contacts.set(number, []);
			accepted.push(...part);
			answers.push(...[result.answer ?? []].flat());
			added += Number(result.added);
		} catch (error) {
			outcome = failureOf(error);
		}
		for (const { index } of part) outcomes.set(index, outcome);
	}
	if (accepted.length === 0) return outcomes;
	if (answers.length > 0)
		client.warn(
			"The service may have refused some of the contacts: see 'answers' in the result.",
		);
	const imported = new Set(accepted.map(({ prepared }) => prepared.number)).size;
	const alreadyThere = imported - added;
	if (answers.length === 0 && alreadyThere > 0) {
		client.note(
			`${countOf(alreadyThere, 'contact')} ${alreadyThere === 1 ? 'was' : 'were'} in the list already, and may have kept the old values. To change them, use Sync Contacts.`,
		);
	}
	const counts = { imported, added, alreadyThere };
	const json = { ...(answers.length > 0 ? { answers } : counts), ...path } as IDataObject;
	const pairedItem = accepted.map(({ index: item }) => ({ item }));
	return outcomes.set(accepted[0].index, { status: 'done', value: [{ json, pairedItem }] });
}

/**
 * The columns that a contact has a value for. An import knows them by name only, and has one of its own.
 *
 * @throws InputError for one that could be taken for another
 */
function usedColumns(entries: ReadonlyArray<OpenEntry<Row>>, columns: readonly Column[]): Column[] {
	const used = columns.filter(({ id }) =>
		entries.some(({ prepared }) => Object.hasOwn(prepared.attributes, id)),
	);
	const unclear = used.find(
		({ name }) => columnsLike(columns, name).length > 1 || isSimilarName(name, NUMBER_COLUMN),
	);
	if (unclear === undefined) return used;
	throw new InputError(
		`Import can't fill in the column '${unclear.name}'`,
		`An import only uses names of columns: '${NUMBER_COLUMN}' stands for the phone numbers, and columns with the same name can't be told apart. Use the operation Add Contact, or leave the column out.`,
	);
}

import { refuseNoValue, requireField } from '../shared/fields/expressions';
import type { Item, ItemRun } from '../shared/fields/item';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionOf } from '../shared/http/collectionOf';
import { namesakes } from '../shared/namesakes';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { StepFailed } from '../shared/run/outcome';
import { inDoubt, type LookUp } from '../shared/run/unknown';
import { CONTACTS } from '../shared/service/contacts';
import { countOf, listOf, rowOf } from '../shared/service/countOf';
import { InputError, inPart, readAll, show } from '../shared/service/InputError';
import { ADD_COLUMN, LIST, LISTS, readColumns, readListSummary } from '../shared/service/lists';
import { asRecords, readCreated } from '../shared/service/records';
import {
	ALIKE,
	areAlike,
	columnFields,
	findAdded,
	parseColumn,
	type NewColumn,
} from './columnFields';

const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Customers of Lyon',
	description: 'Name of the new list',
};

const columnsField: INodeProperties = {
	displayName: 'Columns',
	name: 'columns',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		sortable: true,
		fixedCollection: { itemTitle: '={{ $collection.item.value.name }}' },
	},
	placeholder: 'Add column',
	default: {},
	description:
		'What the list stores about each contact in addition to the phone number. You can add more columns later.',
	options: [
		{
			displayName: 'Column',
			name: 'column',
			values: columnFields(
				{ name: 'name', type: 'type', format: 'format' },
				{ description: 'Name of the column' },
			),
		},
	],
};

const request = 'POST /v2/lists/';

/** Interface document 4.5, "Create a list", then "Add a column" for each of its columns. */
export const create = defineOperation({
	name: 'Create List',
	value: 'create',
	action: 'Create list',
	description: 'Create an empty contact list, with its columns',
	builderHint:
		'Use to make a new list, with its columns such as a first name or a birthday, before contacts are added.',
	fields: [nameField, columnsField],
	request,
	kind: 'change',
	looksUpSteps: true,
	prepare(item) {
		const name = requireField(item, 'name', 'Name', 'Give a name.');
		return {
			name,
			columns: parseColumns(item),
			subject: name,
			extra: { name },
		};
	},
	words: {
		verb: 'created',
		summaryOf(results) {
			const same = results.filter(({ status }) => status === 'skipped').length;
			if (same === 0) return undefined;
			return `${countOf(same, 'item')} had the same list as an earlier item: it was created once.`;
		},
	},
	async execute({ name, columns }, client, { index, run }) {
		// Several items may mean one list.
		const { list, of } = await client.cached(
			`create list ${JSON.stringify([name, columns])}`,
			async () => ({ list: await createList(name, columns, client, run), of: index }),
		);
		if (of === index) return list;
		return { status: 'skipped', reason: `Same list as another item: ${rowOf(of)}`, ...list };
	},
});

/** @throws StepFailed */
async function createList(
	name: string,
	columns: readonly NewColumn[],
	client: Client,
	{ isTool, isManual }: Pick<ItemRun, 'isTool' | 'isManual'>,
): Promise<IDataObject> {
	const list = await client.change(
		{
			...{ endpoint: request, body: { name }, step: 'list', content: [name] },
			lookUp: async () => await findNew(name, client),
		},
		readCreated,
	);
	if (isManual && !isTool) await warnOfOthers({ id: list.id, name }, client);
	const fields: IDataObject[] = [];
	for (const column of columns) {
		const add = {
			endpoint: ADD_COLUMN,
			path: { listId: list.id },
			body: { ...column },
			step: `column ${column.name}`,
			content: [list.id, column.name],
			lookUp: async () => await findAdded(list.id, column.name, client),
		};
		try {
			const { id } = await client.change(add, readCreated);
			fields.push({ id, ...column });
		} catch (error) {
			// To an agent, the same call is another list.
			const next = isTool ? ' Add it to the list with this ID.' : '';
			const advice = `The list ${show(name)} exists now (ID ${list.id}); the column ${show(column.name)} could not be added.${next}`;
			const made = { name, id: list.id, fields };
			throw error instanceof StepFailed ? error.after(advice, made) : error;
		}
	}
	return { ...list, name, ...(columns.length > 0 ? { fields } : {}) };
}

const readLists = collectionOf(readListSummary);

/** Names lists that were there before: somebody who tries a workflow out makes one each time. */
async function warnOfOthers(own: { id: unknown; name: string }, client: Client): Promise<void> {
	const others = await namesakes(own, { endpoint: LISTS, read: readListSummary }, client);
	if (others.length === 0) return;
	const ids = listOf(others.map(({ id }) => id));
	client.warn(
		`There is another list ${show(own.name)} already (ID ${ids}). Delete what you don't need.`,
	);
}

/**
 * Looks for a list that may have been created. Lists may share a name: an empty one without columns is as good as the
 * one that was asked for, any other may be somebody's.
 *
 * @throws StepFailed
 */
async function findNew(name: string, client: Client): Promise<LookUp> {
	const isExpected = () => true;
	const lists = await client.find({ endpoint: LISTS }, readLists, isExpected);
	const called = (lists?.records ?? []).filter((list) => list.name === name);
	if (called.length === 0) return 'absent';
	const [{ id }] = called;
	const path = { listId: id };
	const columns = await client.get({ endpoint: LIST, path }, readColumns, isExpected);
	const contacts = await client.find({ endpoint: CONTACTS, path }, asRecords, isExpected);
	const isNew = columns.length === 0 && (contacts ?? []).length === 0;
	if (called.length === 1 && isNew) return { value: { id } };
	return inDoubt(`a list ${show(name)} is there that may be another one`);
}

function parseColumns(item: Item): NewColumn[] {
	const value = item.parameter('columns', {});
	const { column = [] } = value as { column?: Array<Record<string, unknown>> };
	const parts = column.map(({ name, type, format }, index) => () => {
		const parsed = parseColumn(name, type, format);
		const path = ['columns', 'column', `${index}`, 'name'];
		refuseNoValue(item, path, parsed.name, 'Column Name');
		return parsed;
	});
	const columns = readAll(
		...parts.map((read, index) => () => inPart(`Column ${index + 1}`, parts.length, read)),
	);
	for (const [at, { name }] of columns.entries()) {
		const other = columns.slice(0, at).find((earlier) => areAlike(earlier.name, name));
		if (other === undefined) continue;
		const both =
			other.name === name
				? `${show(name)} twice`
				: `both ${show(other.name)} and ${show(name)}`;
		throw new InputError(`'Columns' has ${both}`, ALIKE);
	}
	return columns;
}

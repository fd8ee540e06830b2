import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { forEach, forEachConcurrently } from '../shared/chunks';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import type { OpenEntry, WholeRun } from '../shared/run/operation';
import { isFailure, notStarted, type Outcome } from '../shared/run/outcome';
import { failureOf } from '../shared/run/unknown';
import { parseAmount, parseSwitch } from '../shared/service/choices';
import { ADD_CONTACT, type Contact } from '../shared/service/contacts';
import { countOf, inWords } from '../shared/service/countOf';
import { InputError } from '../shared/service/InputError';
import { readingsOf } from '../shared/service/number';
import { changedAttributesField } from './attributes';
import { removeContact } from './changeContact';
import { changeContacts, contactResult } from './changeContacts';
import { readContents, type ListContents } from './readList';
import { readRowOfTable, refuseClashes, withValues, type Row } from './row';

const planOnlyField: INodeProperties = {
	displayName: 'Dry Run',
	name: 'planOnly',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description: 'Whether to change nothing, and only show what would happen to each contact',
};

const removeMissingField: INodeProperties = {
	displayName: 'Remove Missing',
	name: 'removeMissing',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description: "Whether to remove contacts whose number isn't in any input item",
};

const maxRemovalsField: INodeProperties = {
	displayName: 'Max Removals (%)',
	name: 'maxRemovals',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 100 },
	default: 10,
	displayOptions: { show: { removeMissing: [true] } },
	description:
		'Maximum percentage of the list to remove. If more contacts would be removed, nothing is changed.',
};

/** Makes a list equal to the input items, by the requests of interface document 4.5. */
export const sync = defineOperation<Row>({
	name: 'Sync Contacts',
	value: 'sync',
	action: 'Sync contacts with list',
	description:
		'Make a contact list match the input items: add new contacts, replace changed ones and, if you want, remove missing ones',
	builderHint:
		"Use to keep a list equal to a CRM, sheet or database: it adds, updates and, if you turn on 'Remove Missing', removes. Feed it all rows at once.",
	fields: [
		listLocatorField,
		numberField,
		changedAttributesField,
		planOnlyField,
		removeMissingField,
		maxRemovalsField,
	],
	options: paceOptions,
	request: ADD_CONTACT,
	kind: 'make',
	prepare: (item) => ({
		...readRowOfTable(item),
		planOnly: parseSwitch(item.parameter('planOnly', false), 'Dry Run'),
		maxRemovals: readMaxRemovals(item),
	}),
	words: {
		verb: 'synced',
		summaryOf,
	},
	check: async (row, client, item) => await withValues(row, client, item, ''),
	compare: refuseClashes,
	carriesOn: true,
	executeAll: syncList,
});

/** @throws InputError */
function readMaxRemovals(item: Item): number | undefined {
	if (!parseSwitch(item.parameter('removeMissing', false), 'Remove Missing')) return undefined;
	const percent = parseAmount(item.parameter('maxRemovals', 10), {
		field: 'Max Removals (%)',
		isAllowed: (amount) => amount >= 0 && amount <= 100,
		advice: 'Enter a percentage from 0 to 100.',
		byDefault: 10,
	});
	if (item.run.isTool) {
		throw new InputError(
			"'Remove Missing' can't be used in a tool of an agent",
			"A tool gets one item at a time, so that everybody else in the list would be missing. Turn 'Remove Missing' off. To sync a whole list, give the agent a workflow that does it, with the Call n8n Workflow Tool.",
		);
	}
	return percent;
}

/**
 * Makes a list equal to the items: reads it, compares, adds and replaces what differs, and removes last. Each change is
 * one result. It is repeatable: another run does what is still missing.
 *
 * @throws InputError, StepFailed before anything is changed
 */
async function syncList(
	entries: ReadonlyArray<OpenEntry<Row>>,
	clientOf: (entry: OpenEntry<Row>) => Client,
	{ items, extraResult }: WholeRun<Row>,
): Promise<ReadonlyMap<number, Outcome>> {
	const [{ prepared: first }] = entries;
	const client = clientOf(entries[0]);
	const { planOnly, listId } = first;
	const list = await readContents(listId, client);
	const gone = await removalsOf(list, entries, items - entries.length, client);
	const outcomes = await changeContacts(entries, clientOf);
	const hasFailed = [...outcomes.values()].some(isFailure);
	const removed: Outcome[] = [];
	await forEachConcurrently(gone.entries(), async ([at, [number, contact]]) => {
		removed[at] = hasFailed ? NOT_REMOVED : await remove(number, contact);
	});
	for (const [at, [number]] of gone.entries())
		extraResult({ ...first, extra: { number, listId } }, removed[at]);
	return outcomes;

	async function remove(number: string, contact: Contact): Promise<Outcome> {
		try {
			if (!planOnly) await removeContact(listId, contact, client);
		} catch (error) {
			const failure = failureOf(error);
			const message = `${number} was not removed: ${failure.message}`;
			return failure.origin === 'notStarted' ? failure : { ...failure, message };
		}
		return { status: 'done', value: contactResult('removed', contact, list, planOnly) };
	}
}

/**
 * The contacts to remove, by number: *Max Removals (%)* is a percentage of the contacts of the list.
 *
 * @param unread number of items that can't be used
 * @throws InputError where they are more than the user allows
 */
async function removalsOf(
	{ contacts, size }: ListContents,
	entries: ReadonlyArray<OpenEntry<Row>>,
	unread: number,
	client: Client,
): Promise<Array<[number: string, contact: Contact]>> {
	const { maxRemovals, planOnly } = entries[0].prepared;
	if (maxRemovals === undefined) return [];
	if (unread > 0) {
		client.note(
			`Nobody is removed, because ${countOf(unread, 'item')} can't be used, and may be about one of the contacts.`,
		);
		return [];
	}
	const wanted = new Set(entries.map(({ prepared }) => prepared.number));
	const gone: Array<[string, Contact]> = [];
	await forEach(contacts, ([number, same]) => {
		// A number that lacks its 0 or its + may be either of two.
		const readings = readingsOf(same[0].identifier ?? '');
		if (readings.some((reading) => wanted.has(reading))) return;
		for (const contact of same) gone.push([number, contact]);
	});
	if (gone.length * 100 <= maxRemovals * size) return gone;
	const message = `${inWords(gone.length)} of ${countOf(size, 'contact')} would be removed, more than 'Max Removals (%)' allows (${maxRemovals} %)`;
	if (!planOnly) {
		throw new InputError(
			message,
			"The list is left as it is. Check that all items reach this node in one run. 'Dry Run' shows who would be removed; if that is right, raise 'Max Removals (%)'.",
		);
	}
	client.warn(`Without 'Dry Run', this run is refused: ${message}.`);
	return gone;
}

const NOT_REMOVED = notStarted(
	'Not removed, because another item failed',
	'Run it again when that one is right.',
);

/** "3 added, 1 updated, 96 unchanged"; undefined where nothing was done. */
function summaryOf(results: readonly IDataObject[]): string | undefined {
	const actions = results.map(({ action, wouldBe }) => action ?? wouldBe);
	const counts = ['added', 'updated', 'removed', 'unchanged'].flatMap((name) => {
		const { length } = actions.filter((action) => action === name);
		return length === 0 ? [] : [`${length} ${name}`];
	});
	if (counts.length === 0) return undefined;
	const isPlan = results[0].action === undefined;
	return `${isPlan ? 'Dry run: nothing was changed. Would be: ' : ''}${counts.join(', ')}.`;
}

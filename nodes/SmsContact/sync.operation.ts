import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { invalid } from '../shared/run/outcome';
import { stopWhenServiceFails } from '../shared/run/stopRule';
import { parseAmount, parseSwitch } from '../shared/service/choices';
import { ADD_CONTACT } from '../shared/service/contacts';
import { InputError } from '../shared/service/InputError';
import { changedAttributesField, withoutBlankFields } from './attributes';
import { differenceOf } from './difference';
import { readRow, refuseOtherLists, withColumns, type Row, type RowEntry } from './row';
import { syncList, type SyncRow } from './syncList';

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
export const sync = defineOperation<SyncRow>({
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
		...settingsFields({ options: paceOptions }),
	],
	request: ADD_CONTACT,
	verb: 'synced',
	prepare(item) {
		const row = readRow(item);
		return {
			...row,
			typed: withoutBlankFields(row.typed, item.typed('attributes')),
			planOnly: parseSwitch(item.parameter('planOnly', false), 'Dry Run'),
			maxRemovals: readMaxRemovals(item),
		};
	},
	check: async (row, client) => await withColumns(row, client, ''),
	compare(entries) {
		refuseOtherLists(
			entries,
			'You can only sync one list at a time. Sync one list after the other.',
		);
		refuseClashes(entries);
	},
	stopRule: stopWhenServiceFails,
	executeAll: syncList,
	execute: () => [],
	howToFindOut: () => 'Run it again: it reads the list first, and changes what still differs.',
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
	if (item.isTool) {
		throw new InputError(
			"'Remove Missing' can't be used in a tool of an agent",
			"A tool gets one item at a time, so that everybody else in the list would be missing. Turn 'Remove Missing' off. To sync a whole list, give the agent a workflow that does it, with the Call n8n Workflow Tool.",
		);
	}
	return percent;
}

/** Refuses items with the same number and other values, all of them. */
function refuseClashes(entries: ReadonlyArray<RowEntry<SyncRow>>): void {
	const groups = new Map<string, Array<RowEntry<SyncRow>>>();
	for (const entry of entries) {
		const { number } = entry.prepared;
		const group = groups.get(number);
		if (group === undefined) groups.set(number, [entry]);
		else group.push(entry);
	}
	for (const [number, [first, ...others]] of groups) {
		const other = others.find(({ prepared }) => !isSame(prepared, first.prepared));
		if (other === undefined) continue;
		first.outcome = invalid(clashWith(number, other.index));
		for (const entry of others) entry.outcome = invalid(clashWith(number, first.index));
	}
}

function isSame(row: Row, { attributes }: Row): boolean {
	const names = Object.keys(row.attributes);
	return (
		names.length === Object.keys(attributes).length &&
		names.every((name) => Object.hasOwn(attributes, name)) &&
		differenceOf(row, [{ attributes }]).action === 'unchanged'
	);
}

function clashWith(number: string, index: number): InputError {
	return new InputError(
		`'Phone Number' ${number} is the same as in item ${index}, but with other values`,
		'A list can contain a number only once. Remove one of the items, for example with a Remove Duplicates node before this one.',
	);
}

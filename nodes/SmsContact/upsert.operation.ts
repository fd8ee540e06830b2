import type { INodeProperties } from 'n8n-workflow';
import { listLocatorField } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { ADD_CONTACT } from '../shared/service/contacts';
import { changedAttributesField } from './attributes';
import { changeContacts } from './changeContacts';
import { readRow, withValues, type Row } from './row';

/** With its object, like all others; n8n's lint knows it as "Create or Update", below a resource. */
const NAME = 'Create or Update Contact';
const DESCRIPTION = 'Add a contact, or change the values of the one that has its number';

const replaces: INodeProperties = {
	displayName:
		"The service can't change a contact, so it is deleted and added again with a new ID. Columns that you leave empty keep their values.",
	name: 'replacesAll',
	type: 'notice',
	default: '',
};

/** Adds contacts, or replaces those with their numbers (interface document 4.5). Each list is read once. */
export const upsert = defineOperation<Row>({
	name: NAME,
	value: 'upsert',
	action: 'Create or update contact in list',
	description: DESCRIPTION,
	builderHint:
		"Use to change the values of a contact, such as a first name, or to add it if it isn't there yet.",
	fields: [listLocatorField, numberField, replaces, changedAttributesField],
	options: paceOptions,
	request: ADD_CONTACT,
	kind: 'make',
	prepare: readRow,
	words: {
		verb: 'written',
		done: 'done',
	},
	check: async (row, client, item) => await withValues(row, client, item, ''),
	executeAll: changeContacts,
});

import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { paceOptions } from '../shared/fields/pace';
import type { Change } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { only } from '../shared/service/answers';
import { readChoice } from '../shared/service/choices';
import { ADD_CONTACT, contactBody } from '../shared/service/contacts';
import { countOf } from '../shared/service/countOf';
import { isAlreadyThere } from '../shared/service/errorCodes';
import { readCreated } from '../shared/service/records';
import { namedBy } from './attributes';
import { readContents } from './readList';
import { contactFields, noteOnRows, readRow, withValues, type Row } from './row';

const IF_EXISTS = ['keep', 'fail'] as const;

const ifExistsField: INodeProperties = {
	displayName: 'If Contact Exists',
	name: 'ifExists',
	type: 'options',
	options: [
		{
			name: 'Fail',
			value: 'fail',
			description: 'Stop with an error',
		},
		{
			name: 'Keep',
			value: 'keep',
			description: "Leave the contact as it is. The result has 'action: kept'.",
		},
	],
	default: 'keep',
	description:
		"What to do if the list already has a contact with this number. To change its values, use the operation 'Create or Update Contact'.",
};

/** Interface document 4.5, "Add a contact". */
export const add = defineOperation<Row & { keeps: boolean }>({
	name: 'Add Contact',
	value: 'add',
	action: 'Add contact to list',
	description: 'Add a phone number to a contact list, with values for the columns of the list',
	builderHint:
		'Use to put a person on a list, for example who signed up in a form. A contact that is there stays as it is.',
	fields: [...contactFields, ifExistsField],
	options: paceOptions,
	request: ADD_CONTACT,
	kind: 'change',
	prepare: (item) => ({
		...readRow(item),
		keeps: readChoice(item.parameter('ifExists'), IF_EXISTS, 'If Contact Exists') === 'keep',
	}),
	words: {
		verb: 'added',
		done: 'done',
		summaryOf(results) {
			const kept = results.filter(({ action }) => action === 'kept').length;
			if (kept === 0) return undefined;
			const [were, them] = kept === 1 ? ['was', 'it'] : ['were', 'them'];
			return `${countOf(kept, 'contact')} ${were} in the list already and ${were} not changed. To change ${them}, use Create or Update Contact.`;
		},
	},
	check: async (row, client, item) => await withValues(row, client, item),
	guards: () => ({ guards: [noteOnRows] }),
	async execute({ listId, number, attributes, columns, keeps }, client) {
		const named = namedBy(columns)(attributes);
		const successOf: Change['successOf'] = (failure, wasLost) => {
			if (!keeps || !isAlreadyThere(failure)) return undefined;
			// A try whose answer was lost may have added it.
			return { action: wasLost ? 'unknown' : 'kept' };
		};
		return await client.change<IDataObject>(
			{
				endpoint: ADD_CONTACT,
				path: { listId },
				body: contactBody(number, attributes),
				successOf,
			},
			// The receipt keeps the values too: a retry doesn't look the columns up again.
			(body) => {
				const created = readCreated(body);
				const values = Object.keys(named).length === 0 ? {} : { attributes: named };
				return created && { action: 'added', ...created, ...values };
			},
		);
	},
	async lookUp({ listId, number }, client) {
		const contact = (await readContents(listId, client)).contacts.get(number)?.[0];
		// It may have been there before.
		return contact === undefined
			? 'absent'
			: { value: { action: 'unknown', ...fieldsOf(only(contact, ['id'])) } };
	},
});

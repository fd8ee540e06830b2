import type { INodeProperties } from 'n8n-workflow';
import type { Change } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { isAlreadyThere } from '../shared/service/errorCodes';
import { countOf } from '../shared/service/countOf';
import { readChoice } from '../shared/service/choices';
import {
	ADDING,
	contactFields,
	contactSettings,
	post,
	readContact,
	withColumns,
	type NewContact,
} from './newContact';

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
		"What to do if the list already has a contact with this number. To replace its values, use the operation 'Create or Update Contact'.",
};

/** Interface document 4.5, "Add a contact". */
export const add = defineOperation<NewContact & { keeps: boolean }>({
	...ADDING,
	name: 'Add Contact',
	value: 'add',
	action: 'Add contact to list',
	description: 'Add a phone number to a contact list, with values for the columns of the list',
	builderHint:
		'Use to put a person on a list, for example who signed up in a form. A contact that is there stays as it is.',
	fields: [...contactFields, ifExistsField, ...contactSettings],
	verb: 'added',
	noteOn(results) {
		const kept = results.filter(({ action }) => action === 'kept').length;
		if (kept === 0) return undefined;
		const [were, them] = kept === 1 ? ['was', 'it'] : ['were', 'them'];
		return `${countOf(kept, 'contact')} ${were} in the list already and ${were} not changed. To change ${them}, use Create or Update Contact.`;
	},
	prepare: (item) => ({
		...readContact(item),
		keeps: readChoice(item.parameter('ifExists'), IF_EXISTS, 'If Contact Exists') === 'keep',
	}),
	check: withColumns,
	async execute(contact, client) {
		const keep: Change['comesTo'] = (failure, wasLost) => {
			if (!contact.keeps || !isAlreadyThere(failure)) return undefined;
			// A try whose answer was lost may have added it.
			return { action: wasLost ? 'unknown' : 'kept' };
		};
		return { action: 'added', ...(await post(contact, client, keep)) };
	},
});

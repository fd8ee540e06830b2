import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { optionsField, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import type { Prepared } from '../shared/run/operation';
import { listPath, readColumns } from '../shared/service/lists';
import { canonicalNumber, parseNumber } from '../shared/service/number';
import { readCreated } from '../shared/service/records';
import { attributesField, readAttributes, writeAttributes, type TypedValues } from './attributes';

interface NewContact extends Prepared {
	listId: string;
	identifier: string;
	typed: TypedValues;
	/** As they are written, by column ID. */
	attributes?: Record<string, string>;
}

/** Interface document 4.5, "Add a contact". */
export const add = defineOperation({
	name: 'Add',
	value: 'add',
	action: 'Add contact to list',
	description: 'Add a phone number to a contact list, with values for the columns of the list',
	fields: [
		listLocatorField,
		numberField,
		attributesField,
		optionsField([repeatUnknown, ...paceOptions]),
	],
	request: { method: 'POST', url: listPath('list', '/contacts') },
	madeOf: ['list', 'number'],
	deed: 'added',
	prepare(item): NewContact {
		const listId = readListId(item);
		const identifier = parseNumber(item.parameter('number'));
		return {
			listId,
			identifier,
			typed: readAttributes(item.parameter('attributes', null), item.json),
			essence: [listId, canonicalNumber(identifier)],
			subject: identifier,
			extra: { identifier, listId },
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	async check(contact, requests, { timeZone }) {
		const { listId, typed } = contact;
		if (Object.keys(typed.values).length === 0) return contact;
		const columns = await requests.once({ url: listPath(listId) }, readColumns);
		const attributes = writeAttributes(typed, columns, timeZone);
		return Object.keys(attributes).length === 0 ? contact : { ...contact, attributes };
	},
	async carryOut({ listId, identifier, attributes }, requests) {
		const values = attributes === undefined ? {} : { attributes };
		return await requests.change(
			{ method: 'POST', url: listPath(listId, '/contacts'), body: { identifier, ...values } },
			// The receipt keeps the values too: a retry doesn't look the columns up again.
			(body) => {
				const created = readCreated(body);
				return created && { ...created, ...values };
			},
		);
	},
	howToFindOut: ({ subject }) =>
		`The operation Get Many tells whether ${subject} is in the list now.`,
});

import type { IDataObject } from 'n8n-workflow';
import { listLocatorField, parseId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import type { Operation } from '../shared/fields/operation';
import { optionsField, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import type { Prepared } from '../shared/run/RoutedOperation';
import { routed } from '../shared/run/routing';
import { readSwitch } from '../shared/service/choices';
import { listPath, LISTS_PATH, readColumns } from '../shared/service/lists';
import { parseNumber } from '../shared/service/number';
import { readCreated } from '../shared/service/records';
import { attributesField, readAttributes, writeAttributes, type TypedValues } from './attributes';

interface NewContact extends Prepared {
	listId: string;
	typed: TypedValues;
	/** As they are written, by column ID. */
	attributes?: Record<string, string>;
}

/** Interface document 4.5, "Add a contact". */
export const add: Operation = {
	option: {
		name: 'Add',
		value: 'add',
		action: 'Add contact to list',
		description:
			'Add a phone number to a contact list, with values for the columns of the list',
		routing: routed<{ id: string }, NewContact>({
			method: 'POST',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const listId = parseId(list, 'List');
				const identifier = parseNumber(this.getNodeParameter('number'));
				const options = this.getNodeParameter('options', {}) as IDataObject;
				return {
					listId,
					typed: readAttributes(
						this.getNodeParameter('attributes', null),
						this.getInputData().json,
					),
					url: listPath(listId, '/contacts'),
					body: { identifier },
					subject: identifier,
					extra: { identifier, listId },
					resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
				};
			},
			async check(prepared, requests) {
				const { listId, typed, body } = prepared;
				if (Object.keys(typed.values).length === 0) return prepared;
				const columns = await requests.once(listPath(listId), readColumns);
				const attributes = writeAttributes(typed, columns, this.getTimezone());
				if (Object.keys(attributes).length === 0) return prepared;
				return { ...prepared, body: { ...body, attributes }, attributes };
			},
			read: readCreated,
			// In the result, which the receipt keeps: a retry doesn't look the columns up again.
			result: (created, { attributes }) => ({
				...created,
				...(attributes === undefined ? {} : { attributes }),
			}),
			howToFindOut: ({ subject }) =>
				`The operation Get Many tells whether ${subject} is in the list now.`,
		}),
	},
	fields: [
		listLocatorField,
		numberField,
		attributesField,
		optionsField([repeatUnknown, ...paceOptions]),
	],
};

import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { listLocatorField, readListId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { readRepeatUnknown, repeatUnknown, settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import type { OperationDefinition, Prepared } from '../shared/run/operation';
import type { Change, Client } from '../shared/run/client';
import { ADD_CONTACT, contactBody } from '../shared/service/contacts';
import { LIST, readColumns, type Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { readCreated } from '../shared/service/records';
import {
	attributesField,
	namedBy,
	readAttributes,
	writeAttributes,
	type TypedValues,
} from './attributes';

/** A contact that is to be added to a list. */
export interface NewContact extends Prepared {
	listId: string;
	identifier: string;
	typed: TypedValues;
	/** As they are written, by column ID. */
	attributes?: Record<string, string>;
	/** The columns of the list, where it has values. */
	columns?: readonly Column[];
	/** The same by column name, as 'Get Many Contacts' has them. */
	named?: IDataObject;
}

/** The fields of a contact. */
export const contactFields: INodeProperties[] = [listLocatorField, numberField, attributesField];

export const contactSettings = settingsFields({ options: [repeatUnknown, ...paceOptions] });

/** Shared by operations that add one contact for each item (interface document 4.5). */
export const ADDING = {
	request: ADD_CONTACT,
	sourceParameters: ['list', 'number'],
	howToFindOut: ({ subject }) =>
		`The operation Get Many Contacts tells whether ${subject} is in the list now.`,
} satisfies Partial<OperationDefinition<NewContact>>;

/** @throws InputError */
export function readContact(item: Item): NewContact {
	const listId = readListId(item);
	const identifier = item.number();
	return {
		listId,
		identifier,
		typed: readAttributes(item.parameter('attributes', null), item.json),
		target: [listId, canonicalNumber(identifier)],
		subject: identifier,
		extra: { number: canonicalNumber(identifier), listId },
		resendUnknown: readRepeatUnknown(item.options),
	};
}

/**
 * The same with its values as the service takes them; the columns of a list are looked up once in a run.
 *
 * @throws InputError, StepFailed
 */
export async function withColumns<C extends NewContact>(
	contact: C,
	client: Client,
	{ timeZone }: Item,
): Promise<C> {
	const { listId, typed } = contact;
	if (Object.keys(typed.values).length === 0) return contact;
	const columns = await client.once({ endpoint: LIST, path: { listId } }, readColumns);
	const attributes = writeAttributes(typed, columns, timeZone);
	if (Object.keys(attributes).length === 0) return contact;
	return { ...contact, columns, attributes, named: namedBy(columns)(attributes) };
}

/**
 * Adds the contact.
 *
 * @param comesTo the result of a failure that counts as success
 * @throws StepFailed
 */
export async function post(
	{ listId, identifier, attributes, named }: NewContact,
	client: Client,
	comesTo: Change['comesTo'],
): Promise<IDataObject> {
	return await client.change<IDataObject>(
		{
			endpoint: ADD_CONTACT,
			path: { listId },
			body: contactBody(identifier, attributes),
			comesTo,
		},
		// The receipt keeps the values too: a retry doesn't look the columns up again.
		(body) => {
			const created = readCreated(body);
			return created && { ...created, ...(named === undefined ? {} : { attributes: named }) };
		},
	);
}

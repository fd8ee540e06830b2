import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { readId } from '../shared/fields/list';
import { numberField } from '../shared/fields/number';
import { readChoice } from '../shared/service/choices';
import type { Contact } from '../shared/service/contacts';
import { canonicalNumber } from '../shared/service/number';

/** How an operation finds its contact. */
export interface By {
	/** Name of the parameter. */
	name: 'deleteBy' | 'getBy';
	/** Its name in the editor. */
	displayName: string;
}

/** The choice, and the field of each way. */
export function contactChoiceFields({ name, displayName }: By): INodeProperties[] {
	const shownFor = (by: string) => ({ displayOptions: { show: { [name]: [by] } } });
	return [
		{
			displayName,
			name,
			type: 'options',
			options: [
				{
					name: 'Contact ID',
					value: 'id',
					description: 'The ID that the operation Get Many Contacts returns',
				},
				{
					name: 'Phone Number',
					value: 'number',
					description: 'The phone number, in national or international format',
				},
			],
			default: 'number',
			description: 'How to find the contact',
		},
		{ ...numberField, ...shownFor('number') },
		{
			displayName: 'Contact ID',
			name: 'contactId',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4c',
			description: 'ID of the contact, as returned by the operation Get Many Contacts',
			...shownFor('id'),
		},
	];
}

/**
 * The contact that an item is about.
 *
 * @returns it by its ID, or by its number as it was typed; and the same as results have it: the number in
 *   international format
 * @throws InputError
 */
export function readContactChoice(
	item: Item,
	{ name, displayName }: By,
): { contact: Pick<Contact, 'id' | 'identifier'>; shown: Record<string, string> } {
	if (readChoice(item.parameter(name), ['number', 'id'], displayName) === 'id') {
		const id = readId(item, 'contactId', item.parameter('contactId'), 'Contact ID', 'Enter it');
		return { contact: { id }, shown: { id } };
	}
	const identifier = item.number({ anyCountry: true });
	return { contact: { identifier }, shown: { number: canonicalNumber(identifier) } };
}

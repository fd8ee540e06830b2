import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { startOf } from '../service/InputError';
import { canonicalNumber } from '../service/number';
import { LONGEST_MESSAGE } from '../service/segments';
import type { Item } from './item';

/** A phone number. */
export const numberField: INodeProperties = {
	displayName: 'Phone Number',
	name: 'number',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. +33 6 12 34 56 78',
	description: 'Mobile number in national or international format',
};

/** The same for a message. */
export const recipientField: INodeProperties = {
	...numberField,
	description: 'Mobile number of the recipient, in national or international format',
};

/** Phone Number of an item that can't be used: in international format where it is a number. */
export function numberAsTyped(item: Item): IDataObject {
	try {
		return { number: canonicalNumber(item.number({ anyCountry: true })) };
	} catch {
		return typedText(item, 'number');
	}
}

/** @returns nothing for anything but a text, or where n8n can't evaluate it */
export function typedText(item: Item, name: string): IDataObject {
	try {
		const value = item.parameter(name, undefined);
		if (typeof value !== 'string' && typeof value !== 'number') return {};
		// Instead of a text it may be a whole document.
		return { [name]: startOf(`${value}`, LONGEST_MESSAGE) };
	} catch {
		return {};
	}
}

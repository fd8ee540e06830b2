import type { IDataObject } from 'n8n-workflow';
import { startOf } from '../service/InputError';
import { canonicalNumber } from '../service/number';
import { LONGEST_MESSAGE } from '../service/segments';
import type { Item } from './item';

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

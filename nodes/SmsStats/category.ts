import type { INodeProperties } from 'n8n-workflow';
import { requireField } from '../shared/fields/expressions';
import type { Item } from '../shared/fields/item';
import { show } from '../shared/service/InputError';

/** The tag given to messages when they are sent. */
export const categoryField: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. orders',
	description:
		"Category of the messages, as set under 'Options' of the SMS node when they were sent",
};

/** A category, ready for a query (interface document 4.4). @throws InputError */
export function readCategory(item: Pick<Item, 'parameter' | 'parts'>): string {
	const advice =
		"Enter the category of the messages, such as orders. It is set with 'Category' under Options of the SMS node.";
	return requireField(item, 'category', 'Category', advice);
}

/** For a category that is empty or misspelt: the service gives the same answer to both. */
export function nothingIn(category: string, whatIsNot: string): string {
	return `${whatIsNot} the category ${show(category)}. If that is a surprise, check how it is written: 'Category' under 'Options' of the SMS node.`;
}

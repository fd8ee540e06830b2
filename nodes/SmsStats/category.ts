import type { INodeProperties } from 'n8n-workflow';
import { InputError, requireText } from '../shared/service/InputError';

/** The tag given to messages when they are sent. */
export const categoryField: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. orders',
	description:
		"Tag that was given to the messages when they were sent ('Category' in the options of the SMS node)",
};

/**
 * A category, ready for a query (interface document 4.4).
 *
 * @param value as typed or given by an expression
 * @throws InputError
 */
export function parseCategory(value: unknown): string {
	const category = requireText(value, 'Category').trim();
	if (category === '') {
		throw new InputError(
			"'Category' is empty",
			"Give the category that the messages were sent with, such as orders. It is set in the options of the SMS node, under 'Category'.",
		);
	}
	return category;
}

import type { INodeProperties } from 'n8n-workflow';
import { refuseNoValue } from './expressions';
import type { Item } from './item';
import { InputError, requireTrimmed, show } from '../service/InputError';

/**
 * Something of the account that is picked from a dropdown, or given by its ID.
 *
 * @param searchListMethod the node method that gives the dropdown
 * @param hint where its ID is found
 */
export function locatorField(
	field: Pick<INodeProperties, 'displayName' | 'name' | 'description'>,
	searchListMethod: string,
	hint?: string,
): INodeProperties {
	const { name } = field;
	return {
		...field,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: `Choose a ${name}…`,
				typeOptions: {
					searchListMethod,
					searchable: true,
					slowLoadNotice: {
						message: `If loading takes too long, enter the ID of the ${name} instead`,
						timeout: 15_000,
					},
				},
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4b',
				...(hint === undefined ? {} : { hint }),
			},
		],
	};
}

/** A contact list. Needs the node method `searchLists`. */
export const listLocatorField = locatorField(
	{ displayName: 'List', name: 'list', description: 'The contact list' },
	'searchLists',
);

/** @throws InputError when no list is chosen */
export function readListId(item: Pick<Item, 'chosen' | 'parts'>): string {
	return readId(item, 'list.value', item.chosen('list'), 'List');
}

/** The list that an item is about. @throws InputError when none is chosen */
export function aboutList(item: Pick<Item, 'chosen' | 'parts'>) {
	const listId = readListId(item);
	return { listId, path: { listId }, subject: listId };
}

/** Of a field that is picked from a dropdown, or given. */
const CHOOSE = 'Choose one or enter its ID';

/** The ID that a parameter gives. @throws InputError as `parseId` and `refuseNoValue` */
export function readId(
	item: Pick<Item, 'parts'>,
	path: string,
	value: unknown,
	field: string,
	enter = CHOOSE,
): string {
	const id = parseId(value, field, enter);
	refuseNoValue(item, path, id, field);
	return id;
}

/**
 * An identifier of the service, ready to be put into a path.
 *
 * @param value as typed, chosen or given by an expression; a resource locator is taken by its value
 * @param field the field as the editor shows it
 * @param enter what to do where it is missing
 * @throws InputError when it is missing, or can't be a part of a path
 */
export function parseId(value: unknown, field: string, enter = CHOOSE): string {
	const chosen =
		typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
	const advice = `${enter}. If '${field}' is an expression, it may be empty for this item.`;
	const id = requireTrimmed(chosen ?? '', field, advice);
	if (id === '.' || id === '..') {
		throw new InputError(`'${field}' ${show(id)} is not an ID`, 'Copy the ID again.');
	}
	return id;
}

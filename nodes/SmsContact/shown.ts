import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import type { Client } from '../shared/run/client';
import type { Fields } from '../shared/service/answers';
import { readOptionChoice } from '../shared/service/choices';
import type { Contact } from '../shared/service/contacts';
import { LIST, readColumns } from '../shared/service/lists';
import { withNumber } from '../shared/service/number';
import { namedBy } from './attributes';

const FIELD = 'Name Columns By';
const KEYS = ['names', 'ids'] as const;

/** The names of the columns in results. */
export const attributeKeys: INodeProperties = {
	displayName: FIELD,
	name: 'attributeKeys',
	type: 'options',
	options: [
		{
			name: 'Column IDs',
			value: 'ids',
			description: 'Stay the same if you rename a column',
		},
		{
			name: 'Column Names',
			value: 'names',
			description: 'Names of the columns in the list',
		},
	],
	default: 'names',
	description: "What to call the columns in 'attributes' of each result",
};

export type AttributeKeys = (typeof KEYS)[number];

/** @throws InputError */
export function readAttributeKeys({ options }: Item): AttributeKeys {
	return readOptionChoice(options, attributeKeys.name, KEYS, FIELD);
}

/**
 * Makes results of contacts. The columns of the list are read, once in a run, where one of them has to be named.
 *
 * @throws StepFailed
 */
export async function showContacts(
	{ listId, keys }: { listId: string; keys: AttributeKeys },
	contacts: readonly Contact[],
	client: Client,
): Promise<(contact: Contact) => Fields> {
	const hasValues = contacts.some(({ attributes }) => Object.keys(attributes).length > 0);
	if (keys === 'ids' || !hasValues) return shown;
	const get = { endpoint: LIST, path: { listId } };
	const rename = namedBy(await client.once(get, readColumns));
	return (contact) => shown({ ...contact, attributes: rename(contact.attributes) });
}

/** The values before the ID, so that they are seen. */
function shown({ id, ...contact }: Contact): Fields {
	return { ...withNumber(contact), ...(id === undefined ? {} : { id }) };
}

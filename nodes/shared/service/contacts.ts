import { asObject, isMissing, withIds, type Fields } from './answers';
import type { Endpoint } from './endpoint';

/** Interface document 4.5. */
export const CONTACTS: Endpoint = 'GET /v2/lists/{listId}/contacts';

export const ADD_CONTACT: Endpoint = 'POST /v2/lists/{listId}/contacts';

/** The deletion by number, which the document writes in two ways; the likelier one is the first. */
export const DELETE_BY_NUMBER: Record<'contacts' | 'contact', Endpoint> = {
	contacts: 'DELETE /v2/lists/{listId}/contacts',
	contact: 'DELETE /v2/lists/{listId}/contact',
};

export const DELETE_BY_ID: Endpoint = 'DELETE /v2/lists/{listId}/contacts/{contactId}';

/** A contact of a list (interface document 2.4). It has an ID, or at least a number. */
export interface Contact {
	id?: string;
	/** A phone number. */
	identifier?: string;
	/** Values by column ID. */
	attributes: Fields;
	[other: string]: unknown;
}

/**
 * One record of the contacts. Attributes that are missing are an empty object; so is an empty list,
 * which is how some languages write one.
 */
export function readContact(record: unknown): Contact | undefined {
	const fields = asObject(record);
	const attributes = readAttributes(fields?.attributes);
	if (fields === undefined || attributes === undefined) return undefined;
	const contact: Contact = { ...withIds(fields, ['id', 'identifier']), attributes };
	return (contact.id ?? contact.identifier) === undefined ? undefined : contact;
}

function readAttributes(value: unknown): Fields | undefined {
	if (Array.isArray(value)) return value.length === 0 ? {} : undefined;
	return isMissing(value) ? {} : asObject(value);
}

/** The value in a column. A column may be called like what every object has: `constructor`. */
export function valueIn<T>(
	attributes: Readonly<Record<string, T>>,
	columnId: string,
): T | undefined {
	return Object.hasOwn(attributes, columnId) ? attributes[columnId] : undefined;
}

/** The body that adds a contact (interface document 4.5): without values that are missing, and as texts. */
export function contactBody(identifier: string, attributes: Fields = {}) {
	const values = Object.entries(attributes)
		.filter(([, value]) => !isMissing(value))
		.map(([id, value]) => [id, String(value)]);
	if (values.length === 0) return { identifier };
	return { identifier, attributes: Object.fromEntries(values) as Record<string, string> };
}

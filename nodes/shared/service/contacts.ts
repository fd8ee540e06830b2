import { asId, asObject, isMissing, without, type Fields } from './answers';
import { listPath } from './lists';
import { readCollection } from './records';

/** Path of the contacts of a list (interface document 4.5). */
export function contactsPath(listId: string): string {
	return listPath(listId, '/contacts');
}

/** A contact of a list (interface document 2.4). It has an ID, or at least a number. */
export interface Contact {
	id?: string;
	/** A phone number. */
	identifier?: string;
	/** Values by column ID. */
	attributes: Fields;
	[other: string]: unknown;
}

/** The contacts of a list; what is no contact is left out. One may come without the list around it. */
export function readContacts(body: unknown): Contact[] | undefined {
	return readCollection(body, readContact);
}

/**
 * One record of the contacts. Attributes that are missing are an empty object; so is an empty list,
 * which is how some languages write one.
 */
export function readContact(record: unknown): Contact | undefined {
	const fields = asObject(record);
	const id = asId(fields?.id);
	const identifier = asId(fields?.identifier);
	const attributes = readAttributes(fields?.attributes);
	if ((id ?? identifier) === undefined || attributes === undefined) return undefined;
	return {
		...(id === undefined ? {} : { id }),
		...(identifier === undefined ? {} : { identifier }),
		attributes,
		...without(fields ?? {}, ['id', 'identifier', 'attributes']),
	};
}

function readAttributes(value: unknown): Fields | undefined {
	return isMissing(value) || (Array.isArray(value) && value.length === 0) ? {} : asObject(value);
}

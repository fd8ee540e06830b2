import type { IDataObject } from 'n8n-workflow';
import { asObject } from '../shared/service/answers';
import { readContact as readRecord } from '../shared/service/contacts';

/** Puts other keys in the place of the column IDs. */
export type Rename = (attributes: IDataObject) => IDataObject;

/**
 * A contact of a list (interface document 2.4); undefined for what has neither an ID nor a number.
 * Attributes that are missing are an empty object.
 */
export function readContact(record: unknown, rename: Rename): IDataObject | undefined {
	const contact = readRecord(record);
	return contact && { ...contact, attributes: rename(contact.attributes as IDataObject) };
}

/** Whether a contact has a value in a column. */
export function hasValues(record: unknown): boolean {
	return Object.keys(asObject(asObject(record)?.attributes) ?? {}).length > 0;
}

import type { IDataObject } from 'n8n-workflow';
import { asId, asObject } from '../shared/service/answers';

/** Puts other keys in the place of the column IDs. */
export type Rename = (attributes: IDataObject) => IDataObject;

/**
 * A contact of a list (interface document 2.4); undefined for what has neither an ID nor a number.
 * Attributes that are missing are an empty object.
 */
export function readContact(record: unknown, rename: Rename): IDataObject | undefined {
	const fields = asObject(record);
	const id = asId(fields?.id);
	const identifier = asId(fields?.identifier);
	const attributes = asObject(fields?.attributes ?? {});
	if ((id ?? identifier) === undefined || attributes === undefined) return undefined;
	return {
		...fields,
		...(id === undefined ? {} : { id }),
		...(identifier === undefined ? {} : { identifier }),
		attributes: rename(attributes as IDataObject),
	};
}

/** Whether a contact has a value in a column. */
export function hasValues(record: unknown): boolean {
	return Object.keys(asObject(asObject(record)?.attributes) ?? {}).length > 0;
}

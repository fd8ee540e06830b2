import { asId, asObject } from '../shared/service/answers';
import { asRecords } from '../shared/service/records';

/** A contact of a list (interface document 2.4). */
export interface Contact {
	id?: string;
	identifier?: string;
	/** Values by column ID. */
	attributes: Record<string, unknown>;
	[other: string]: unknown;
}

/** Contacts; undefined unless each has an ID or a number. A single one may come without the list. */
export function readContacts(body: unknown): Contact[] | undefined {
	const records = asRecords(body);
	if (records === undefined) return undefined;
	const contacts: Contact[] = [];
	for (const record of records) {
		const fields = asObject(record);
		const id = asId(fields?.id);
		const identifier = asId(fields?.identifier);
		const attributes = asObject(fields?.attributes ?? {});
		if ((id ?? identifier) === undefined || attributes === undefined) return undefined;
		contacts.push({
			...fields,
			...(id === undefined ? {} : { id }),
			...(identifier === undefined ? {} : { identifier }),
			attributes,
		});
	}
	return contacts;
}

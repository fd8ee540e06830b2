import { isMissing, type Fields } from '../shared/service/answers';
import { comparableValue } from '../shared/service/columnValue';
import type { Contact } from '../shared/service/contacts';
import type { Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { inSlices } from '../shared/run/slices';

/** What a list is to hold of one number. */
export interface Wanted {
	columns: readonly Column[];
	/** By column ID; the empty text for a column that is to be empty. Other columns keep what they have. */
	attributes: Readonly<Record<string, string>>;
	/** IANA name of the workflow's time zone. */
	timeZone: string;
}

/** How what a list holds of one number differs from what it is to hold. */
export interface Difference {
	action: 'added' | 'updated' | 'unchanged';
	/** Contacts to delete: the service has no request that changes one. */
	outdated: readonly Contact[];
	/** The contact that stays; without it, one is added. */
	kept?: Contact;
	/** What the list holds then, by column ID. */
	attributes: Fields;
	/** What the columns held that change. */
	previous: Fields;
}

/** The contacts of a list by their number, whatever spelling of it the service has stored. */
export async function byNumber(
	contacts: readonly Contact[],
): Promise<ReadonlyMap<string, Contact[]>> {
	const found = new Map<string, Contact[]>();
	await inSlices(contacts, (contact) => {
		if (contact.identifier === undefined) return;
		const number = canonicalNumber(contact.identifier);
		const same = found.get(number);
		if (same === undefined) found.set(number, [contact]);
		else same.push(contact);
	});
	return found;
}

/**
 * Compares one number.
 *
 * @param contacts those of the list with this number: none, one, or several where the service takes a
 *   number twice
 */
export function differenceOf(wanted: Wanted, contacts: readonly Contact[]): Difference {
	const { columns, attributes } = wanted;
	if (contacts.length === 0) {
		const values = withoutEmpty(attributes);
		return { action: 'added', outdated: [], attributes: values, previous: {} };
	}
	const fitting = contacts.find((contact) => changedIn(contact, wanted).length === 0);
	const base = fitting ?? contacts[0];
	const known = columns.map(({ id }) => id).filter((id) => Object.hasOwn(base.attributes, id));
	const held = Object.fromEntries(known.map((id) => [id, base.attributes[id]]));
	if (fitting !== undefined) {
		const outdated = contacts.filter((contact) => contact !== fitting);
		const stays = { attributes: held, previous: {} };
		if (outdated.length === 0) {
			return { action: 'unchanged', outdated, kept: fitting, ...stays };
		}
		// A number that can't be told from that of the others would be deleted with them.
		if (contacts.every(({ id }) => id !== undefined)) {
			return { action: 'updated', outdated, kept: fitting, ...stays };
		}
		return { action: 'updated', outdated: contacts, ...stays };
	}
	const changed = changedIn(base, wanted).map((id) => [id, base.attributes[id] ?? '']);
	return {
		action: 'updated',
		outdated: contacts,
		attributes: withoutEmpty({ ...held, ...attributes }),
		previous: Object.fromEntries(changed) as Fields,
	};
}

/** The IDs of the columns whose values are to be others. */
function changedIn(contact: Contact, { columns, attributes, timeZone }: Wanted): string[] {
	return columns
		.filter((column) => {
			if (!Object.hasOwn(attributes, column.id)) return false;
			const [held, wanted] = [contact.attributes, attributes].map((values) =>
				comparableValue(column, values[column.id], timeZone),
			);
			return held !== wanted;
		})
		.map(({ id }) => id);
}

/** The values without those that are empty. */
export function withoutEmpty(values: Fields): Fields {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => !isMissing(value)));
}

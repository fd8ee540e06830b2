import { isMissing, type Fields } from '../shared/service/answers';
import { comparableValue, rewriteColumnValue } from '../shared/service/columnValue';
import { valueIn, type Contact } from '../shared/service/contacts';
import { InputError } from '../shared/service/InputError';
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
	/** What the contact is added with again where the service takes no other values. */
	restored: Fields;
	/** Why it can't be changed: the list holds a value that a contact can't be added with. */
	problem?: InputError;
}

/** The contacts of a list by their number, whatever spelling of it the service has stored. */
export async function byNumber(contacts: readonly Contact[]): Promise<Map<string, Contact[]>> {
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
 * @param given those of the list with this number: none, one, or several where the service takes a
 *   number twice
 * @param deleted those that were deleted in order to be replaced, before somebody else added the number
 */
export function differenceOf(
	wanted: Wanted,
	given: readonly Contact[],
	deleted: readonly Contact[] = [],
): Difference {
	const { columns, attributes } = wanted;
	// In whatever order the service gives them: two runs at once are to keep the same one.
	const contacts = given.length > 1 ? [...given].sort(byId) : given;
	const all = [...contacts, ...deleted];
	if (all.length === 0) {
		const values = withoutEmpty(attributes);
		return { action: 'added', outdated: [], attributes: values, previous: {}, restored: {} };
	}
	const fitting = contacts.filter((contact) => changedIn(contact, wanted).length === 0);
	const whole = fitting.find((contact) => all.length === 1 || lacksNothing(contact, all, wanted));
	const base = whole ?? fitting[0] ?? all[0];
	const held = heldBy(base, all, columns);
	if (whole !== undefined) {
		const outdated = contacts.filter((contact) => contact !== whole);
		const stays = { attributes: held, previous: {}, restored: {} };
		if (outdated.length === 0) {
			return { action: 'unchanged', outdated, kept: whole, ...stays };
		}
		// A number that can't be told from that of the others would be deleted with them.
		if (contacts.every(({ id }) => id !== undefined)) {
			return { action: 'updated', outdated, kept: whole, ...stays };
		}
	}
	const changed = changedIn(base, wanted).map((id) => [id, valueIn(held, id) ?? '']);
	const { restored, problem } = addable(held, wanted);
	return {
		action: 'updated',
		outdated: contacts,
		attributes: withoutEmpty({ ...restored, ...attributes }),
		previous: Object.fromEntries(changed) as Fields,
		restored,
		problem,
	};
}

function byId({ id: one = '' }: Contact, { id: other = '' }: Contact): number {
	return one < other ? -1 : Number(one > other);
}

/** What the contacts of one number hold together: the values of the first, and what only others have. */
function heldBy(base: Contact, all: readonly Contact[], columns: readonly Column[]): Fields {
	const held: Fields = {};
	for (const { id } of columns) {
		const has = ({ attributes }: Contact) => !isMissing(valueIn(attributes, id));
		const holder = has(base) ? base : (all.find(has) ?? base);
		if (Object.hasOwn(holder.attributes, id)) held[id] = holder.attributes[id];
	}
	return held;
}

/** Whether none of the others has a value that would be lost with it. */
function lacksNothing({ attributes }: Contact, all: readonly Contact[], wanted: Wanted): boolean {
	return wanted.columns.every(
		({ id }) =>
			Object.hasOwn(wanted.attributes, id) ||
			!isMissing(valueIn(attributes, id)) ||
			all.every((other) => isMissing(valueIn(other.attributes, id))),
	);
}

/**
 * The values that a contact can be added with again.
 *
 * @returns the problem of one that is to stay and can't be written
 */
function addable(
	held: Fields,
	{ columns, attributes, timeZone }: Wanted,
): { restored: Fields; problem?: InputError } {
	const restored: Fields = {};
	let problem: InputError | undefined;
	for (const column of columns) {
		const { id, name } = column;
		try {
			const value = rewriteColumnValue(column, valueIn(held, id), timeZone);
			if (value !== '') restored[id] = value;
		} catch (error) {
			if (Object.hasOwn(attributes, id)) continue;
			problem ??= new InputError(
				`${(error as Error).message}. A contact can't be added with it`,
				`The contact stays as it is, because changing it means deleting it and adding it again with this value. Give column '${name}' another value in 'Columns', or correct the contact.`,
			);
		}
	}
	return { restored, problem };
}

/** The IDs of the columns whose values are to be others. */
function changedIn(contact: Contact, { columns, attributes, timeZone }: Wanted): string[] {
	return columns
		.filter((column) => {
			if (!Object.hasOwn(attributes, column.id)) return false;
			const [held, wanted] = [contact.attributes, attributes].map((values) =>
				comparableValue(column, valueIn(values, column.id), timeZone),
			);
			return held !== wanted;
		})
		.map(({ id }) => id);
}

/** The values without those that are empty. */
function withoutEmpty(values: Fields): Fields {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => !isMissing(value)));
}

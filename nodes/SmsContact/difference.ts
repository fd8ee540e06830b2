import { isMissing, type Fields } from '../shared/service/answers';
import { comparableValue, rewriteColumnValue } from '../shared/service/columnValue';
import { valueIn, type Contact } from '../shared/service/contacts';
import { InputError } from '../shared/service/InputError';
import type { Column } from '../shared/service/lists';
import { canonicalNumber } from '../shared/service/number';
import { forEach } from '../shared/run/chunks';

/** The values that a list is to hold of one number. */
export interface Wanted {
	columns: readonly Column[];
	/** By column ID; the empty text for a column that is to be empty. Other columns keep what they have. */
	attributes: Readonly<Record<string, string>>;
	/** IANA name of the workflow's time zone. */
	timeZone: string;
}

/** The difference between a contact as it is and as it is to be. */
export interface Difference {
	action: 'added' | 'updated' | 'unchanged';
	/** Contacts to delete: the service has no request that changes one. */
	outdated: readonly Contact[];
	/** The contact that stays; without it, one is added. */
	kept?: Contact;
	/** The values of the contact then, by column ID. */
	attributes: Fields;
	/** The values before, of the columns that change. */
	previous: Fields;
	/** The values before, as the contact is added again where the service refuses the new ones. */
	restored: Fields;
	/** Why it can't be changed: it has a value that a contact can't be added with. */
	problem?: InputError;
}

/** The contacts of a list by their number, whatever spelling of it the service has stored. */
export async function byNumber(contacts: readonly Contact[]): Promise<Map<string, Contact[]>> {
	const found = new Map<string, Contact[]>();
	await forEach(contacts, (contact) => {
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
 * @param found contacts of the list with this number: none, one, or several where the service takes a number twice
 */
export function differenceOf(wanted: Wanted, found: readonly Contact[]): Difference {
	const { columns, attributes } = wanted;
	if (found.length === 0) {
		const values = withoutEmpty(attributes);
		return { action: 'added', outdated: [], attributes: values, previous: {}, restored: {} };
	}
	// In whatever order the service gives them: two runs at once are to keep the same one.
	const contacts = found.length > 1 ? [...found].sort(byId) : found;
	const fitting = contacts.filter((contact) => changedIn(contact, wanted).length === 0);
	const kept = fitting.find((contact) => lacksNothing(contact, contacts, wanted));
	const base = kept ?? fitting[0] ?? contacts[0];
	const held = heldBy(base, contacts, columns);
	const outdated = contacts.filter((contact) => contact !== kept);
	// Others that can only be deleted by number would take the kept one with them.
	const isSafe = outdated.length === 0 || contacts.every(({ id }) => id !== undefined);
	if (kept !== undefined && isSafe) {
		const action = outdated.length === 0 ? 'unchanged' : 'updated';
		return { action, outdated, kept, attributes: held, previous: {}, restored: {} };
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

/** The values of a contact, and those that only others of its number have. */
function heldBy(base: Contact, all: readonly Contact[], columns: readonly Column[]): Fields {
	const held: Fields = {};
	for (const { id } of columns) {
		const has = ({ attributes }: Contact) => !isMissing(valueIn(attributes, id));
		const holder = has(base) ? base : (all.find(has) ?? base);
		if (Object.hasOwn(holder.attributes, id)) held[id] = holder.attributes[id];
	}
	return held;
}

/** Whether no other contact of its number has a value that would be lost with it. */
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

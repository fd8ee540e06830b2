import { isMissing, type Fields } from '../shared/service/answers';
import { comparableValue, rewriteColumnValue } from '../shared/service/columnValue';
import { valueIn, type Contact } from '../shared/service/contacts';
import { InputError } from '../shared/service/InputError';
import type { Column } from '../shared/service/lists';

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
	values: Fields;
	/** The values before, of the columns that change. */
	previous: Fields;
	/** The values before, as the contact is added again where the service refuses the new ones. */
	old: Fields;
	/** Why it can't be changed: it has a value that a contact can't be added with. */
	problem?: InputError;
}

/**
 * Compares one number.
 *
 * @param found contacts of the list with this number: none, one, or several where the service takes a number twice
 */
export function differenceOf(wanted: Wanted, found: readonly Contact[]): Difference {
	const { columns, attributes, timeZone } = wanted;
	// In whatever order the service gives them: two runs at once are to keep the same one.
	const contacts = found.length > 1 ? [...found].sort(byId) : found;
	const isSame = (column: Column, one: unknown, other: unknown) =>
		one === other ||
		comparableValue(column, one, timeZone) === comparableValue(column, other, timeZone);
	// Others that can only be deleted by number would take the kept one with them.
	const canKeep = contacts.length === 1 || contacts.every(({ id }) => id !== undefined);
	const kept = contacts.find((contact) => {
		const values = { ...valuesOf(contact, contacts, columns), ...attributes };
		const isRight = (column: Column) =>
			isSame(column, valueIn(values, column.id), valueIn(contact.attributes, column.id));
		return canKeep && columns.every(isRight);
	});
	const held = valuesOf(kept ?? contacts[0], contacts, columns);
	const outdated = contacts.filter((contact) => contact !== kept);
	if (kept !== undefined) {
		const action = outdated.length === 0 ? 'unchanged' : 'updated';
		return { action, outdated, kept, values: held, previous: {}, old: {} };
	}
	const { old, problem } = addable(held, wanted);
	const changed = columns.filter((column) => {
		const { id } = column;
		return Object.hasOwn(attributes, id) && !isSame(column, valueIn(held, id), attributes[id]);
	});
	const previous = changed.map(({ id }) => [id, valueIn(held, id) ?? '']);
	return {
		action: contacts.length === 0 ? 'added' : 'updated',
		outdated,
		values: withoutEmpty({ ...old, ...attributes }),
		previous: contacts.length === 0 ? {} : (Object.fromEntries(previous) as Fields),
		old,
		problem,
	};
}

function byId({ id: one = '' }: Contact, { id: other = '' }: Contact): number {
	return one < other ? -1 : Number(one > other);
}

/** The values of a contact, and those that only others of its number have. */
function valuesOf(
	contact: Contact | undefined,
	all: readonly Contact[],
	columns: readonly Column[],
): Fields {
	const values: Fields = {};
	for (const { id } of columns) {
		const has = (other?: Contact) => !isMissing(other && valueIn(other.attributes, id));
		const holder = has(contact) ? contact : all.find(has);
		if (holder !== undefined) values[id] = holder.attributes[id];
	}
	return values;
}

/**
 * The values that a contact can be added with again.
 *
 * @returns the problem of one that is to stay and can't be written
 */
function addable(
	held: Fields,
	{ columns, attributes, timeZone }: Wanted,
): Pick<Difference, 'old' | 'problem'> {
	const old: Fields = {};
	let problem: InputError | undefined;
	for (const column of columns) {
		const { id, name } = column;
		try {
			const value = rewriteColumnValue(column, valueIn(held, id), timeZone);
			if (value !== '') old[id] = value;
		} catch (error) {
			if (Object.hasOwn(attributes, id)) continue;
			problem ??= new InputError(
				`${(error as Error).message}. A contact can't be added with it`,
				`The contact stays as it is, because changing it means deleting it and adding it again with this value. Give column '${name}' another value in 'Columns', or correct the contact.`,
			);
		}
	}
	return { old, problem };
}

/** The values without those that are empty. */
export function withoutEmpty(values: Fields): Fields {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => !isMissing(value)));
}

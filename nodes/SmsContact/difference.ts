import { isMissing, type Fields } from '../shared/service/answers';
import { comparableValue, rewriteColumnValue } from '../shared/service/columnValue';
import { valueIn, type Contact } from '../shared/service/contacts';
import { InputError, oneLine } from '../shared/service/InputError';
import type { Column } from '../shared/service/lists';
import type { Row } from './row';

/** The values that a list is to hold of a number: the empty text empties a column, the others keep what they have. */
type Wanted = Pick<Row, 'columns' | 'attributes' | 'timeZone'>;

/** The difference between a contact as it is and as it is to be. */
export interface Difference {
	action: 'added' | 'updated' | 'unchanged';
	/** Contacts to delete: the service has no request that changes one. */
	outdated: readonly Contact[];
	/** The contact that stays; without it, one is added. */
	kept?: Contact;
	/** The values before, as a contact is added with them again. */
	old: Fields;
	/** The values before, of the columns that change. */
	previous: Fields;
}

/**
 * Compares one number.
 *
 * @param found contacts of the list with this number: none, one, or several where the service takes a number twice
 * @throws InputError where it can't be changed: it has a value that a contact can't be added with
 */
export function differenceOf(wanted: Wanted, found: readonly Contact[]): Difference {
	const { columns, attributes, timeZone } = wanted;
	// In whatever order the service gives them: two runs at once are to keep the same one.
	const contacts = [...found].sort(({ id: one = '' }, { id: other = '' }) =>
		one.localeCompare(other),
	);
	const held = valuesOf(contacts, columns);
	const right = { ...held, ...attributes };
	const isSame = (one: Fields, other: Fields) => (column: Column) => {
		const values = [one, other].map((fields) => valueIn(fields, column.id));
		if (values[0] === values[1]) return true;
		const [a, b] = values.map((value) => comparableValue(column, value, timeZone));
		return a === b;
	};
	// Others that can only be deleted by number would take the kept one with them.
	const canKeep = contacts.length === 1 || contacts.every(({ id }) => id !== undefined);
	const kept = contacts.find(
		(contact) => canKeep && columns.every(isSame(right, contact.attributes)),
	);
	const outdated = contacts.filter((contact) => contact !== kept);
	if (kept !== undefined) {
		const action = outdated.length === 0 ? 'unchanged' : 'updated';
		return { action, outdated, kept, old: {}, previous: {} };
	}
	const isNew = contacts.length === 0;
	const changed = isNew ? [] : columns.filter((column) => !isSame(right, held)(column));
	return {
		action: isNew ? 'added' : 'updated',
		outdated,
		previous: Object.fromEntries(changed.map(({ id }) => [id, valueIn(held, id) ?? ''])),
		old: addable(held, wanted),
	};
}

/** The values of a contact; where several have its number, those of the first one that has any in the column. */
function valuesOf(contacts: readonly Contact[], columns: readonly Column[]): Fields {
	const values = columns.map(({ id }) => {
		const held = contacts.map(({ attributes }) => valueIn(attributes, id));
		return [id, held.find((value) => !isMissing(value))] as const;
	});
	return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/**
 * The values that a contact can be added with again.
 *
 * @throws InputError for one that is to stay and can't be written
 */
function addable(held: Fields, { columns, attributes, timeZone }: Wanted): Fields {
	const old = columns.map((column) => {
		const { id, name } = column;
		try {
			return [id, rewriteColumnValue(column, valueIn(held, id), timeZone)] as const;
		} catch (error) {
			if (!Object.hasOwn(attributes, id)) throw cannotStay(name, error as Error);
			return [id, undefined] as const;
		}
	});
	return withoutEmpty(Object.fromEntries(old));
}

function cannotStay(name: string, { message }: Error): InputError {
	return new InputError(
		`${message}. A contact can't be added with it`,
		`The contact stays as it is, because changing it means deleting it and adding it again with this value. Give column '${oneLine(name)}' another value in 'Columns', or correct the contact.`,
	);
}

/** The values without those that are empty. */
export function withoutEmpty(values: Fields): Fields {
	return Object.fromEntries(Object.entries(values).filter(([, value]) => !isMissing(value)));
}

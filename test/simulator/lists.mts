/** Contact lists with their columns and contacts (interface document 2.2 to 2.4). */
import { JsonCollection } from './collection.mts';
import { Refusal } from './errors.mts';
import { DATE_FORMATS, FIELD_TYPES, requireAttribute, type FieldType } from './limits.mts';

export interface Field {
	id: string;
	listId: string;
	name: string;
	type: FieldType;
	/** Empty unless the type is DATE. */
	format: string;
}

export interface Contact {
	id: string;
	/** The number in E.164. */
	identifier: string;
	/** Values by column id. */
	attributes: Record<string, string>;
}

/** The parts of the service that a list needs. */
export interface ListContext {
	createId(): string;
	readonly settings: {
		readonly duplicates: 'refuse' | 'accept';
		readonly fieldIds: 'reference' | 'opaque';
	};
}

/**
 * The token of a column (interface document 2.3): lowercase, underscores for spaces. What becomes
 * of other characters is not shown; here accents go and the rest become underscores too.
 */
export function fieldReference(name: string): string {
	const plain = name.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
	return plain
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, '_')
		.replace(/^_+|_+$/g, '');
}

export class ContactList {
	readonly id: string;
	name: string;
	readonly fields: Field[] = [];
	readonly contacts = new JsonCollection<Contact>();
	private readonly context: ListContext;
	private numbers = new Set<string>();
	private indexedVersion = 0;

	constructor(name: string, context: ListContext) {
		this.id = context.createId();
		this.name = name;
		this.context = context;
	}

	/**
	 * Adds a column.
	 * @throws {Refusal} for a type, or a format of a DATE, that interface document 2.3 does not have
	 */
	addField(name: string, type: unknown, format?: unknown): Field {
		if (!FIELD_TYPES.includes(type as FieldType)) {
			throw new Refusal(undefined, `A type is one of ${FIELD_TYPES.join(', ')}`);
		}
		if (type === 'DATE') {
			if (!DATE_FORMATS.includes(format as string)) throw new Refusal(61);
		} else if (format !== undefined && format !== '') {
			throw new Refusal(undefined, 'A format is for the type DATE only');
		}
		const opaque = this.context.settings.fieldIds === 'opaque';
		const field: Field = {
			id: opaque ? this.context.createId() : this.freeReference(name),
			listId: this.id,
			name,
			type: type as FieldType,
			format: type === 'DATE' ? (format as string) : '',
		};
		this.fields.push(field);
		return field;
	}

	/** Removes a column and its values. False when there is no such column. */
	removeField(fieldId: string): boolean {
		const index = this.fields.findIndex((field) => field.id === fieldId);
		if (index === -1) return false;
		this.fields.splice(index, 1);
		for (const contact of this.contacts.items()) delete contact.attributes[fieldId];
		this.contacts.changed();
		return true;
	}

	/**
	 * Adds a contact.
	 * @param identifier the number in E.164
	 * @param attributes values by column id
	 * @throws {Refusal} for a value that its column refuses, and code 15 for a number that is there
	 */
	addContact(identifier: string, attributes: Readonly<Record<string, unknown>> = {}): Contact {
		const checked = this.checkAttributes(attributes);
		if (this.context.settings.duplicates === 'refuse' && this.has(identifier)) {
			throw new Refusal(15);
		}
		const indexed = this.indexedVersion === this.contacts.version;
		const contact = { id: this.context.createId(), identifier, attributes: checked };
		this.contacts.add(contact);
		if (indexed) {
			this.numbers.add(identifier);
			this.indexedVersion = this.contacts.version;
		}
		return contact;
	}

	/**
	 * Checks values by column id.
	 * @throws {Refusal} for an unknown column, or a value that its column refuses
	 */
	checkAttributes(attributes: Readonly<Record<string, unknown>>): Record<string, string> {
		const checked: Record<string, string> = {};
		for (const [id, value] of Object.entries(attributes)) {
			const field = this.fields.find((candidate) => candidate.id === id);
			if (field === undefined) throw new Refusal(undefined, `No column has the id ${id}`);
			checked[id] = requireAttribute(value, field.type, field.format);
		}
		return checked;
	}

	/** A contact has this number in E.164. */
	has(identifier: string): boolean {
		if (this.indexedVersion !== this.contacts.version) {
			this.numbers = new Set(this.contacts.items().map((contact) => contact.identifier));
			this.indexedVersion = this.contacts.version;
		}
		return this.numbers.has(identifier);
	}

	private freeReference(name: string): string {
		const reference = fieldReference(name) || 'field';
		const taken = new Set(this.fields.map((field) => field.id));
		let candidate = reference;
		for (let suffix = 2; taken.has(candidate); suffix++) candidate = `${reference}_${suffix}`;
		return candidate;
	}
}

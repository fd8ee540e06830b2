import type { IDataObject } from 'n8n-workflow';
import { InputError, show } from '../shared/service/InputError';

/** The node's fields, as an event reads those that it needs. */
export interface Parameters {
	/** The value of a field, its expression evaluated. */
	get: (name: string, fallback: string | number) => unknown;
	/** The values under Options. */
	options: IDataObject;
	/** ISO 3166-1 code of the country whose national numbers are understood. */
	country: string;
}

/**
 * Texts from one text with separators, or a list from an expression; each text once.
 *
 * @param field the field as the editor shows it
 * @throws InputError for anything else
 */
export function readList(value: unknown, field: string, separators = /[,\n]/): string[] {
	const values: unknown[] = Array.isArray(value) ? value : [value ?? ''];
	if (values.some((one) => typeof one === 'object' && one !== null)) {
		throw new InputError(
			`'${field}' is ${show(value)}, not a text`,
			'Enter texts separated by commas, or a list of texts.',
		);
	}
	const texts = values.flatMap((one) => String(one ?? '').split(separators));
	return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

/**
 * The same for a field that has to be filled in.
 *
 * @param advice what to enter
 * @throws InputError
 */
export function requireList(
	value: unknown,
	field: string,
	advice: string,
	separators?: RegExp,
): string[] {
	const texts = readList(value, field, separators);
	if (texts.length > 0) return texts;
	throw new InputError(`'${field}' is empty`, advice);
}

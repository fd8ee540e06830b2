import type { IDataObject } from 'n8n-workflow';
import { InputError, show } from '../../shared/service/InputError';

/** The node's fields, as an event reads those that it needs. */
export interface Parameters {
	/** What a field holds, its expression evaluated. */
	get: (name: string, fallback: string | number) => unknown;
	/** What is set under Options. */
	options: IDataObject;
	/** ISO 3166-1 code of the country whose national numbers are understood. */
	country: string;
}

/**
 * Texts separated by commas or line breaks, or a list from an expression; each text once.
 *
 * @param field the field as the editor shows it
 * @throws InputError for anything else
 */
export function readList(value: unknown, field: string): string[] {
	if (value === undefined || value === null) return [];
	const parts: unknown[] = Array.isArray(value) ? value : String(value).split(/[,\n]/);
	if ((typeof value === 'object' && !Array.isArray(value)) || parts.some(isObject)) {
		throw new InputError(
			`'${field}' is ${show(value)}, not a text`,
			'Enter texts separated by commas, or a list of texts.',
		);
	}
	const texts = parts.map((part) => String(part ?? '').trim()).filter((text) => text !== '');
	return [...new Set(texts)];
}

function isObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null;
}

/**
 * As `readList`, for a field that must not be empty.
 *
 * @param advice what to give
 * @throws InputError also when it is empty
 */
export function requireList(value: unknown, field: string, advice: string): string[] {
	const texts = readList(value, field);
	if (texts.length === 0) throw new InputError(`'${field}' is empty`, advice);
	return texts;
}

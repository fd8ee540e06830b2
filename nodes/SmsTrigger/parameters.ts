import type { IDataObject } from 'n8n-workflow';
import { isRounded } from '../shared/service/answers';
import { InputError, requireText, show, trimmed } from '../shared/service/InputError';

/** The node's fields, as an event reads those that it needs. */
export interface Parameters {
	/** The value of a field, its expression evaluated. */
	get: (name: string, fallback: string | number) => unknown;
	/** The values under Options. */
	options: IDataObject;
	/** ISO 3166-1 code of the country whose national numbers are understood. */
	country: string;
}

/** Words that an expression writes if it finds nothing. */
const NO_TEXT =
	/^(?:null|true|false)$|(?<![\p{L}\p{N}])(?:undefined|NaN|Invalid Date(?:Time)?)(?![\p{L}\p{N}])|\[object Object\]/u;

/**
 * Texts from one text with separators, or a list from an expression; each text once.
 *
 * @param field the field as the editor shows it
 * @throws InputError for anything else: what is misread here stays silent for ever
 */
export function readList(value: unknown, field: string, separators = /[,\n]/): string[] {
	const values: unknown[] = Array.isArray(value) ? value : [value];
	const isText = (one: unknown) => ['string', 'number'].includes(typeof one) && !isRounded(one);
	const wrong = values.find((one) => !isText(one));
	if (wrong !== undefined || values.includes(undefined)) {
		throw new InputError(
			`'${field}' is ${show(values.length > 1 ? wrong : value)}, not a text`,
			'Enter texts separated by commas, or an expression that gives a list of texts.',
		);
	}
	const texts = values.flatMap((one) => String(one).split(separators));
	const found = texts.find((text) => NO_TEXT.test(text.trim()));
	if (found !== undefined) {
		throw new InputError(
			`'${field}' has ${show(found.trim())}`,
			'If it is an expression, check that it finds something: a trigger has no input.',
		);
	}
	return [...new Set(texts.map(trimmed).filter((text) => text !== ''))];
}

/** Separators of other lists, quotes and brackets around a text, and invisible characters. */
const NO_CATEGORY =
	/[;|\t\u00ad\u200b\u2060\ufeff]|^["'`\u2018-\u201f«»[{]|["'`\u2018-\u201f«»\]}]$/;

/**
 * The categories to watch; none for the whole account.
 *
 * @throws InputError for a text that no category can be. One with a semicolon or quotes in its name can be given as a list.
 */
export function readCategories(value: unknown): string[] {
	const field = 'Categories';
	const categories = readList(value, field);
	for (const category of categories) {
		requireText(category, field);
		if (Array.isArray(value) || !NO_CATEGORY.test(category)) continue;
		throw new InputError(
			`'${field}' has ${show(category)}, which is not the name of a category`,
			"Write the names as in 'Category' of the SMS node, separated by commas, without quotes: orders, reminders.",
		);
	}
	return categories;
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

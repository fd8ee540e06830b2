import { InputError, show } from '../service/InputError';
import type { Item } from './item';

/** Words that JavaScript writes in the place of a value. */
const NO_VALUE =
	/(?<![\p{L}\p{N}])(?:Invalid DateTime|Invalid Date|undefined|null|NaN|Infinity)(?![\p{L}\p{N}])|\[object Object\]/u;

/**
 * Refuses a text into which an expression put a word for no value, such as "undefined". Only then is each of its
 * expressions evaluated: that takes n8n 0.45 ms. The same word typed without an expression is meant.
 *
 * @param name of the parameter, or the path of an option
 * @param text what the parameter gives for the item
 * @throws InputError
 */
export function refuseNoValue(
	item: Pick<Item, 'parts'>,
	name: string,
	text: string,
	field: string,
): void {
	if (!NO_VALUE.test(text)) return;
	for (const part of item.parts(name)) {
		if (typeof part === 'string') continue;
		const [word] = NO_VALUE.exec(written(part.value())) ?? [];
		if (word === undefined) continue;
		throw new InputError(
			`'${field}' contains ${word}, because ${typed(part.code)} gives it for this item`,
			adviceOn(word, field),
		);
	}
}

function adviceOn(word: string, field: string): string {
	if (word.startsWith('[')) {
		return 'It returns an object. Use one of its fields, such as {{ $json.customer.name }}.';
	}
	const check = word.startsWith('Invalid')
		? "Check the date, and the format in which it is read, such as {{ DateTime.fromFormat($json.day, 'dd/MM/yyyy') }}."
		: "Check the names of the fields in it, and the node that fills them. If a field can be missing, write {{ $json.field ?? '' }}.";
	return `${check} If you mean the word itself, type it into '${field}' without an expression.`;
}

/**
 * Refuses a key that is made of nothing: with `{{ $json.orderId }}-shipped`, all items without an order ID would have
 * the same key.
 *
 * @param key what the option gives for the item
 * @param orElse what to do where the field can be missing
 * @throws InputError
 */
export function refuseEmptyKey(
	item: Pick<Item, 'parts'>,
	name: string,
	key: string,
	field: string,
	orElse: string,
): void {
	refuseNoValue(item, name, key, field);
	const [code] = emptyExpressions(item, name, key);
	if (code === undefined) return;
	throw new InputError(
		`'${field}' is ${show(key)}, because ${typed(code)} is empty for this item`,
		`Check the name of the field in it. ${orElse}`,
	);
}

/**
 * Fields that were empty in a message, as `{{ $json.name }}`. An expression with an empty text in it, such as
 * `{{ $json.name ?? '' }}`, is meant to be empty.
 */
export function emptyFields(item: Pick<Item, 'parts'>, name: string, text: string): string[] {
	return emptyExpressions(item, name, text)
		.filter((code) => !/''|""|``/.test(code))
		.map(typed);
}

/** @param found expressions that gave nothing */
export function describeEmpty(found: string): string {
	return `Nothing stands in 'Message' for ${found}. Check the name of the field; if it may be empty, write {{ $json.field ?? '' }}.`;
}

/** Stand for the ends of a text, and for an expression in it. */
const [END, EXPRESSION] = ['\0', '\u0001'];

/**
 * The code of each expression without a value. A field is read; anything else is evaluated only where the texts before
 * and after it stand side by side, apart from spaces.
 */
function emptyExpressions(item: Pick<Item, 'parts'>, name: string, text: string): string[] {
	const parts = item.parts(name);
	const template = parts.map((part) => (typeof part === 'string' ? part : EXPRESSION)).join('');
	const around = bounded(template).split(EXPRESSION);
	const given = bounded(text);
	return parts
		.filter((part) => typeof part !== 'string')
		.filter(
			({ isField }, index) =>
				isField || given.includes(`${around[index]}${around[index + 1]}`),
		)
		.filter((expression) => written(expression.value()).trim() === '')
		.map(({ code }) => code);
}

function bounded(text: string): string {
	return `${END}${text.replace(/\s/g, '')}${END}`;
}

/** A value as n8n writes it into a text. */
function written(value: unknown): string {
	return Number.isNaN(value) ? '' : String(value ?? '');
}

const LONGEST_SHOWN = 60;

/** An expression as users see it. */
function typed(code: string): string {
	return `{{ ${code.length > LONGEST_SHOWN ? `${code.slice(0, LONGEST_SHOWN)}…` : code} }}`;
}

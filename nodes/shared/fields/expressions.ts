import { isRounded } from '../service/answers';
import { CELL_ERROR, isCellError } from '../service/cellError';
import { InputError, requireTrimmed, ROUNDED, show } from '../service/InputError';
import type { Expression, Item } from './item';

/** Words that JavaScript writes in the place of a value. The last two are parts of other words, too: *nullement*. */
const NO_VALUE =
	/Invalid (?:DateTime|Date|Duration|Interval)|undefined|NaN|\[object Object\]|(?<![\p{L}\p{N}])(?:null|Infinity)(?![\p{L}\p{N}])/gu;

type Parts = Pick<Item, 'parts'>;

/**
 * Reads a text that has to be there.
 *
 * @param name of the parameter
 * @param field as the editor shows it
 * @param advice what to enter
 * @returns without the spaces around it
 * @throws InputError as `requireTrimmed` and `refuseNoValue`
 */
export function requireField(
	item: Pick<Item, 'parameter' | 'parts'>,
	name: string,
	field: string,
	advice = fillIn(field),
): string {
	const text = requireTrimmed(item.parameter(name), field, advice);
	refuseNoValue(item, name, text, field);
	return text;
}

export function fillIn(field: string): string {
	return `Fill it in. If '${field}' is an expression, it may be empty for this item.`;
}

/**
 * Refuses a text into which an expression put a word for no value, such as "Cmdundefined". Only then is each of its
 * expressions evaluated: that takes n8n 0.45 ms. The same word typed without an expression is meant.
 *
 * @param name of the parameter, or the path that leads to it
 * @param text what the parameter gives for the item
 * @throws InputError
 */
export function refuseNoValue(
	item: Parts,
	name: string | readonly string[],
	text: string,
	field: string,
): void {
	const words = wordsIn(text);
	if (words.length === 0 && !/#[\p{Lu}¡¿]/u.test(text)) return;
	const parts = item.parts(name);
	const expressions = parts.filter((part) => typeof part !== 'string');
	// One that gives the object in which the text is, or all of the text together.
	const isGiven = words.length > 0 && expressions.length === parts.length;
	const wordIn = (from: Expression) =>
		wordsIn(written(from.value())).find((word) => text.includes(word));
	const part = expressions.find(wordIn) ?? (isGiven ? expressions[0] : undefined);
	if (part === undefined) return;
	const word = wordIn(part) ?? words[0];
	throw new InputError(
		`'${field}' contains ${word}, because ${typed(part.code)} gives it for this item`,
		`${adviceOn(word)} If you mean the word itself, type it into '${field}' without an expression, or use another word.`,
	);
}

/** Words for no value in a text, or all of it where it is the error of a spreadsheet. */
function wordsIn(text: string): readonly string[] {
	return isCellError(text) ? [text.trim()] : (text.match(NO_VALUE) ?? []);
}

function adviceOn(word: string): string {
	if (word.startsWith('#')) return CELL_ERROR;
	if (word.startsWith('['))
		return 'It returns an object. Use one of its fields, such as {{ $json.customer.name }}.';
	if (word.startsWith('Invalid'))
		return "Check the date, and the format in which it is read, such as {{ DateTime.fromFormat($json.day, 'dd/MM/yyyy') }}.";
	if (word === 'NaN' || word === 'Infinity')
		return 'It calculates with a value that is no number, or divides by 0. Check the names of the fields in it. A number has a point, as in 12.50.';
	return "Check the names of the fields in it, and the node that fills them. If a field can be missing, write it as ($json.field ?? ''), in parentheses: {{ \"Order \" + ($json.field ?? '') }}.";
}

/** What people write for nothing. */
const STANDS_FOR_NOTHING = /^(?:N\/A|[^\p{L}\p{N}]*)$/iu;
/** What Python and others write for it. Beside an ID, it may be one of the values of a field. */
const NOTHING_BY_NAME = /^(?:none|nil|nan)$/i;

/**
 * Refuses a label that is made of nothing: `shop-{{ $json.shop }}` without a shop.
 *
 * @param text what the option gives for the item
 * @param orElse what to do where the field can be missing
 * @throws InputError
 */
export function refuseGaps(
	item: Parts,
	name: string,
	text: string,
	field: string,
	orElse: string,
): void {
	refuseNoValue(item, name, text, field);
	const [code] = emptyExpressions(item, name, text);
	if (code === undefined) return;
	throw new InputError(
		`'${field}' is ${show(text)}, because ${typed(code)} is empty for this item`,
		`Check the name of the field in it. ${orElse}`,
	);
}

/**
 * Refuses a key that is made of nothing: with `{{ $json.orderId }}-shipped`, all items without an order ID would have the same one, and all
 * that a spreadsheet gives `#N/A` or 0 for.
 *
 * @throws InputError
 */
export function refuseEmptyKey(...[item, name, key, field, orElse]: Parameters<typeof refuseGaps>) {
	refuseGaps(item, name, key, field, orElse);
	const fields = item.parts(name).filter((part) => typeof part !== 'string' && part.isField);
	const given = [key, ...fields.map((part) => (part as Expression).value())];
	const rounded = given.find(isRounded);
	if (rounded !== undefined)
		throw new InputError(`'${field}' has ${show(rounded)} in it, not an exact number`, ROUNDED);
	const [whole, ...others] = given.map((value) => written(value).trim());
	const isNamed = [whole, others.join('')].some((text) => NOTHING_BY_NAME.test(text));
	const isNothing = isNamed || [whole, ...others].some((text) => STANDS_FOR_NOTHING.test(text));
	if (!isNothing && !/^(?:[^\p{L}\p{N}]|0)+$/u.test(key)) return;
	throw new InputError(
		`'${field}' is ${show(key)}, which stands for nothing: other items would have the same key`,
		`Check the field in it, and the table that it is from. ${orElse}`,
	);
}

/**
 * Fields that were empty in a message, as `{{ $json.name }}`. An expression with an empty text in it, such as
 * `{{ $json.name ?? '' }}`, is meant to be empty.
 */
export function emptyFields(item: Parts, name: string, text: string): string[] {
	return emptyExpressions(item, name, text)
		.filter((code) => !/''|""|``/.test(code))
		.map(typed);
}

/** @throws InputError for a text with `emptyFields` */
export function refuseEmptyFields(item: Parts, name: string, text: string, field: string): void {
	const [code] = emptyFields(item, name, text);
	if (code === undefined) return;
	throw new InputError(
		`'${field}' gets no text from ${code}`,
		`Check the name of the field in it, and the data. ${ifEmpty(code)}`,
	);
}

/** More decimals than anybody writes: 0.1 + 0.2 is 0.30000000000000004. */
const LONG_NUMBER = /(?<![\d.])\d+\.\d{7,}(?![\d.])/g;

/** Numbers of a message with more decimals than are meant, as its expressions gave them. */
export function longNumbers(item: Parts, name: string, text: string): string[] {
	const numbers = text.match(LONG_NUMBER) ?? [];
	if (numbers.length === 0) return [];
	const given = item.parts(name).map((part) => {
		if (typeof part === 'string') return '';
		const value = part.value();
		// A text in a field was written by somebody.
		return part.isField && typeof value === 'string' ? '' : written(value);
	});
	return numbers.filter((number) => given.some((one) => one.includes(number)));
}

export function describeLong(found: string): string {
	return `${found} has more decimals than people read. Round it, such as {{ $json.total.toFixed(2) }}.`;
}

/** @param found an expression that gave nothing, or several */
function ifEmpty(found: string): string {
	const isOne = found.split('{{').length === 2;
	const [, path] = /^\{\{ (\$json[\w.$]+) \}\}/.exec(found) ?? [];
	const field = isOne && path !== undefined ? path : '$json.field';
	return `If it may be empty, write {{ ${field} ?? '' }}.`;
}

/** @param found expressions that gave nothing */
export function describeEmpty(found: string): string {
	return `'Message' gets no text from ${found}. Check the name of the field. ${ifEmpty(found)}`;
}

/** Stand for the ends of a text, and for an expression in it. */
const [END, EXPRESSION] = ['\0', '\u0001'];

/**
 * The code of each expression without a value. A field is read; anything else is evaluated only where the texts before
 * and after it stand side by side, apart from spaces.
 */
function emptyExpressions(item: Parts, name: string, text: string): string[] {
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

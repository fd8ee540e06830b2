/**
 * Reads what is typed plainly straight from the item: n8n's expression engine takes 0.45 ms for each
 * expression of each item. What is read here has the value and the type that n8n gives it; everything
 * else is left to n8n.
 */
import { isSafeObjectProperty, type IDataObject, type INode } from 'n8n-workflow';

/** Reads a parameter for one item; undefined where n8n has to evaluate the whole parameter for it. */
export type PlainReader = (json: IDataObject) => unknown;

/**
 * Reads the parameters of a node, compiling each once.
 *
 * @returns a function that takes a parameter's name, or the path of an option in a collection
 *   (`options.onceKey`), and an item's JSON. It gives the value that n8n's `getNodeParameter` would give
 *   without options; undefined where n8n has to be asked, also where nothing is typed.
 */
export function plainParameters({ parameters }: INode) {
	const readers = new Map<string, PlainReader>();
	return (name: string, json: IDataObject): { value: unknown } | undefined => {
		if (!readers.has(name)) readers.set(name, compilePlain(typedIn(parameters, name)));
		const value = readers.get(name)!(json);
		return value === undefined ? undefined : { value };
	};
}

/** The typed value of a name. An object inside a parameter is n8n's, which may convert what is in it. */
function typedIn(parameters: IDataObject, name: string): unknown {
	const typed = valueAt(parameters, name.split('.'));
	return typeof typed === 'object' && name.includes('.') ? undefined : typed;
}

/**
 * Compiles a parameter: a fixed value, a field (`={{ $json.order.id }}`), a text with fields in it, or a
 * collection of these.
 *
 * @param typed the parameter as the workflow stores it
 */
export function compilePlain(typed: unknown): PlainReader {
	if (typeof typed === 'string' && typed.startsWith('=')) return compileText(typed.slice(1));
	if (typeof typed === 'object' && typed !== null) return compileCollection(typed);
	return () => typed;
}

/**
 * A resource locator is n8n's: its value may have to be extracted. So is `__proto__`, which n8n leaves
 * out, or takes for the prototype.
 */
function compileCollection(typed: object): PlainReader {
	if (['__rl', '__proto__'].some((name) => Object.hasOwn(typed, name))) return leftToN8n;
	const names = Object.keys(typed);
	const readers = Object.values(typed).map(compilePlain);
	return (json) => {
		const values = readAll(readers, json);
		if (values === undefined || Array.isArray(typed)) return values;
		return Object.fromEntries(names.map((name, at) => [name, values[at]]));
	};
}

function compileText(text: string): PlainReader {
	// n8n takes the second for an attack, and its older engine the first for something in its cache. A
	// backslash escapes braces.
	if (text in {} || text.includes('constructor') || text.includes('\\')) return leftToN8n;
	const parts = split(text);
	if (parts === undefined) return leftToN8n;
	const readers = parts.map((part) =>
		typeof part === 'string' ? () => part : compileField(part.code),
	);
	// A field alone keeps its type.
	return readers.length === 1 ? readers[0] : (json) => readAll(readers, json)?.join('');
}

/** NaN and Infinity, which no JSON has, are n8n's, as are objects. */
function compileField(code: string): PlainReader {
	const path = pathOf(code);
	if (path === undefined) return leftToN8n;
	return (json) => {
		const value = valueAt(json, path);
		const isText = typeof value === 'string' || typeof value === 'boolean';
		return isText || Number.isFinite(value) ? value : undefined;
	};
}

const leftToN8n: PlainReader = () => undefined;

/** All or nothing. */
function readAll(readers: readonly PlainReader[], json: IDataObject): unknown[] | undefined {
	const values = readers.map((read) => read(json));
	return values.includes(undefined) ? undefined : values;
}

/** Splits a text at its braces as n8n does: code ends at the first `}}`, even within quotes. */
function split(text: string): Array<string | { code: string }> | undefined {
	const parts: Array<string | { code: string }> = [];
	let end = 0;
	for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', end)) {
		const close = text.indexOf('}}', open);
		if (close < 0) return undefined;
		parts.push(text.slice(end, open), { code: text.slice(open + 2, close).trim() });
		end = close + 2;
	}
	parts.push(text.slice(end));
	return parts.filter((part) => part !== '');
}

/**
 * Takes a parameter apart: texts, and the code of the expressions between them; those of a collection that is an
 * expression itself for what is in it.
 *
 * @returns none for what is no text, and where a backslash may escape braces
 */
export function partsOf(
	{ parameters }: INode,
	name: string | readonly string[],
	isTemplate: boolean,
): Array<string | { code: string }> {
	let typed: unknown = parameters;
	for (const key of typeof name === 'string' ? name.split('.') : name)
		if (typeof typed !== 'string')
			typed = Object.entries(typed ?? {}).find(([one]) => one === key)?.[1];
	if (typeof typed !== 'string') return [];
	const isExpression = typed.startsWith('=');
	if (!isExpression && !isTemplate) return [typed];
	return (typed.includes('\\{') ? undefined : split(typed.slice(isExpression ? 1 : 0))) ?? [];
}

/**
 * The value of an expression that is a field, whatever it is.
 *
 * @returns undefined where n8n has to evaluate it
 */
export function fieldValue(code: string, json: IDataObject): { value: unknown } | undefined {
	const path = pathOf(code);
	if (path === undefined || path.length === 0) return undefined;
	const owner = valueAt(json, path.slice(0, -1));
	return isRecord(owner) ? { value: valueAt(json, path) } : undefined;
}

/** One property of a field, as JavaScript spells it. A key with an escape in it is left to n8n. */
const STEP =
	/\.([A-Za-z_$][\w$]*)|\["([^"\\\n\r\u2028\u2029]*)"\]|\['([^'\\\n\r\u2028\u2029]*)'\]/gy;

/** The properties that lead to a field; undefined where the code is anything else than a field. */
function pathOf(code: string): string[] | undefined {
	const [field, start] = [code.trim(), '$json'];
	if (!field.startsWith(start)) return undefined;
	const steps = [...field.slice(start.length).matchAll(STEP)];
	const path = steps.map(([, name, quoted, singleQuoted]) => name ?? quoted ?? singleQuoted);
	const isWhole = start + steps.map(([step]) => step).join('') === field;
	return isWhole && path.every(isOrdinary) ? path : undefined;
}

/** Not a name that n8n refuses, replaces or finds in every object. */
function isOrdinary(name: string): boolean {
	return isSafeObjectProperty(name) && !(name in {}) && name !== '$' && name !== 'globalThis';
}

/** The value of nested properties, all of them an object's own. */
function valueAt(owner: unknown, path: readonly string[]): unknown {
	let value = owner;
	for (const name of path)
		value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
	return value;
}

function isRecord(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

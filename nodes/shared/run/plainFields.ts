/**
 * Reads what is typed plainly straight from the item: n8n's expression engine takes 0.45 ms for each
 * expression of each item. What is read here has the value and the type that n8n gives it; everything
 * else is left to n8n.
 */
import { isSafeObjectProperty, type IDataObject, type INode } from 'n8n-workflow';

/** Reads a parameter for one item; undefined where n8n has to evaluate the whole parameter for it. */
export type PlainReader = (json: IDataObject) => unknown;

/** One property of a field, as JavaScript spells it. A key with an escape in it is left to n8n. */
const STEP =
	/\.([A-Za-z_$][\w$]*)|\["([^"\\\n\r\u2028\u2029]*)"\]|\['([^'\\\n\r\u2028\u2029]*)'\]/gy;

/**
 * Reads the parameters of a node, compiling each once.
 *
 * @returns a function that takes a parameter's name, or the path of an option in a collection
 *   (`options.onceKey`), and an item's JSON. It gives the value that n8n's `getNodeParameter` would give
 *   without options; undefined where n8n has to be asked, also where nothing is typed.
 */
export function plainParameters({ parameters }: INode) {
	const readers = new Map<string, PlainReader | undefined>();
	return (name: string, json: IDataObject): { value: unknown } | undefined => {
		if (!readers.has(name)) readers.set(name, compilePlain(typedIn(parameters, name)));
		const value = readers.get(name)?.(json);
		return value === undefined ? undefined : { value };
	};
}

/**
 * Compiles a parameter: a fixed value, a field (`={{ $json.order.id }}`), a text with fields in it, or a
 * collection of these.
 *
 * @param typed the parameter as the workflow stores it
 * @returns undefined where n8n has to evaluate it for every item
 */
export function compilePlain(typed: unknown): PlainReader | undefined {
	if (typeof typed === 'string' && typed.startsWith('=')) return compileText(typed.slice(1));
	if (typeof typed === 'object' && typed !== null) return compileCollection(typed);
	return () => typed;
}

/** The typed value of a name. An object inside a parameter is n8n's, which may convert what is in it. */
function typedIn(parameters: object, name: string): unknown {
	let typed: unknown = parameters;
	for (const part of name.split('.')) typed = ownProperty(typed, part);
	return typeof typed === 'object' && name.includes('.') ? undefined : typed;
}

/**
 * All or nothing. A resource locator is n8n's: its value may have to be extracted. So is `__proto__`, which n8n leaves
 * out, or takes for the prototype.
 */
function compileCollection(typed: object): PlainReader | undefined {
	const options = Object.entries(typed).map(
		([name, value]) => [name, compilePlain(value)] as const,
	);
	const isOfN8n = ['__rl', '__proto__'].some((name) => Object.hasOwn(typed, name));
	if (isOfN8n || options.some(([, read]) => read === undefined)) return undefined;
	return (json) => {
		const values = options.map(([name, read]) => [name, read?.(json)] as const);
		if (values.some(([, value]) => value === undefined)) return undefined;
		return Array.isArray(typed) ? values.map(([, value]) => value) : Object.fromEntries(values);
	};
}

function compileText(text: string): PlainReader | undefined {
	// n8n takes the second for an attack, and its older engine the first for something in its cache. A
	// backslash escapes braces.
	if (text in {} || text.includes('constructor') || text.includes('\\')) return undefined;
	const parts = split(text)?.map((part) => {
		if (typeof part === 'string') return part;
		const path = pathOf(part.code);
		return path && ((json: IDataObject) => readField(json, path));
	});
	if (!parts?.every((part) => part !== undefined)) return undefined;
	const [first, ...rest] = parts;
	// A field alone keeps its type.
	if (typeof first === 'function' && rest.length === 0) return first;
	return (json) => join(parts, json);
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
	const name = path?.pop();
	if (path === undefined || name === undefined) return undefined;
	let owner: unknown = json;
	for (const step of path) owner = ownProperty(owner, step);
	const isObject = typeof owner === 'object' && owner !== null && !Array.isArray(owner);
	return isObject ? { value: ownProperty(owner, name) } : undefined;
}

function join(parts: Array<string | PlainReader>, json: IDataObject): string | undefined {
	let text = '';
	for (const part of parts) {
		const value = typeof part === 'string' ? part : part(json);
		if (value === undefined) return undefined;
		text += String(value);
	}
	return text;
}

/** The properties that lead to a field; undefined where the code is anything else than a field. */
function pathOf(code: string): string[] | undefined {
	const field = code.trim();
	if (!field.startsWith('$json')) return undefined;
	const path: string[] = [];
	let end = '$json'.length;
	for (const [step, name, quoted, singleQuoted] of field.slice(end).matchAll(STEP)) {
		path.push(name ?? quoted ?? singleQuoted);
		end += step.length;
	}
	return end === field.length && path.every(isOrdinary) ? path : undefined;
}

/** Not a name that n8n refuses, replaces or finds in every object. */
function isOrdinary(name: string): boolean {
	return isSafeObjectProperty(name) && !(name in {}) && name !== '$' && name !== 'globalThis';
}

/** NaN and Infinity, which no JSON has, are n8n's. */
function readField(json: IDataObject, path: string[]): string | number | boolean | undefined {
	let value: unknown = json;
	for (const name of path) value = ownProperty(value, name);
	const isPlain =
		typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
	return isPlain ? (value as string | number | boolean) : undefined;
}

function ownProperty(owner: unknown, name: string): unknown {
	const isObject = typeof owner === 'object' && owner !== null && !Array.isArray(owner);
	return isObject && Object.hasOwn(owner, name)
		? (owner as Record<string, unknown>)[name]
		: undefined;
}

/**
 * Plain fields beside n8n's own evaluation of them: the expression engines of any version of n8n that is
 * installed, and parameters and items drawn at random, awkward ones among them.
 */
import fc from 'fast-check';
import { deepStrictEqual } from 'node:assert';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as N8n from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { compilePlain } from '../../nodes/shared/fields/plainFields.ts';
import './random.mts';

/** The expression engines that n8n has, the default first (N8N_EXPRESSION_ENGINE). */
export const ENGINES = ['vm', 'legacy'] as const;
type Engine = (typeof ENGINES)[number];

type Evaluate = (typed: unknown, json: IDataObject) => unknown;

/**
 * The n8n-workflow that a package uses.
 *
 * @param folder that of the package
 */
export function workflowOf(folder: string): typeof N8n {
	const manifest = join(realpathSync(folder), 'package.json');
	return createRequire(manifest)('n8n-workflow') as typeof N8n;
}

/** A version has a choice of engines: n8n 2.0 has the older one only. */
export function hasEngines({ Expression }: Pick<typeof N8n, 'Expression'>): boolean {
	return 'initExpressionEngine' in Expression;
}

/** Makes an expression engine that of the whole process, with n8n's default settings. */
export async function startEngine({ Expression }: typeof N8n, engine: Engine): Promise<void> {
	if (!hasEngines({ Expression })) return;
	await Expression.initExpressionEngine({
		engine: 'vm',
		poolSize: 1,
		maxCodeCacheSize: 1_024,
		bridgeTimeout: 5_000,
		bridgeMemoryLimit: 128,
	});
	Expression.setExpressionEngine(engine);
	expect(Expression.getActiveImplementation()).toBe(engine);
}

/**
 * n8n's evaluation of a parameter for an item.
 *
 * @param engine that of the whole process from now on
 */
export async function evaluatorOf(n8n: typeof N8n, engine: Engine): Promise<Evaluate> {
	const { Workflow, createRunExecutionData } = n8n;
	const type = { description: { properties: [] } };
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [
			{
				id: '1',
				name: 'Node',
				type: 'node',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
		],
		connections: {},
		active: false,
		nodeTypes: {
			getByName: () => type as never,
			getByNameAndVersion: () => type as never,
			getKnownTypes: () => ({}),
		},
		settings: { timezone: 'Europe/Paris' },
	});
	await startEngine(n8n, engine);
	await workflow.expression.acquireIsolate?.();
	const data = createRunExecutionData();
	return (typed, json) =>
		workflow.expression.getParameterValue(
			typed as string,
			data,
			0,
			0,
			'Node',
			[{ json }],
			'manual',
			{},
		);
}

/**
 * Fails where a parameter is read with another value or another type than n8n gives it, or where too few
 * are read to prove anything.
 *
 * @param numRuns how many parameters are tried
 */
export function expectSameAs(evaluate: Evaluate, numRuns: number): void {
	let read = 0;
	const sameOrLeft = fc.property(anyCase, ({ typed, json }) => {
		const value = compilePlain(typed)?.(json);
		if (value === undefined) return;
		read++;
		deepStrictEqual(value, evaluate(typed, json));
	});
	fc.assert(sameOrLeft, { numRuns });
	expect(read).toBeGreaterThan(numRuns / 3);
}

/** A parameter as the workflow stores it, and the item that it is evaluated for. */
interface Case {
	typed: unknown;
	json: IDataObject;
}

/** Mostly the usual, so that one awkward thing at a time is beside it. */
function mostly<T>(usual: fc.Arbitrary<T>, ...awkward: Array<fc.Arbitrary<T>>): fc.Arbitrary<T> {
	return fc.oneof({ weight: 9, arbitrary: usual }, fc.oneof(...awkward));
}

const name = mostly(
	fc.constantFrom(
		'name',
		'order',
		'_id',
		'$a',
		'class',
		'null',
		'a b',
		'Prénom',
		'é',
		'0',
		'a.b',
	),
	fc.constantFrom('', 'a]b', 'a"b', "d'abord", 'a{b', 'a}b', 'a}}b', 'a{{b', '.first (', '$if ('),
	fc.constantFrom('a\\b', 'a\nb', '\u2028', '\ud83d', '// a', 'length', '$', 'undefined', 'this'),
	fc.constantFrom(
		'toString',
		'valueOf',
		'constructor',
		'__proto__',
		'prototype',
		'__defineGetter__',
	),
	fc.constantFrom('globalThis', 'window', 'caller', 'arguments', 'binding', 'mainModule', 'E'),
	fc.constantFrom('json', 'isProxy', 'toJSON', 'then', '__isObject', '__isError', '__n8nType'),
	fc.string({ unit: 'binary', maxLength: 4 }),
);

const text = mostly(
	fc.oneof(fc.constantFrom('Hello ', ', your order ', ' ', '', '\n'), fc.string()),
	fc.constantFrom('{{ $json.name }}', '=1', '{{', '}}', '{', '}', '\\', '\\{{', "'", '"', '${a}'),
	fc.constantFrom('constructor', '. constructor', 'toString', '\r\n\t', '\u2028', '\ud83d', '\0'),
	fc.string({ unit: 'binary' }),
);

const leaf = mostly<unknown>(
	fc.oneof(text, fc.boolean(), fc.integer(), fc.double()),
	fc.constantFrom(0, -0, NaN, Infinity, 1e21, 1e-7),
	fc.constantFrom(null, undefined, new Date(0), [], ['a'], {}, { toString: 'a' }),
);

const tree = fc.letrec<{ object: object; value: unknown }>((tie) => ({
	object: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map(asObject),
	value: fc.oneof({ depthSize: 'small' }, leaf, tie('object'), fc.array(leaf, { maxLength: 2 })),
}));

/** Whatever the names are: own properties. */
function asObject(entries: Array<[string, unknown]>): object {
	const object = {};
	for (const [key, value] of entries) define(object, key, value);
	return object;
}

function define(object: object, key: string, value: unknown): void {
	Object.defineProperty(object, key, {
		value,
		writable: true,
		enumerable: true,
		configurable: true,
	});
}

/** A field somewhere in an item, and how it is typed, whether or not that is JavaScript. */
interface Field {
	path: string[];
	code: string;
}

const space = mostly(
	fc.constantFrom('', ' '),
	fc.constantFrom('\n', '\t', '\u00a0', '\ufeff', ' /* a */ ', '\\'),
);
const beginning = mostly(
	fc.constant('$json'),
	fc.constantFrom('$JSON', '$json ', '$data', '$input.item.json', '!$json', '{', ''),
);
const ending = mostly(
	fc.constant(''),
	fc.constantFrom(
		'.length',
		'.trim()',
		' || "a"',
		'?.a',
		'[0]',
		'["0"]',
		' // a',
		';',
		'`a`',
		'.',
	),
);
const step = name.chain((key) =>
	mostly(
		fc.constantFrom(/^[\w$]+$/.test(key) ? `.${key}` : `["${key}"]`, `['${key}']`),
		fc.constantFrom(`.${key}`, `["${key}"]`, `[\`${key}\`]`, `?.["${key}"]`, ` .${key}`),
	).map((typed) => ({ key, typed })),
);
const steps = mostly(
	fc.array(step, { minLength: 1, maxLength: 2 }),
	fc.array(step, { maxLength: 4 }),
);
const field: fc.Arbitrary<Field> = fc
	.tuple(space, beginning, steps, ending, space)
	.map(([before, start, path, end, after]) => ({
		path: path.map(({ key }) => key),
		code: before + start + path.map(({ typed }) => typed).join('') + end + after,
	}));

interface Typed {
	typed: unknown;
	fields: Field[];
}

const expression: fc.Arbitrary<Typed> = fc
	.array(fc.oneof(text, field), { maxLength: 5 })
	.map((parts) => ({
		typed: `=${parts.map((part) => (typeof part === 'string' ? part : `{{${part.code}}}`)).join('')}`,
		fields: parts.filter((part) => typeof part !== 'string'),
	}));
const lonelyField: fc.Arbitrary<Typed> = field.map((only) => ({
	typed: `={{${only.code}}}`,
	fields: [only],
}));
const fixed: fc.Arbitrary<Typed> = leaf
	.filter((value) => !(value instanceof Date))
	.map((typed) => ({ typed, fields: [] }));
const simple = mostly(fc.oneof(lonelyField, expression), fixed);
const collection: fc.Arbitrary<Typed> = fc
	.array(fc.tuple(name, simple), { maxLength: 3 })
	.map((options) => ({
		typed: asObject(options.map(([option, { typed }]) => [option, typed])),
		fields: options.flatMap(([, { fields }]) => fields),
	}));

/** Anything that may be typed, for items in which most of its fields are there. */
const anyCase: fc.Arbitrary<Case> = fc
	.tuple(mostly(simple, collection), tree.object)
	.chain(([{ typed, fields }, json]) =>
		fc
			.array(mostly(leaf, fc.constant(json)), {
				minLength: fields.length,
				maxLength: fields.length,
			})
			.map((values) => {
				const item = structuredClone(json);
				fields.forEach(({ path }, index) =>
					put(item, path, structuredClone(values[index])),
				);
				return { typed, json: item as IDataObject };
			}),
	);

function put(object: object, [key, ...rest]: string[], value: unknown): void {
	if (key === undefined) return;
	if (rest.length === 0) {
		define(object, key, value);
		return;
	}
	const inner: unknown = Object.getOwnPropertyDescriptor(object, key)?.value;
	const next =
		Object.prototype.toString.call(inner) === '[object Object]' ? (inner as object) : {};
	define(object, key, next);
	put(next, rest, value);
}

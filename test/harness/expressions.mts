/**
 * Plain fields beside n8n's own evaluation of them: the expression engines of any version of n8n that is
 * installed, and parameters and items drawn at random, awkward ones among them.
 */
import fc from 'fast-check';
import { deepStrictEqual } from 'node:assert';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as N8n from 'n8n-workflow';
import type { IDataObject } from 'n8n-workflow';
import { expect } from 'vitest';
import { compilePlain } from '../../nodes/shared/run/plainFields.ts';
import './random.mts';

/** The expression engines that n8n has, the default first (N8N_EXPRESSION_ENGINE). */
export const ENGINES = ['vm', 'legacy'] as const;

type Evaluate = (typed: unknown, json: IDataObject) => unknown;

/** The n8n-workflow that a package uses which is installed in a folder. */
export function workflowOf(folder: string): typeof N8n {
	return createRequire(join(folder, 'package.json'))('n8n-workflow') as typeof N8n;
}

/**
 * n8n's evaluation of a parameter for an item.
 *
 * @param engine that of the whole process from now on
 */
export async function evaluatorOf(
	{ Expression, Workflow, createRunExecutionData }: typeof N8n,
	engine: (typeof ENGINES)[number],
): Promise<Evaluate> {
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
	await Expression.initExpressionEngine({
		engine: 'vm',
		poolSize: 1,
		maxCodeCacheSize: 1_024,
		bridgeTimeout: 5_000,
		bridgeMemoryLimit: 128,
	});
	Expression.setExpressionEngine(engine);
	expect(Expression.getActiveImplementation()).toBe(engine);
	await workflow.expression.acquireIsolate();
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

/** Fails where a parameter is read with another value or another type than n8n gives it. */
export function expectSameAs(evaluate: Evaluate, { typed, json }: Case): void {
	const value = compilePlain(typed)?.(json);
	if (value !== undefined) deepStrictEqual(value, evaluate(typed, json));
}

/** A parameter as the workflow stores it, and the item that it is evaluated for. */
export interface Case {
	typed: unknown;
	json: IDataObject;
}

const name = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom('name', 'order', '_id', '$a', 'class', 'null') },
	fc.constantFrom('a b', 'Prénom', 'é', '0', '', 'a.b', 'a]b', 'a"b', "d'abord", 'a{b', 'a}b'),
	fc.constantFrom(
		'a}}b',
		'a{{b',
		'.first (',
		'$if (',
		'a\\b',
		'a\nb',
		'\u2028',
		'\ud83d',
		'// a',
	),
	fc.constantFrom('length', 'toString', 'valueOf', 'constructor', '__proto__', 'prototype', '$'),
	fc.constantFrom('globalThis', 'window', 'this', 'caller', 'arguments', 'binding', 'undefined'),
	fc.constantFrom(
		'json',
		'isProxy',
		'toJSON',
		'then',
		'__isObject',
		'__isError',
		'__n8nType',
		'E',
	),
	fc.string({ unit: 'binary', maxLength: 4 }),
);

const awkwardText = fc.oneof(
	fc.constantFrom(
		'',
		' ',
		'{{ $json.name }}',
		'=1',
		'{{',
		'}}',
		'{',
		'}',
		'\\',
		'\\{{',
		"'",
		'"',
	),
	fc.constantFrom(
		'constructor',
		'. constructor',
		'toString',
		'\r\n\t',
		'\u2028',
		'\ud83d',
		'${a}',
	),
	fc.string({ unit: 'grapheme' }),
	fc.string({ unit: 'binary' }),
);

const leaf = fc.oneof(
	awkwardText,
	fc.boolean(),
	fc.integer(),
	fc.double(),
	fc.constantFrom(0, -0, NaN, Infinity, 1e21, 1e-7),
	fc.constantFrom<unknown>(null, undefined, new Date(0), [], ['a'], {}, { toString: 'a' }),
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

const space = fc.constantFrom('', ' ', ' ', ' ', '\n', '\t', '\u00a0', '\ufeff', ' /* a */ ', '\\');
const ending = fc.oneof(
	{ weight: 6, arbitrary: fc.constant('') },
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
const beginning = fc.oneof(
	{ weight: 9, arbitrary: fc.constant('$json') },
	fc.constantFrom('$JSON', '$json ', '$data', '$input.item.json', '!$json', '{', ''),
);
const step = name.chain((key) =>
	fc
		.constantFrom(`.${key}`, `["${key}"]`, `['${key}']`, `[\`${key}\`]`)
		.map((typed) => ({ key, typed })),
);
const field: fc.Arbitrary<Field> = fc
	.tuple(space, beginning, fc.array(step, { maxLength: 3 }), ending, space)
	.map(([before, start, steps, end, after]) => ({
		path: steps.map(({ key }) => key),
		code: before + start + steps.map(({ typed }) => typed).join('') + end + after,
	}));

interface Typed {
	typed: unknown;
	fields: Field[];
}

const expression: fc.Arbitrary<Typed> = fc
	.array(fc.oneof(awkwardText, field, field), { maxLength: 5 })
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
const simple = fc.oneof(lonelyField, expression, fixed);
const collection: fc.Arbitrary<Typed> = fc
	.array(fc.tuple(name, simple), { maxLength: 3 })
	.map((options) => ({
		typed: asObject(options.map(([option, { typed }]) => [option, typed])),
		fields: options.flatMap(([, { fields }]) => fields),
	}));

/** Anything that may be typed, for items in which most of its fields are there. */
export const anyCase: fc.Arbitrary<Case> = fc
	.tuple(fc.oneof({ weight: 4, arbitrary: simple }, collection), tree.object)
	.chain(([{ typed, fields }, json]) =>
		fc
			.array(fc.oneof(leaf, fc.constant(json)), {
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

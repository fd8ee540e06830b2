/** Fields that are read from the item: what n8n makes of them, without asking it. */
import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { beforeAll, describe, expect, test } from 'vitest';
import { compilePlain, plainParameters } from '../../../nodes/shared/fields/plainFields.ts';
import { descriptions } from '../../descriptions.mts';
import { ENGINES, evaluatorOf, expectSameAs, workflowOf } from '../../harness/expressions.mts';

const root = `${import.meta.dirname}/../../..`;

const item: IDataObject = {
	name: 'Ana',
	order: 1204,
	amount: 12.5,
	paid: true,
	late: false,
	none: 0,
	empty: '',
	'First Name': 'Ana María',
	"Numéro d'appel": '+33639980001',
	customer: { phone: '+33639980002', 'zip code': '0123', deep: { id: 7 } },
	tricky: '{{ $json.name }} \\ "',
	nothing: null,
	list: ['a'],
	lines: { count: 3, length: 'own' },
};

/** Expressions that are typed most of all. */
const ANSWERED: Array<[typed: unknown, value: unknown]> = [
	['Hello', 'Hello'],
	['', ''],
	['{{ $json.name }}', '{{ $json.name }}'],
	[20, 20],
	[false, false],
	[null, null],
	['=', ''],
	['=Hello', 'Hello'],
	['={{ $json.name }}', 'Ana'],
	['={{$json.name}}', 'Ana'],
	['={{\n\t$json.name\n}}', 'Ana'],
	['={{ $json.order }}', 1204],
	['={{ $json.none }}', 0],
	['={{ $json.paid }}', true],
	['={{ $json.late }}', false],
	['={{ $json.empty }}', ''],
	['={{ $json["First Name"] }}', 'Ana María'],
	["={{ $json['First Name'] }}", 'Ana María'],
	[`={{ $json["Numéro d'appel"] }}`, '+33639980001'],
	['={{ $json.customer.phone }}', '+33639980002'],
	['={{ $json["customer"].phone }}', '+33639980002'],
	["={{ $json.customer['zip code'] }}", '0123'],
	['={{ $json.customer.deep.id }}', 7],
	['={{ $json.lines.length }}', 'own'],
	['={{ $json.tricky }}', '{{ $json.name }} \\ "'],
	// With anything beside it, even a space, it is a text.
	['= {{ $json.order }}', ' 1204'],
	['={{ $json.order }} ', '1204 '],
	['={{ $json.paid }}{{ $json.late }}', 'truefalse'],
	['={{ $json.empty }}{{ $json.none }}', '0'],
	[
		'=Hello {{ $json.name }}, your order {{ $json.order }} is ready.\nPay {{ $json.amount }} €',
		'Hello Ana, your order 1204 is ready.\nPay 12.5 €',
	],
	['={{ $json.name }}: {{ $json.tricky }}', 'Ana: {{ $json.name }} \\ "'],
	['=a }} b { {{ $json.name }} }', 'a }} b { Ana }'],
	[
		{ onceKey: '={{ $json.order }}', dryRun: true },
		{ onceKey: 1204, dryRun: true },
	],
	[
		{ allowedHours: { hours: { from: '08:00', days: ['monday', '={{ $json.name }}'] } } },
		{ allowedHours: { hours: { from: '08:00', days: ['monday', 'Ana'] } } },
	],
	[{}, {}],
];

const LEFT_TO_N8N: unknown[] = [
	'={{ $json.missing }}',
	'={{ $json.nothing }}',
	'={{ $json.customer }}',
	'={{ $json.list }}',
	'={{ $json.list.length }}',
	'={{ $json.list["0"] }}',
	'={{ $json.list[0] }}',
	'={{ $json.name.length }}',
	'={{ $json.name.toUpperCase() }}',
	'={{ $json.name || "you" }}',
	'={{ $json?.name }}',
	'={{ $json.name; }}',
	'={{ $json.name // who }}',
	'={{ $json .name }}',
	'={{ $json["na\\u006de"] }}',
	'={{ $json[`name`] }}',
	'={{ $json }}',
	'={{ $now }}',
	'={{ $json.name',
	'={{ $json.name }}{{',
	'={{{ $json.name }}}',
	'={{ $json.toString }}',
	'={{ $json.constructor }}',
	'={{ $json.__proto__ }}',
	'=toString',
	'=See you. constructor {{ $json.name }}',
	'=\\{{ $json.name }}',
	'=Hello {{ $json.name }}, {{ $json.missing }}',
	'=Hello {{ $json.name }}, {{ $json.order + 1 }}',
	{ onceKey: '={{ $json.order }}', category: '={{ $json.missing }}' },
	{ onceKey: '={{ $json.order }}', category: '={{ $now }}' },
	{ __rl: true, mode: 'id', value: '7' },
	JSON.parse('{ "__proto__": "x", "name": "y" }'),
	undefined,
];

describe('a parameter', () => {
	test.each(ANSWERED)('%j is %j', (typed, value) => {
		expect(compilePlain(typed)?.(item)).toStrictEqual(value);
	});

	test.each(LEFT_TO_N8N)('%j is left to n8n', (typed) => {
		expect(compilePlain(typed)?.(item)).toBeUndefined();
	});

	test('has no number that JSON does not have', () => {
		for (const number of [NaN, Infinity, -Infinity]) {
			expect(compilePlain('={{ $json.number }}')?.({ number })).toBeUndefined();
		}
	});

	test('names that n8n refuses or finds in every object are left to it, own properties or not', () => {
		for (const name of [
			'toString',
			'hasOwnProperty',
			'caller',
			'prototype',
			'globalThis',
			'$',
		]) {
			const json = { [name]: 'own' };
			expect(compilePlain(`={{ $json.${name} }}`)?.(json)).toBeUndefined();
			expect(compilePlain(`={{ $json["${name}"] }}`)?.(json)).toBeUndefined();
		}
	});

	test('a field that an ordinary item has is always read from it', () => {
		const key = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,8}$/).map((word) => `x${word}`);
		const label = fc.stringMatching(/^[A-Z][A-Za-zéè' ()-]{0,12}$/);
		const value = fc.oneof(fc.string(), fc.integer(), fc.boolean());
		fc.assert(
			fc.property(key, label, value, value, fc.string(), (inner, outer, one, two, text) => {
				fc.pre(!/[{}\\]|constructor/.test(text));
				const json = { [inner]: one, [outer]: { [inner]: two } };
				const read = (typed: string) => compilePlain(typed)?.(json);
				expect(read(`={{ $json.${inner} }}`)).toBe(one);
				expect(read(`={{ $json["${outer}"].${inner} }}`)).toBe(two);
				expect(read(`=${text} {{ $json.${inner} }}{{ $json["${outer}"].${inner} }}`)).toBe(
					`${text} ${one}${two}`,
				);
			}),
		);
	});
});

describe.each(ENGINES)("n8n's %s engine", (engine) => {
	let evaluate: Awaited<ReturnType<typeof evaluatorOf>>;
	beforeAll(async () => {
		evaluate = await evaluatorOf(workflowOf(root), engine);
	});

	test('gives what is read from the item', () => {
		for (const [typed, value] of ANSWERED) {
			expect(evaluate(typed, item)).toStrictEqual(value);
		}
	});

	test('gives the same value and type for anything typed, or is asked', () => {
		expectSameAs(evaluate, 1_000);
	});
});

describe('the parameters of a node', () => {
	const parameters = {
		number: '={{ $json.customer.phone }}',
		options: { onceKey: '={{ $json.order }}', date: '={{ $now }}' },
		attributes: { mappingMode: 'defineBelow', value: { Name: '={{ $json.name }}' } },
	} as INodeParameters;
	const read = (name: string) => plainParameters({ parameters } as never)(name, item)?.value;

	test('are read by name, an option by its path, a collection only as a whole', () => {
		expect(read('number')).toBe('+33639980002');
		expect(read('options.onceKey')).toBe(1204);
		expect(read('options.date')).toBeUndefined();
		expect(read('options')).toBeUndefined();
		expect(read('attributes')).toStrictEqual({
			mappingMode: 'defineBelow',
			value: { Name: 'Ana' },
		});
	});

	test('are left to n8n where there is a fallback or a conversion', () => {
		expect(read('missing')).toBeUndefined();
		expect(read('options.missing')).toBeUndefined();
		expect(read('toString')).toBeUndefined();
		expect(read('attributes.value')).toBeUndefined();
	});

	test('make a collection of its own for each item', () => {
		const fixed = plainParameters({ parameters: { options: { dryRun: true } } } as never);
		expect(fixed('options', item)?.value).not.toBe(fixed('options', item)?.value);
	});

	test('are none that n8n converts once they are evaluated', () => {
		for (const { properties } of Object.values(descriptions)) {
			expect(JSON.stringify(properties)).not.toContain('validateType');
		}
	});
});

/** What JavaScript writes in the place of a value is refused in every text of every operation, and nowhere else. */
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { useSimulator } from '../harness/fixtures.mts';
import { operations } from '../operations.mts';
import { hurry, runNode } from './harness.mts';

hurry();
const sim = await useSimulator({ extended: true });

/** One text of an operation, and the parameters with which it is shown and has this value. */
type Text = [what: string, node: string, parametersWith: (value: string) => INodeParameters];

function* textsOf(
	properties: readonly INodeProperties[],
	put: (own: INodeParameters) => INodeParameters,
	names: string[] = [],
): Generator<[name: string, parametersWith: (value: string) => INodeParameters]> {
	for (const { name, type, options = [], displayOptions } of properties) {
		const { operation: _, '/operation': __, ...show } = displayOptions?.show ?? {};
		if ('@tool' in show) continue;
		const shown = Object.fromEntries(
			Object.entries(show).map(([other, values]) => [other, values?.[0]]),
		) as INodeParameters;
		const path = [...names, name];
		if (type === 'string') yield [path.join('.'), (value) => put({ ...shown, [name]: value })];
		if (type === 'resourceLocator')
			yield [
				path.join('.'),
				(value) => put({ ...shown, [name]: { __rl: true, mode: 'id', value } }),
			];
		if (type === 'collection')
			yield* textsOf(options as INodeProperties[], (own) => put({ [name]: own }), path);
		if (type === 'fixedCollection')
			for (const group of options as Array<{ name: string; values: INodeProperties[] }>) {
				const isMany = name === 'columns';
				const inside = (own: INodeParameters) =>
					put({ ...shown, [name]: { [group.name]: isMany ? [own] : own } } as never);
				yield* textsOf(group.values, inside, path);
			}
	}
}

/** What a landing page needs; without one, nobody reads it, as without a date nobody reads Allowed Hours. */
const PAGE = { landingPageTitle: 'Soldes', landingPageHtml: '<p>Soldes</p>' };

const TEXTS: Text[] = Object.entries(descriptions)
	.filter(([node]) => node !== 'SmsTrigger')
	.flatMap(([node, { properties }]) => {
		const own = new Set(
			operations.filter((row) => row.node === node).map(({ operation }) => operation),
		);
		return [...own].flatMap((operation) => {
			const row = operations.find((one) => one.node === node && one.operation === operation)!;
			const isShown = ({ displayOptions: { show } = {} }: INodeProperties) =>
				(show?.operation ?? show?.['/operation'])?.includes(operation);
			const base = { ...row.parameters, ...PAGE, operation };
			const texts = [
				...textsOf(properties.filter(isShown), (more) => ({ ...base, ...more })),
			].filter(([name]) => node !== 'SmsCampaign' || !/allowedHours/.test(name));
			return texts.map(
				([name, parametersWith]): Text => [
					`${node}, ${operation}: ${name}`,
					node,
					parametersWith,
				],
			);
		});
	});

const run = async (node: string, parameters: INodeParameters) =>
	await runNode({
		node,
		parameters,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		items: [{ none: null, object: {}, word: 'Clients undefined' }],
		mode: 'trigger',
	});

test('also in the columns of a contact, but not in what Map Automatically takes', async () => {
	const { id } = sim.service.createList('Clients', [{ name: 'Réf. client' }]);
	const list = { __rl: true, mode: 'id', value: id };
	const add = { operation: 'add', list, number: '+33639981234' };
	const value = { 'Réf. client': '={{ "Cmd" + $json.missing }}' };
	const attributes = { mappingMode: 'defineBelow', value };
	const { error } = await run('SmsContact', { ...add, attributes } as never);
	expect(error?.message).toContain("'Réf. client' contains undefined");
	expect(sim.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	const typed = { mappingMode: 'defineBelow', value: { 'Réf. client': 'undefined' } };
	expect((await run('SmsContact', { ...add, attributes: typed } as never)).error).toBeUndefined();
});

test('there are many', () => {
	expect(TEXTS.length).toBeGreaterThan(80);
	expect(TEXTS.map(([what]) => what)).toContain('SmsList, create: columns.name');
});

describe.each(TEXTS)('%s', (what, node, parametersWith) => {
	test('typed without an expression, it is the text of a person', async () => {
		const { error } = await run(node, parametersWith('Undefined: NaN, null [object Object]'));
		expect(error?.message ?? '').not.toMatch(/contains|because/);
	});

	test.each([
		['={{ "Cmd" + $json.missing }}', 'undefined'],
		['={{ Number("12,50").toFixed(2) + "EUR" }}', 'NaN'],
		['={{ "le" + new Date("x") }}', 'Invalid Date'],
		['=Ab {{ $json.none + "" }}', 'null'],
		['={{ $json.word }}', 'undefined'],
	])('%s', async (typed, word) => {
		const { error, items } = await run(node, parametersWith(typed));
		// A preview tells instead what a send would refuse.
		const told = [error?.message, error?.description, items[0]?.json.reason];
		const isNumber = /number$/i.test(what);
		expect(told.filter(Boolean).join(' ')).toContain(isNumber ? '' : word);
		expect(items.map(({ json }) => json.accepted)).not.toContain(true);
		expect(sim.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});
});

/** Words that JavaScript writes in the place of a value are refused in every text of every operation, and nowhere else. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { useSimulator } from '../harness/fixtures.mts';
import { firstRows } from '../operations.mts';
import { fieldsOf, shownIn } from './fields.mts';
import { hurry, runNode } from './harness.mts';

hurry();
const sim = await useSimulator({ extended: true });

/** Without a landing page, nobody reads its fields, as without a date nobody reads Allowed Hours. */
const PAGE = { landingPageTitle: 'Soldes', landingPageHtml: '<p>Soldes</p>' };

const TEXTS = firstRows.flatMap(({ node, operation, parameters }) => {
	const base = { ...parameters, ...PAGE, operation };
	return fieldsOf(shownIn(descriptions[node].properties, operation), (own) => ({
		...base,
		...own,
	}))
		.filter(({ type }) => ['string', 'resourceLocator'].includes(type))
		.filter(({ path }) => node !== 'SmsCampaign' || !path.includes('allowedHours'))
		.map((field) => [`${node}, ${operation}: ${field.path}`, node, field.with] as const);
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

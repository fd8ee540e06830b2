/** An expression that is typed into a field in Fixed mode, which n8n takes as it is typed: no node does. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { useSimulator } from '../harness/fixtures.mts';
import { shownFields } from '../harness/form.mts';
import { firstRows, listOf, prepare, type Row } from '../operations.mts';
import { fieldsOf } from './fields.mts';
import { jsonOf, runnerOf } from './resources/support.mts';
import { Host, now } from './trigger/harness.mts';

const sim = await useSimulator({ extended: true, now });

const TYPED = '{{ $json.field }}';

/** Each text of a form that has a mode, and the parameters in which the expression is typed. */
const rows = firstRows.flatMap((row) => {
	const { node, operation } = row;
	const shown = shownFields(descriptions[node], { ...row.parameters, operation });
	return fieldsOf(shown, (own) => own as INodeParameters)
		.filter(({ path, type, noDataExpression }) =>
			// The text of 'Message' is in sms/input.test.mts and campaign/.
			['string', 'dateTime'].includes(type)
				? noDataExpression !== true && path !== 'message'
				: ['resourceLocator', 'resourceMapper'].includes(type),
		)
		.map(({ displayName, type, with: typed }) => {
			const name = `${node} ${operation}`;
			const value = { mappingMode: 'defineBelow', value: { Ville: TYPED }, schema: [] };
			return type === 'resourceMapper'
				? { row, name, label: 'Ville', typed: typed(value) }
				: { row, name, label: displayName, typed: typed(TYPED) };
		});
});

test('there are texts of all kinds', () => {
	const labels = rows.map(({ label }) => label);
	expect(labels).toEqual(
		expect.arrayContaining([
			'Once Key',
			'Category',
			'List',
			'Phone Number',
			'Ville',
			'Send At',
		]),
	);
	expect(rows.length).toBeGreaterThan(80);
});

describe.each(rows)(
	'$name: $label',
	({ row, label, typed }: { row: Row; label: string; typed: INodeParameters }) => {
		test('says which mode it needs, and nothing is sent', async () => {
			const parameters = { ...prepare(row, sim).parameters, ...typed };
			const { error } = await runnerOf(row.node, sim)(row.operation, parameters, {
				items: [{ field: 'x' }, { field: 'y' }],
			});
			expect(error).toMatchObject({
				message: `'${label}' contains "${TYPED}" as text`,
				description: expect.stringContaining(`Switch '${label}' from Fixed to Expression.`),
			});
			expect(sim.requests).toEqual([]);
		});
	},
);

test.each(['Categories', 'Phone Numbers'])('SMS Trigger: %s', async (label) => {
	const of = { Categories: 'categories', 'Phone Numbers': 'watchNumbers' }[label]!;
	const host = new Host({
		simulator: sim,
		parameters: { events: ['reply', 'statusChanged'], watchNumbers: '0639980001', [of]: TYPED },
	});
	await expect(host.fetchTestEvent()).rejects.toMatchObject({
		message: expect.stringContaining(`contains "${TYPED}" as text`),
	});
	expect(sim.requests).toEqual([]);
});

/** Texts that n8n takes as they are, by the expression in them. */
const AS_TEXT: Array<[typed: string, expression: string, advice: RegExp]> = [
	['{{ "order-" + $json.id }}', '{{ "order-" + $json.id }}', /^Switch .* to Expression\.$/],
	['{{ (1, $json.id) }}', '{{ (1, $json.id) }}', /^Switch .* to Expression\.$/],
	['{{ [1].map(() => { return $json.id }) }}', '{{ [1].map(', /^Switch .* to Expression\.$/],
	['$json.id', '$json.id', /^Write it in double braces: .*\. Switch .* to Expression\.$/],
	['order-$json["id"]', '$json["id"]', /^Write it in double braces: /],
	["$('Webhook').item.json.id", "$('Webhook').item.json.id", /^Write it in double braces: /],
	// In the mode Expression, but without braces
	['=$json.id', '$json.id', /^Write it in double braces: [^.]*\$json\.id \}\}\.$/],
	['={{ $json.id }}-$json.line', '$json.line', /^Write it in double braces: /],
];

test.each(AS_TEXT)('a key that would be the same for ever: %s', async (onceKey, found, advice) => {
	const { error } = await runnerOf('Sms', sim)(
		'send',
		{ number: '0639980001', message: 'Bonjour', safeguards: { onceKey } },
		{ items: [{ id: 1, line: 2 }] },
	);
	expect(error?.message).toContain(`'Once Key' contains "${found}`);
	expect(error?.message).toContain(' as text');
	expect(error?.description).toMatch(advice);
	expect(sim.requests).toEqual([]);
});

test.each(['={{ "$json.id" }}', '=$5 (json)', '=US$json', '=$(2)', '={{ 5 }}', '={ $json }'])(
	'a key as it is meant: %s',
	async (text) => {
		const onceKey = `${text} {{ $json.id }}`;
		const { error } = await runnerOf('Sms', sim)(
			'send',
			{ number: '0639980001', message: 'Bonjour', safeguards: { onceKey } },
			{ items: [{ id: 1 }] },
		);
		expect(error).toBeUndefined();
	},
);

const contact = runnerOf('SmsContact', sim);

test.each([
	['an expression that gives such a text', '={{ $json.text }}'],
	['one with it between others', '=A {{ $json.text }}'],
])('%s is as it is: a column may hold a template', async (_, typed) => {
	const { id } = sim.service.createList('Clients', [{ name: 'Ville' }]);
	const attributes = { mappingMode: 'defineBelow', value: { Ville: typed }, schema: [] };
	const { error } = await contact(
		'add',
		{ list: listOf(id), number: '0639980001', attributes },
		{ items: [{ text: 'Bonjour {{ name }}' }] },
	);
	expect(error).toBeUndefined();
});

test('braces without an expression are as they are typed', async () => {
	const name = 'Clients {{1}} {a} {{ }}';
	const { items } = await runnerOf('SmsList', sim)('create', { name });
	expect(jsonOf(items)).toMatchObject([{ name }]);
});

test('what a field of another operation holds does not matter', async () => {
	const { id } = sim.service.createList('Clients');
	const { error } = await contact('get', {
		list: listOf(id),
		...{ getBy: 'number', number: '0639980001', contactId: TYPED },
		options: { resendUnknown: TYPED },
	});
	expect(error).toBeUndefined();
});

/** Whoever follows the advice on a field that is missing or empty, gets past the error. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { useSimulator } from '../harness/fixtures.mts';
import { fieldsOf, shownIn, type Field } from './fields.mts';
import { hurry, runNode } from './harness.mts';

hurry();
const sim = await useSimulator();

const NUMBER = '+33639981234';

/** An operation of each node that has options, and what it needs. */
const RUNS: Array<[node: string, parameters: INodeParameters]> = [
	['Sms', { operation: 'send', number: NUMBER, message: 'Bonjour' }],
	['Sms', { operation: 'sendBatch', number: NUMBER, message: 'Bonjour' }],
	['SmsBlacklist', { operation: 'getMany' }],
	['SmsStats', { operation: 'replies', category: 'orders' }],
	['SmsStats', { operation: 'messageStatus', lookupBy: 'number', number: NUMBER }],
	['SmsContact', { operation: 'getMany', list: { __rl: true, mode: 'id', value: 'LIST' } }],
];

/** Options, and fields of their own that are no text. */
const FIELDS = RUNS.flatMap(([node, base]) => {
	const operation = String(base.operation);
	const shown = shownIn(descriptions[node].properties, operation);
	return fieldsOf(shown, (own) => ({ ...base, ...own }))
		.filter(({ path, type }) => path.includes('.') || ['number', 'boolean'].includes(type))
		.filter(({ noDataExpression }) => !noDataExpression)
		.map((field) => [`${node}, ${operation}: ${field.displayName}`, node, field] as const);
});

const run = async (node: string, parameters: INodeParameters, item: IDataObject) => {
	const { id } = sim.service.createList('Clients');
	const text = JSON.stringify(parameters).replace('"LIST"', JSON.stringify(id));
	return await runNode({
		node,
		parameters: JSON.parse(text) as INodeParameters,
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		items: [item],
	});
};

/** A complaint about the field, not about what it has led to. */
const complains = (error: Error | undefined, { displayName }: Field) =>
	error !== undefined &&
	new RegExp(`'${displayName.replace(/[()]/g, '\\$&')}'`).test(error.message);

test('there are many', () => {
	expect(FIELDS.length).toBeGreaterThan(40);
});

let followed = 0;

describe.each(FIELDS)('%s', (_, node, field) => {
	test.each([{}, { field: null }, { field: '' }])('%j', async (item) => {
		const { error } = await run(node, field.with('={{ $json.field }}'), item);
		if (!complains(error, field)) return;
		const advised = error!.description!.match(/\{\{[^{}]*\$json\.field[^{}]*\}\}/g) ?? [];
		// Only a tool is told of it.
		expect(error!.description).not.toContain('$fromAI');
		for (const expression of advised)
			for (const value of [undefined, null, '', 0, false]) {
				followed++;
				const again = await run(node, field.with(`=${expression}`), {
					field: value,
				});
				expect(complains(again.error, field), `${expression}, ${value}`).toBe(false);
			}
	});
});

test('advice was followed', () => {
	expect(followed).toBeGreaterThan(300);
});

/** Whoever follows the advice on a field that is missing or empty, gets past the error. */
import type { IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { useSimulator } from '../harness/fixtures.mts';
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

interface Field {
	displayName: string;
	parametersWith: (value: string) => INodeParameters;
}

function fieldsOf(node: string, base: INodeParameters): Field[] {
	const shown = descriptions[node].properties.filter(({ displayOptions: { show } = {} }) =>
		(show?.operation ?? show?.['/operation'])?.includes(String(base.operation)),
	);
	return shown.flatMap(({ name, displayName, type, options = [] }): Field[] => {
		if (['number', 'boolean'].includes(type))
			return [{ displayName, parametersWith: (value) => ({ ...base, [name]: value }) }];
		if (type !== 'collection') return [];
		const evaluated = (options as INodeProperties[]).filter((one) => !one.noDataExpression);
		return evaluated.flatMap((option): Field[] => {
			const put = (value: unknown) => ({ ...base, [name]: { [option.name]: value } });
			if (option.type !== 'fixedCollection')
				return [
					{
						displayName: option.displayName,
						parametersWith: (value) => put(value) as INodeParameters,
					},
				];
			const [group] = option.options as Array<{ name: string; values: INodeProperties[] }>;
			const usual = Object.fromEntries(group.values.map((one) => [one.name, one.default]));
			return group.values.map((one) => ({
				displayName: one.displayName,
				parametersWith: (value) =>
					put({ [group.name]: { ...usual, [one.name]: value } }) as INodeParameters,
			}));
		});
	});
}

const FIELDS = RUNS.flatMap(([node, base]) =>
	fieldsOf(node, base).map(
		(field) => [`${node}, ${base.operation}: ${field.displayName}`, node, field] as const,
	),
);

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
		const { error } = await run(node, field.parametersWith('={{ $json.field }}'), item);
		if (!complains(error, field)) return;
		const advised = error!.description!.match(/\{\{[^{}]*\$json\.field[^{}]*\}\}/g) ?? [];
		const byModel = error!.description!.match(/\{\{ \$fromAI[^{}]*\}\}/g) ?? [];
		expect(advised.length).toBe(byModel.length);
		for (const expression of advised)
			for (const value of [undefined, null, '', 0, false]) {
				followed++;
				const again = await run(node, field.parametersWith(`=${expression}`), {
					field: value,
				});
				expect(complains(again.error, field), `${expression}, ${value}`).toBe(false);
			}
	});
});

test('advice was followed', () => {
	expect(followed).toBeGreaterThan(300);
});

/** Tools whose answers have more than ten fields let the user choose what an agent gets. */
import type { INodeParameters } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { descriptions } from '../descriptions.mts';
import { readShape } from '../../nodes/shared/fields/simplify.ts';

/** The display names of the fields that a form shows. */
function shownIn(node: string, parameters: INodeParameters, isTool: boolean): string[] {
	const description = descriptions[node];
	const type = { ...description, name: `${description.name}${isTool ? 'Tool' : ''}` };
	return type.properties
		.filter((field) =>
			NodeHelpers.displayParameter(
				{ resource: description.properties[0].default as string, ...parameters },
				field,
				{ typeVersion: 1 },
				type,
			),
		)
		.map(({ displayName }) => displayName);
}

describe.each([
	['SmsStats', 'messageStatus'],
	['SmsStats', 'category'],
	['SmsCampaign', 'getStatistics'],
])('%s %s', (node, operation) => {
	test('has Simplify in a workflow, and Output as a tool', () => {
		const own = shownIn(node, { operation }, false);
		expect(own).toContain('Simplify');
		expect(own).not.toContain('Output');
		const tool = shownIn(node, { operation, toolOutput: 'simplified' }, true);
		expect(tool).toContain('Output');
		expect(tool).not.toContain('Simplify');
		expect(tool).not.toContain('Fields');
		expect(shownIn(node, { operation, toolOutput: 'selected' }, true)).toContain('Fields');
	});
});

describe('Output', () => {
	const answer = { sent: 3, id: '7', clicks: 2, opens: 1 };
	const shaped = (parameters: Record<string, unknown>) =>
		readShape({ parameter: (name, fallback) => parameters[name] ?? fallback }, ['sent'])(
			answer,
		);

	test.each([
		['nothing chosen', {}, { sent: 3 }],
		['Simplify turned off', { simplify: false }, answer],
		['Simplified', { toolOutput: 'simplified', simplify: false }, { sent: 3 }],
		['Raw', { toolOutput: 'raw' }, answer],
		[
			'Selected Fields, with the ID',
			{ toolOutput: 'selected', toolFields: 'clicks, nothing sent' },
			{ id: '7', clicks: 2, sent: 3 },
		],
	])('%s', (_, parameters, fields) => expect(shaped(parameters)).toEqual(fields));

	test('a choice that there is not', () => {
		expect(() => shaped({ toolOutput: 'some' })).toThrow('\'Output\' is "some"');
	});
});

/** Plain fields beside n8n's `getNodeParameter`, in an execution: the parameters of our own nodes. */
import { deepStrictEqual } from 'node:assert';
import type {
	IDataObject,
	IExecuteFunctions,
	INode,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as PlainFields from '../../nodes/shared/fields/plainFields.ts';
import { ENGINES, startEngine } from '../harness/expressions.mts';
import { load, loadNode, runNode, workflow } from './harness.mts';

const { plainParameters } = load<typeof PlainFields>('nodes/shared/fields/plainFields.js');

const ITEMS: IDataObject[] = [
	{ phone: '+33639980001', 'First Name': 'Ana', order: { id: 1204 }, paid: true },
	{ phone: '+33639980002', 'First Name': 'Léa', order: { id: 0 }, paid: false },
	{ phone: 33639980003, order: 'none' },
];

const NODES: Array<[node: string, parameters: INodeParameters, answered: string[]]> = [
	[
		'Sms',
		{
			operation: 'sendBatch',
			sender: 'Shop',
			number: '={{ $json.phone }}',
			message: '=Hello {{ $json["First Name"] }}, your order {{ $json.order.id }} is ready.',
			options: { campaignName: '={{ $json.order.id }}' },
		},
		['message', 'number', 'options', 'sender'],
	],
	[
		'SmsContact',
		{
			operation: 'add',
			list: { __rl: true, mode: 'id', value: '={{ $json.order.id }}' },
			number: '={{ $json.phone }}',
			attributes: {
				mappingMode: 'defineBelow',
				value: { Name: "={{ $json['First Name'] }}", Paid: '={{ $json.paid }}' },
				matchingColumns: [],
				schema: [{ id: 'Name', displayName: 'Name', type: 'string', required: false }],
			},
		} as unknown as INodeParameters,
		['attributes', 'number'],
	],
];

/** A node with the parameters of ours, and all of them that were read, for each item. */
function reader(node: string): { type: INodeType; answers: string[][] } {
	const answers: string[][] = [];
	const { description } = loadNode(node);
	const type = {
		description: { ...description, requestDefaults: undefined },
		async execute(this: IExecuteFunctions) {
			const plain = plainParameters(this.getNode());
			const names = Object.keys(this.getNode().parameters);
			this.getInputData().forEach(({ json }, index) => {
				const answered = names.filter((name) => {
					const answer = plain(name, json);
					if (answer === undefined) return false;
					deepStrictEqual(answer.value, this.getNodeParameter(name, index));
					return true;
				});
				answers.push(answered);
			});
			return [[]];
		},
	};
	return { type, answers };
}

describe.each(ENGINES)("n8n's %s engine", (engine) => {
	beforeAll(async () => await startEngine(workflow, engine));
	afterAll(() => workflow.Expression.setExpressionEngine('legacy'));

	async function read(
		node: string,
		parameters: INodeParameters,
		settings?: Partial<INode>,
	): Promise<string[][]> {
		const { type, answers } = reader(node);
		const { error } = await runNode({
			node,
			type,
			parameters,
			items: ITEMS,
			credential: {},
			settings,
		});
		expect(error).toBeUndefined();
		return answers;
	}

	test.each(NODES)('%s: the same value and type', async (node, parameters, answered) => {
		const [first, second, third] = await read(node, parameters);
		expect(first).toEqual(expect.arrayContaining(answered));
		expect(second).toEqual(first);
		// It lacks some of the fields.
		expect(third).toContain('number');
		expect(third).not.toContain(answered[0]);
		expect(first).not.toContain('list');
	});

	test('a node that is executed once', async () => {
		const [[node, parameters]] = NODES;
		expect(await read(node, parameters, { executeOnce: true })).toHaveLength(1);
	});
});

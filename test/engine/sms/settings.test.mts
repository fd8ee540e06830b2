/** Settings that n8n gives to each node in its editor. */
import type { INodeProperties, INodeType } from 'n8n-workflow';
import { expect, test } from 'vitest';
import { CONTINUE, people, SENDING, sms } from '../delivery/sending.mts';
import { reached } from '../delivery/service.mts';
import { core, loadNode, runNode, succeeded } from '../harness.mts';

test.each(['Sms', 'SmsBlacklist', 'SmsCampaign', 'SmsContact', 'SmsList', 'SmsStats'])(
	'the Request Options of %s are those that n8n gives to a node, but for its batches and its SSL switch',
	(node) => {
		const optionsOf = ({ description }: INodeType) =>
			description.properties.filter(({ name }) => name === 'requestOptions');
		/** Without the texts. */
		const shapeOf = (value: unknown): unknown => {
			if (Array.isArray(value)) return value.map(shapeOf);
			if (typeof value !== 'object' || value === null) return value;
			return Object.fromEntries(
				Object.entries(value)
					.filter(
						([name]) => !['displayName', 'description', 'placeholder'].includes(name),
					)
					.map(([name, part]) => [name, shapeOf(part)]),
			);
		};
		const plain = { description: { properties: [], outputs: ['main'] } };
		core.DirectoryLoader.applyDeclarativeNodeOptionParameters(plain as never);
		const [given] = optionsOf(plain as never);
		const all = given.options as INodeProperties[];
		// Batches are made by n8n's router, which runs tools only; the credential has the switch for all nodes.
		const options = all.filter(
			({ name }) => name !== 'batching' && name !== 'allowUnauthorizedCerts',
		);
		expect(options).toHaveLength(all.length - 2);
		expect(shapeOf(optionsOf(loadNode(node)))).toEqual(shapeOf([{ ...given, options }]));
	},
);

test.each(SENDING.flatMap((operation) => [{}, CONTINUE].map((on) => [operation, on] as const)))(
	'%s, %j: Execute Once sends the first item only',
	async (operation, on) => {
		const settings = { executeOnce: true, ...on };
		const { items } = succeeded(await runNode(sms(operation, people(3), {}, { settings })));
		expect(items).toHaveLength(1);
		expect(reached()).toEqual([people(1)[0].to]);
	},
);

// A run has one of each: the rows of the others would be sent by what the first one says.
test.each<[option: string, values: unknown[], field: string]>([
	['invalidItems', ['report', 'stop'], 'Invalid Items'],
	['failIfIncomplete', [false, true], 'Fail if Any Is Missing'],
	['includeInputFields', [true, false], 'Include Input Fields'],
	['concurrency', [1, 20], 'Concurrency'],
	['requestsPerSecond', [0, 5], 'Requests per Second'],
])('%s that differs between items is refused', async (option, values, field) => {
	const run = async (given: unknown[]) => {
		const items = people(2).map((one, at) => ({ ...one, given: given[at] as string }));
		return await runNode(sms('sendBatch', items, { [option]: '={{ $json.given }}' }));
	};
	const { error } = await run(values);
	expect(error?.message).toContain(`'${field}' differs between the items`);
	expect(reached()).toEqual([]);
	succeeded(await run([values[0], values[0]]));
	expect(reached()).toHaveLength(2);
});

/** Sender is a field of its own; a setting stands in one collection of a form only. */
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { operations } from '../../operations.mts';
import { loadNode, retryExecution, runNode } from '../harness.mts';
import { sendSms, smsRun } from './support.mts';

const sim = await useSimulator();

describe.each(['send', 'sendBatch', 'sendByUrl'])('%s', (operation) => {
	test.each<[what: string, parameters: INodeParameters, sender: string | undefined]>([
		['its field', { sender: 'MyShop' }, 'MyShop'],
		['an expression', { sender: '={{ $json.from }}' }, 'FromItem'],
		['none', {}, undefined],
		['an empty field', { sender: '' }, undefined],
	])('takes the sender of %s', async (_, parameters, sender) => {
		const { error } = await sendSms(
			sim,
			{ operation, ...parameters },
			{ items: [{ from: 'FromItem' }] },
		);
		expect(error).toBeUndefined();
		expect(sim.messages.map((message) => message.sender)).toEqual([sender]);
	});

	test.each(['={{ $json.missing }}', '={{ null }}'])(
		'sends nothing where %s finds none',
		async (sender) => {
			await sendSms(
				sim,
				{ operation, sender },
				{ settings: { onError: 'continueRegularOutput' } },
			);
			expect(sim.requestsTo('POST', /send$/)).toEqual([]);
			expect(sim.messages).toEqual([]);
		},
	);
});

test.each(['send', 'sendByUrl'])(
	'%s: a sender that was corrected sends nothing twice',
	async (operation) => {
		const items = [{ to: '+33639981231' }, { to: '+33639981232' }];
		const given = { operation, sender: 'OldShop', options: { concurrency: 1 } };
		const options = smsRun(sim, items, given);
		sim.faults.add({ skip: 1, do: { kind: 'json', status: 400, body: { code: 20 } } });
		const first = await runNode(options);
		expect(first.error?.description).toContain('sender');
		const parameters = {
			...options.parameters,
			sender: 'MyShop',
			options: { concurrency: 2 },
		};
		const { items: results } = await retryExecution(first, options, { parameters });
		expect(results).toHaveLength(2);
		expect(sim.messages.map(({ number, sender }) => [number, sender])).toEqual([
			['+33639981231', 'OldShop'],
			['+33639981232', 'MyShop'],
		]);
	},
);

describe.each([...new Set(operations.map(({ node }) => node))])('the form of %s', (node) => {
	const { description } = loadNode(node);
	const own = [
		...new Set(operations.filter((row) => row.node === node).map((row) => row.operation)),
	];

	test.each(own)('%s: each setting stands in one collection only', (operation) => {
		const parameters = {
			resource: description.properties[0].default as string,
			operation,
		};
		const names = description.properties
			.filter(
				(property) =>
					['options', 'safeguards'].includes(property.name) &&
					NodeHelpers.displayParameter(parameters, property, null, description),
			)
			.flatMap(({ options = [] }) => (options as INodeProperties[]).map(({ name }) => name));
		expect(names).toEqual([...new Set(names)]);
		for (const name of ['sender', 'sourceAddress']) expect(names).not.toContain(name);
	});
});

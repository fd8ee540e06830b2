/**
 * Sender is a field, and what says how requests are made stands under Delivery Settings. Both were under
 * Options once (design.md names them so): a workflow that has them there works as before.
 */
import { NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../operations.mts';
import { startSimulator, type Simulator } from '../../simulator/index.mts';
import { loadNode, retryExecution, runNode, type RunOptions } from '../harness.mts';
import { sendSms, wire } from './support.mts';

let sim: Simulator;
beforeAll(async () => {
	sim = await startSimulator();
});
afterAll(async () => await sim.close());
beforeEach(() => sim.reset());

const sending = ['send', 'sendBatch', 'sendByUrl'];

describe.each(sending)('%s', (operation) => {
	test.each<[what: string, parameters: INodeParameters, sender: string | undefined]>([
		['its field', { sender: 'MyShop' }, 'MyShop'],
		['Options', { options: { sender: 'OldShop' } }, 'OldShop'],
		['both', { sender: 'MyShop', options: { sender: 'OldShop' } }, 'MyShop'],
		['Options, with an empty field', { sender: '', options: { sender: 'OldShop' } }, 'OldShop'],
		['an expression', { sender: '={{ $json.from }}' }, 'FromItem'],
		['an expression in Options', { options: { sender: '={{ $json.from }}' } }, 'FromItem'],
		['none', {}, undefined],
	])('takes the sender of %s', async (_, parameters, sender) => {
		const { error } = await sendSms(
			sim,
			{ operation, ...parameters },
			{ items: [{ from: 'FromItem' }] },
		);
		expect(error).toBeUndefined();
		expect(sim.messages.map((message) => message.sender)).toEqual([sender]);
	});

	test.each<INodeParameters>([
		{ sender: '={{ $json.missing }}' },
		{ sender: '={{ $json.missing }}', options: { sender: 'OldShop' } },
		{ sender: '={{ null }}' },
	])('sends nothing where %j finds none', async (parameters) => {
		await sendSms(
			sim,
			{ operation, ...parameters },
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(sim.requests).toEqual([]);
	});

	test.each<[what: string, parameters: INodeParameters, isRefused: boolean]>([
		['Delivery Settings', { deliverySettings: { concurrency: 0 } }, true],
		['Options', { options: { concurrency: 0 } }, true],
		[
			'Delivery Settings before Options',
			{ deliverySettings: { concurrency: 2 }, options: { concurrency: 0 } },
			false,
		],
		[
			'Delivery Settings before Options',
			{ deliverySettings: { concurrency: 0 }, options: { concurrency: 2 } },
			true,
		],
	])('takes the pace of %s', async (_, parameters, isRefused) => {
		const { error } = await sendSms(sim, { operation, ...parameters });
		expect(error?.message).toEqual(
			isRefused ? expect.stringContaining("'Concurrency' is ") : undefined,
		);
		expect(sim.messages).toHaveLength(isRefused ? 0 : 1);
	});
});

describe.each(['send', 'sendByUrl'])('a retry of %s', (operation) => {
	test.each<[what: string, parameters: INodeParameters, sent: number]>([
		['under Delivery Settings', { deliverySettings: { resendUnknown: true } }, 2],
		['under Options', { options: { resendUnknown: true } }, 2],
		[
			'off under Delivery Settings, on under Options',
			{ deliverySettings: { resendUnknown: false }, options: { resendUnknown: true } },
			1,
		],
		['nowhere', {}, 1],
	])('resends what is unknown with the setting %s', async (_, parameters, sent) => {
		const options: RunOptions = {
			node: 'Sms',
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			parameters: {
				operation,
				number: '+33639981234',
				message: 'Bonjour',
				...parameters,
			},
		};
		sim.faults.add({ do: { kind: 'resetAfterAccept' } });
		const first = await runNode(options);
		await retryExecution(first, options, {});
		expect(sim.messages).toHaveLength(sent);
	});
});

test.each(['send', 'sendByUrl'])(
	'%s: a sender that was corrected in its new place sends nothing twice',
	async (operation) => {
		const options: RunOptions = {
			node: 'Sms',
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
			parameters: {
				operation,
				number: '={{ $json.to }}',
				message: 'Bonjour',
				options: { sender: 'OldShop', concurrency: 1 },
			},
			items: [{ to: '+33639981231' }, { to: '+33639981232' }],
		};
		sim.faults.add({ skip: 1, do: { kind: 'json', status: 400, body: { code: 20 } } });
		const first = await runNode(options);
		expect(first.error?.message).toContain('sender');
		const parameters = {
			...options.parameters,
			sender: 'MyShop',
			deliverySettings: { concurrency: 2 },
		};
		const { items } = await retryExecution(first, options, { parameters });
		expect(items).toHaveLength(2);
		expect(sim.messages.map(({ number, sender }) => [number, sender])).toEqual([
			['+33639981231', 'OldShop'],
			['+33639981232', 'MyShop'],
		]);
	},
);

test.each(['send', 'sendBatch'])('%s takes the field names of both places', async (operation) => {
	const named = async (parameters: INodeParameters) => {
		sim.reset();
		await sendSms(sim, { operation, ...parameters });
		return Object.keys(JSON.parse(wire(sim.requests.at(-1)!).body) as object)[0];
	};
	expect(await named({ deliverySettings: { fieldNames: 'legacy' } })).toBe('identifier');
	expect(await named({ options: { fieldNames: 'legacy' } })).toBe('identifier');
	const both = {
		deliverySettings: { fieldNames: 'standard' },
		options: { fieldNames: 'legacy' },
	};
	expect(await named(both)).toBe('number');
});

describe('an operation whose options were the pace only', () => {
	test.each<[INodeParameters, boolean]>([
		[{ options: { concurrency: 0 } }, true],
		[{ deliverySettings: { concurrency: 0 } }, true],
		[{ options: { concurrency: 0 }, deliverySettings: { concurrency: 1 } }, false],
		[{ options: { concurrency: '={{ 0 }}' } }, true],
	])('%j', async (parameters, isRefused) => {
		const { error } = await runNode({
			node: 'SmsStats',
			parameters: { operation: 'account', ...parameters },
			credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		});
		expect(error?.message).toEqual(
			isRefused ? expect.stringContaining("'Concurrency' is ") : undefined,
		);
	});
});

describe.each([...new Set(operations.map(({ node }) => node))])('the form of %s', (node) => {
	const { description } = loadNode(node);
	const own = [
		...new Set(operations.filter((row) => row.node === node).map((row) => row.operation)),
	];
	const saved = (parameters: INodeParameters) =>
		NodeHelpers.getNodeParameters(
			description.properties,
			parameters,
			false,
			false,
			null,
			description,
		)!;
	const shown = (parameters: INodeParameters, name: string) =>
		description.properties.find(
			(property) =>
				property.name === name &&
				NodeHelpers.displayParameter(parameters, property, null, description),
		);

	test.each(own)('%s: a setting in its old place is kept, and not offered anew', (operation) => {
		const settings = shown(
			{ resource: description.properties[0].default as string, operation },
			'deliverySettings',
		);
		if (settings === undefined) return expect(['preview', 'getMany']).toContain(operation);
		const values = Object.fromEntries(
			(settings.options as INodeProperties[]).map((setting) => [
				setting.name,
				setting.default,
			]),
		) as INodeParameters;
		for (const place of ['options', 'deliverySettings']) {
			expect(saved({ operation, [place]: values })[place]).toEqual(values);
		}
		const resource = description.properties[0].default as string;
		const options = shown({ resource, operation }, 'options')!;
		const offered = (added: INodeParameters) =>
			options.type === 'hidden'
				? []
				: (options.options as INodeProperties[])
						.filter((option) =>
							NodeHelpers.displayParameter(added, option, null, description, {
								options: added,
							}),
						)
						.map(({ name }) => name);
		for (const name of [...Object.keys(values), 'sender', 'sourceAddress']) {
			expect(offered({})).not.toContain(name);
		}
		if (options.type !== 'hidden') {
			expect(offered(values)).toEqual(expect.arrayContaining(Object.keys(values)));
		}
	});
});

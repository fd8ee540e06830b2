/** The guarantees of the design that are not about one fault: checks, concurrency, pace, receipts. */
import type {
	IContextObject,
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';
import { beforeEach, describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import {
	deduplicationStore,
	loadNode,
	retryExecution,
	runNode,
	type RunOptions,
} from '../harness.mts';
import { placed } from '../../harness/settings.mts';
import { hurry, unknownIn } from './support.mts';

hurry();
const sim = await useSimulator();
beforeEach(() => {
	deduplicationStore.clear();
	deduplicationStore.failure = undefined;
});

const SENDING = ['send', 'sendByUrl', 'sendBatch'];
/** A batch asks for the credits before its first message. */
const BALANCE_UNCHECKED: Record<string, IDataObject> = { sendBatch: { checkBalance: false } };

function numbers(count: number): IDataObject[] {
	return Array.from({ length: count }, (_, index) => ({
		to: `+336399${String(80_000 + index).padStart(5, '0')}`,
		text: `Bonjour ${index}`,
	}));
}

function run(
	operation: string,
	more: Partial<RunOptions> & { options?: IDataObject; request?: IDataObject } = {},
): RunOptions {
	const { options = {}, request = {}, ...rest } = more;
	return {
		node: 'Sms',
		parameters: {
			operation,
			number: '={{ $json.to }}',
			message: '={{ $json.text }}',
			...placed('Sms', operation, options),
			requestOptions: request,
		} as INodeParameters,
		items: numbers(5),
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
		...rest,
	};
}

/** Every answer comes this late. */
function slowDown(ms: number): void {
	sim.faults.add({ times: Infinity, do: { kind: 'delay', ms } });
}

function lose(text: string, times = 1): void {
	sim.faults.add({
		match: (request) => decodeURIComponent(request.target + request.bodyText).includes(text),
		times,
		do: { kind: 'json', status: 400, body: { code: 11, error: 'no' } },
	});
}

describe('all items are checked before the first one is sent', () => {
	test.each(SENDING)(
		'%s names the first bad items, counts the rest, and has all in Error details',
		async (operation) => {
			const items = numbers(60);
			for (let index = 40; index < 55; index++) items[index].to = `nobody ${index}`;
			const options = operation === 'sendBatch' ? { invalidItems: 'stop' } : {};
			const { error } = await runNode(run(operation, { items, options }));
			expect(sim.requests).toHaveLength(0);
			expect(error?.message).toBe('0 of 60 sent, 15 invalid, 45 not sent');
			expect(error?.description).toMatch(/Row 41 \(item 40\): .*Row 43 \(item 42\): /);
			expect(error?.description).not.toContain('Row 44');
			expect(error?.description).toContain('And 12 more reasons, in Error details.');
			const { failed } = error?.context.data as { failed: IDataObject[] };
			expect(failed.map(({ item }) => item)).toEqual(
				items.slice(40, 55).map((_, at) => 40 + at),
			);
			expect(failed[14].reason).toContain('"nobody 54"');
		},
	);

	test.each(SENDING)(
		'%s tells a reason that several items share once, with the first of them',
		async (operation) => {
			const items = numbers(60);
			for (let index = 40; index < 55; index++) items[index].to = 'nobody';
			const options = operation === 'sendBatch' ? { invalidItems: 'stop' } : {};
			const { error } = await runNode(run(operation, { items, options }));
			expect(sim.requests).toHaveLength(0);
			expect(error?.message).toMatch(
				/^Row 41 \(item 40\), Row 42 \(item 41\), Row 43 \(item 42\) and 12 more: .*"nobody"/,
			);
			expect(error?.description).not.toContain('nobody');
		},
	);

	test('an expression that n8n cannot evaluate holds back all items', async () => {
		const broken = run('send', {});
		broken.parameters.message =
			"={{ $json.to.endsWith('3') ? $('Nowhere').item.json.x : 'Bonjour' }}";
		const { error } = await runNode(broken);
		expect(error).toBeDefined();
		expect(sim.requests).toHaveLength(0);
		const go = await runNode({ ...broken, settings: { onError: 'continueRegularOutput' } });
		expect(go.items).toHaveLength(5);
		expect(sim.messages).toHaveLength(4);
	});
});

describe('concurrency and pace', () => {
	test.each(SENDING)(
		'%s has as many requests under way as Concurrency says',
		async (operation) => {
			slowDown(15);
			const { items } = await runNode(
				run(operation, { items: numbers(80), options: { concurrency: 7 } }),
			);
			expect(items).toHaveLength(80);
			expect(sim.maxInFlight).toBe(7);
		},
	);

	test.each(SENDING)('%s begins with 10 by default, and has 100 at most', async (operation) => {
		slowDown(200);
		const { items } = await runNode(
			run(operation, { items: numbers(300), options: BALANCE_UNCHECKED[operation] }),
		);
		expect(items).toHaveLength(300);
		const [first, ...others] = sim.requests.map(({ receivedAt }) => receivedAt);
		expect(others.filter((at) => at < first + 200)).toHaveLength(9);
		expect(sim.maxInFlight).toBeGreaterThan(10);
		expect(sim.maxInFlight).toBeLessThanOrEqual(100);
	});

	test.each(SENDING)(
		'%s starts no more requests per second than asked for',
		async (operation) => {
			await runNode(
				run(operation, { items: numbers(9), options: { requestsPerSecond: 40 } }),
			);
			const times = sim.requests
				.filter(({ path }) => path.endsWith('/send'))
				.map(({ receivedAt }) => receivedAt);
			expect(times).toHaveLength(9);
			// 8 gaps of 25 ms. Without the pace, all arrive within a few ms; half of it leaves room for a
			// machine that is busy.
			expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(100);
		},
	);

	test.each([
		['requestsPerSecond', null],
		['requestsPerSecond', ''],
		['requestsPerSecond', true],
		['requestsPerSecond', []],
		['concurrency', null],
		['concurrency', true],
	])('a %s that an expression gives as %j is no pace: nothing is sent', async (name, pace) => {
		for (const operation of SENDING) {
			const items = [{ ...numbers(1)[0], pace }];
			const options = { [name]: '={{ $json.pace }}' };
			const { error } = await runNode(run(operation, { items, options }));
			expect(error?.message).toMatch(/Concurrency|Requests per Second/);
			expect(sim.requests).toEqual([]);
		}
	});
});

describe('receipts', () => {
	test('a message that was being sent when n8n was killed is unknown at a retry', async () => {
		const options = run('send', {
			items: numbers(2),
			options: { concurrency: 1, maxCredits: 3 },
		});
		// The node context as it is when the request has left.
		let context: IContextObject | undefined;
		const genuine = loadNode('Sms');
		const { send } = genuine.customOperations!.sms;
		const type = Object.assign(Object.create(genuine) as INodeType, {
			customOperations: {
				sms: {
					async send(this: IExecuteFunctions) {
						context = this.getContext('node');
						return await send.call(this);
					},
				},
			},
		});
		let stored = '';
		sim.faults.add({
			match: () => ((stored ||= JSON.stringify(context)), false),
			do: { kind: 'delay', ms: 0 },
		});
		lose('Bonjour 1');
		const failed = await runNode({ ...options, type });
		const { contextData } = failed.data.executionData!;
		for (const name of Object.keys(contextData))
			contextData[name] = JSON.parse(stored) as IContextObject;
		// It had been accepted; what came after it was never begun.
		const retried = await retryExecution(failed, options);
		expect(retried.error).toBeUndefined();
		expect(sim.messages.map(({ text }) => text)).toEqual(['Bonjour 0', 'Bonjour 1']);
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'json', body: {} } });
		const unseen = await retryExecution(failed, options);
		expect(unknownIn(unseen)).toEqual([0]);
	});

	test('stay small: 500 messages keep less than 100 bytes each', async () => {
		const result = await runNode(
			run('sendBatch', { items: numbers(500), options: { concurrency: 50 } }),
		);
		expect(sim.messages).toHaveLength(500);
		const size = JSON.stringify(result.data.executionData!.contextData).length;
		console.log(`receipts of 500 messages: ${size} bytes`);
		expect(size / 500).toBeLessThan(100);
	});
});

describe('cancelling', () => {
	test.each(SENDING)('%s starts nothing more', async (operation) => {
		slowDown(30);
		const options = run(operation, {
			items: numbers(40),
			options: { concurrency: 2 },
			onStart: (cancel) => {
				const watch = setInterval(() => {
					if (sim.messages.length < 6) return;
					clearInterval(watch);
					cancel();
				}, 2);
			},
		});
		const cancelled = await runNode(options);
		expect(cancelled.run.status).not.toBe('success');
		await new Promise((resolve) => setTimeout(resolve, 150));
		const before = sim.messages.length;
		expect(before).toBeLessThan(12);
		await new Promise((resolve) => setTimeout(resolve, 150));
		expect(sim.messages).toHaveLength(before);
	});
});

describe('skip blacklisted numbers', () => {
	test('honours STOP and bounces, in either format, and fetches each list once', async () => {
		const items = [
			{ to: '06 39 98 00 01', text: 'a' },
			{ to: '+33639980002', text: 'a' },
			{ to: '+33639980003', text: 'a' },
		];
		sim.stop('+33639980001');
		sim.bounce('0639980002');
		const result = await runNode(
			run('sendBatch', { items, options: { skipBlacklisted: true } }),
		);
		expect(result.items.map(({ json }) => json.status)).toEqual(['skipped', 'skipped', 'sent']);
		expect(sim.requestsTo('GET', '/v2/unsubscribers/default/contacts')).toHaveLength(1);
		expect(sim.requestsTo('GET', '/v2/bounces/default/contacts')).toHaveLength(1);
		expect(sim.requestsTo('POST', /send$/)).toHaveLength(1);
	});
});

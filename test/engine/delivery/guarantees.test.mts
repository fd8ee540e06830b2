/** Guarantees of the design that are not about one fault: concurrency, pace, receipts, a stop. */
import type { IContextObject, IDataObject, IExecuteFunctions, INodeType } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nothingBeside } from '../../harness/settings.mts';
import { loadNode, retryExecution, runNode, succeeded, type RunResult } from '../harness.mts';
import { people, SENDING, sms } from './sending.mts';
import { reached, SEND, sim, spoil } from './service.mts';
import { statuses, unknownIn } from './support.mts';

const slowDown = (ms: number) => sim.faults.add({ times: Infinity, do: { kind: 'delay', ms } });
const arrivals = () =>
	sim.requests.filter(({ path }) => SEND.test(path)).map(({ receivedAt }) => receivedAt);
const spread = (times: number[]) => Math.max(...times) - Math.min(...times);

describe.each(SENDING)('%s', (operation) => {
	test('has as many requests under way as Concurrency says', async () => {
		// The first ones wait long enough for all seven to meet, on a busy machine, too.
		sim.faults.add({ times: 7, do: { kind: 'delay', ms: 1_000 } });
		slowDown(15);
		const { items } = await runNode(sms(operation, people(80), { concurrency: 7 }));
		expect(items).toHaveLength(80);
		expect(sim.maxInFlight).toBe(7);
	});

	test('begins with 10 by default, and has 100 at most', async () => {
		// The first ones wait for their answers long enough for more to arrive, on a busy machine, too.
		sim.faults.add({ times: 10, do: { kind: 'delay', ms: 1_500 } });
		slowDown(200);
		const settings = { concurrency: undefined, ...nothingBeside(operation) };
		const { items } = await runNode(sms(operation, people(300), settings as IDataObject));
		expect(items).toHaveLength(300);
		const [first, ...others] = arrivals();
		expect(others.filter((at) => at < first + 1_500)).toHaveLength(9);
		expect(sim.maxInFlight).toBeGreaterThan(10);
		expect(sim.maxInFlight).toBeLessThanOrEqual(100);
	});

	test('starts no more requests per second than asked for', async () => {
		await runNode(sms(operation, people(9), { requestsPerSecond: 40, concurrency: 10 }));
		expect(arrivals()).toHaveLength(9);
		// 8 gaps of 25 ms. Without the pace, all arrive within a few ms; half of it leaves room for a
		// machine that is busy.
		expect(spread(arrivals())).toBeGreaterThan(100);
	});

	test('holds that pace after a pause that the service asked for', async () => {
		sim.faults.add({ path: SEND, do: { kind: 'tooManyRequests', retryAfter: 1 } });
		await runNode(sms(operation, people(12), { requestsPerSecond: 20, concurrency: 12 }));
		expect(sim.messages).toHaveLength(12);
		// The pause ends 1 s after the first answer; at 50 ms each, what waited for it takes half a second.
		// Half of that leaves room for a machine that is busy.
		const [first] = arrivals();
		const after = arrivals().filter((time) => time - first > 900);
		expect(after.length).toBeGreaterThan(7);
		expect(spread(after)).toBeGreaterThan(25 * (after.length - 1));
	});

	test('starts nothing more when it is cancelled', async () => {
		slowDown(30);
		const onStart = (cancel: () => void) => {
			const watch = setInterval(() => {
				if (sim.messages.length < 6) return;
				clearInterval(watch);
				cancel();
			}, 2);
		};
		const options = sms(operation, people(40), { concurrency: 2 }, { onStart });
		expect((await runNode(options)).run.status).not.toBe('success');
		await sleep(150);
		const before = sim.messages.length;
		expect(before).toBeLessThan(12);
		await sleep(150);
		expect(sim.messages).toHaveLength(before);
	});
});

describe('n8n is killed while a message is being sent', () => {
	const [first, second] = people(2).map(({ to }) => String(to));
	const options = (maxCredits: number) => sms('send', people(2), { maxCredits });

	/** The execution as n8n has stored it: its node context is that of when the first request had left. */
	async function killed(maxCredits: number): Promise<RunResult> {
		let context: IContextObject | undefined;
		const genuine = loadNode('Sms');
		const { send } = genuine.customOperations!.sms;
		const customOperations = {
			sms: {
				async send(this: IExecuteFunctions) {
					context = this.getContext('node');
					return await send.call(this);
				},
			},
		};
		const type = Object.assign(Object.create(genuine) as INodeType, { customOperations });
		let stored = '';
		sim.faults.add({
			match: () => ((stored ||= JSON.stringify(context)), false),
			do: { kind: 'delay', ms: 0 },
		});
		spoil(second, { kind: 'json', status: 400, body: { code: 11, error: 'no' } });
		const failed = await runNode({ ...options(maxCredits), type });
		const { contextData } = failed.data.executionData!;
		for (const name of Object.keys(contextData))
			contextData[name] = JSON.parse(stored) as IContextObject;
		return failed;
	}

	test('it is unknown at a retry', async () => {
		const failed = await killed(3);
		// It had been accepted; what came after it was never begun.
		succeeded(await retryExecution(failed, options(3)));
		expect(reached()).toEqual([first, second]);
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'json', body: {} } });
		expect(unknownIn(await retryExecution(failed, options(3)))).toEqual([0]);
	});

	test('Max Credits counts it at a retry', async () => {
		const retried = await retryExecution(await killed(1), options(1));
		expect(retried.error?.description).toContain("'Max Credits' is reached");
		expect(reached()).toEqual([first]);
	});
});

test('receipts stay small: 500 messages keep less than 100 bytes each', async () => {
	const result = await runNode(sms('sendBatch', people(500), { concurrency: 50 }));
	expect(sim.messages).toHaveLength(500);
	const size = JSON.stringify(result.data.executionData!.contextData).length;
	console.log(`receipts of 500 messages: ${size} bytes`);
	expect(size / 500).toBeLessThan(100);
});

test('Skip Blacklisted Numbers honours STOP and bounces, in either format, and fetches each list once', async () => {
	const numbers = ['06 39 98 00 01', '+33639980002', '+33639980003'];
	sim.stop('+33639980001');
	sim.bounce('0639980002');
	const items = numbers.map((to) => ({ to, text: 'a' }));
	const result = await runNode(sms('sendBatch', items, { skipBlacklisted: true }));
	expect(statuses(result)).toEqual(['skipped', 'skipped', 'sent']);
	expect(sim.requestsTo('GET', '/v2/unsubscribers/default/contacts')).toHaveLength(1);
	expect(sim.requestsTo('GET', '/v2/bounces/default/contacts')).toHaveLength(1);
	expect(sim.requestsTo('POST', /send$/)).toHaveLength(1);
});

/** Waiting for a final state. The simulator's clock is turned while the node waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { hurry, jsonOf, NUMBER, onlyItem, sent, smsStats, succeeded } from './support.mts';

/** The service's clock stands still, unless a test turns it. */
const NOW = Date.UTC(2030, 0, 1);

hurry();
const sim = await useSimulator({ now: () => NOW });

const WAIT = { waitForFinalState: true, waitInterval: 1, waitTimeLimit: 30 };
const PARAMETERS = { lookupBy: 'snapshotId', snapshotId: '={{ $json.id }}', options: WAIT };

const waitFor = async (ids: string[], options = {}, rest = {}, settings = {}) =>
	await smsStats(
		sim,
		'messageStatus',
		{ ...PARAMETERS, options: { ...WAIT, ...options, ...settings } },
		{ items: ids.map((id) => ({ id })), ...rest },
	);

/** Does something as soon as this many requests have come. */
async function afterRequests(count: number, then: () => void): Promise<void> {
	while (sim.requests.length < count) await sleep(10);
	then();
}

test('asks until the message is delivered', async () => {
	const id = sent(sim);
	const [result] = await Promise.all([
		waitFor([id]),
		afterRequests(1, () => sim.clock.advance(600)),
		afterRequests(2, () => sim.clock.advance(2_000)),
	]);
	expect(sim.requests).toHaveLength(3);
	expect(onlyItem(result)).toEqual({
		snapshotId: id,
		state: 'delivered',
		stateDateIso: '2030-01-01T00:00:02.000Z',
		sentIso: '2030-01-01T00:00:00.000Z',
		submittedIso: '2030-01-01T00:00:00.500Z',
		deliveredIso: '2030-01-01T00:00:02.000Z',
		test: false,
		isFinal: true,
	});
});

/** Messages in these states, waited for in one run. */
async function waitForAll(states: string[], options = {}): Promise<IDataObject[]> {
	const ids = states.map((state) => {
		const id = sent(sim);
		sim.setState(id, state);
		return id;
	});
	const { items } = succeeded(await waitFor(ids, options));
	return jsonOf(items);
}

test('a final state is asked for once', async () => {
	const states = ['delivered', 'unsubscribed', 'bounced', 'opened', 'reply', 'error'];
	const results = await waitForAll(states);
	expect(results).toMatchObject(states.map((state) => ({ state, isFinal: true })));
	expect(sim.requests).toHaveLength(states.length);
});

test('any other state is given back at the time limit as it is', async () => {
	const states = ['sent', 'submitted', 'parked'];
	const results = await waitForAll(states, { waitTimeLimit: 2 });
	expect(results).toMatchObject(states.map((state) => ({ state, isFinal: false })));
	// At 0 s, 1 s and 2 s; a busy machine may come to the second look when the last one is due.
	expect(sim.requests.length).toBeGreaterThanOrEqual(2 * states.length);
	expect(sim.requests.length).toBeLessThanOrEqual(3 * states.length);
});

test('an interval beyond the limit is cut short: the last look is at the limit', async () => {
	const id = sent(sim);
	const [result] = await Promise.all([
		waitFor([id], { waitInterval: 3_600, waitTimeLimit: 1 }),
		afterRequests(1, () => sim.clock.advance(10_000)),
	]);
	expect(onlyItem(result)).toMatchObject({ state: 'delivered', isFinal: true });
	expect(sim.requests).toHaveLength(2);
});

describe('what passes is waited out', () => {
	test('a message that the service does not know yet', async () => {
		const [result] = await Promise.all([
			waitFor(['362891']),
			afterRequests(1, () => {
				sent(sim);
				sim.clock.advance(10_000);
			}),
		]);
		expect(onlyItem(result)).toMatchObject({
			...{ snapshotId: '362891', state: 'delivered', isFinal: true },
		});
	});

	test('one that it never gets to know is not found', async () => {
		const { error } = await waitFor(['1'], { waitTimeLimit: 1 });
		expect(error?.message).toBe('No message was found under the snapshot ID 1');
		expect(sim.requests).toHaveLength(2);
	});

	test('one that fails at the end leaves the last known state', async () => {
		const id = sent(sim);
		sim.faults.add({ skip: 1, times: Infinity, do: { kind: 'resetBeforeRead' } });
		const result = await waitFor([id], { waitTimeLimit: 1 });
		expect(onlyItem(result)).toMatchObject({ state: 'sent', isFinal: false });
	});

	test('a wrong key is not', async () => {
		const id = sent(sim);
		const { error } = await waitFor(
			[id],
			{},
			{ credential: { baseUrl: sim.baseUrl, apiKey: 'wrong-key' } },
		);
		expect(error?.message).toBe('The service refused the API key');
		expect(sim.requests).toHaveLength(1);
	});

	test('neither is an answer that makes no sense', async () => {
		const id = sent(sim);
		sim.faults.add({ skip: 1, do: { kind: 'json', body: { state: 'sent' } } });
		const { error } = await waitFor([id]);
		expect(error?.message).toMatch(/an unexpected answer/);
		expect(sim.requests).toHaveLength(2);
	});
});

describe('many messages', () => {
	test('wait side by side, with no place at the gate meanwhile', async () => {
		const ids = Array.from({ length: 5 }, () => sent(sim));
		// Long enough for requests to meet.
		sim.faults.add({ times: Infinity, do: { kind: 'delay', ms: 20 } });
		const [{ items, error }] = await Promise.all([
			waitFor(ids, {}, {}, { concurrency: 1 }),
			// With a place kept, the second message would not be looked at before the first is final.
			afterRequests(5, () => sim.clock.advance(10_000)),
		]);
		expect(error).toBeUndefined();
		expect(sim.maxInFlight).toBe(1);
		expect(
			items.map(({ json, pairedItem }) => [json.snapshotId, json.isFinal, pairedItem]),
		).toEqual(ids.map((id, item) => [id, true, { item }]));
		expect(sim.requests).toHaveLength(10);
	});

	test.each([
		[true, 2],
		[false, 1],
	])(
		'items that ask for the same message share its requests (waiting: %s)',
		async (waitForFinalState, requests) => {
			const id = sent(sim);
			const [{ items }] = await Promise.all([
				waitFor([id, id, id], { waitForFinalState }),
				afterRequests(1, () => sim.clock.advance(10_000)),
			]);
			expect(sim.requests).toHaveLength(requests);
			expect(jsonOf(items).map(({ isFinal }) => isFinal)).toEqual(
				Array(3).fill(waitForFinalState),
			);
		},
	);

	test('a failure of one ends the waiting of the others', async () => {
		const ids = [sent(sim), sent(sim)];
		sim.faults.add({
			match: ({ target }) => target.endsWith(`=${ids[1]}`),
			do: { kind: 'json', status: 400, body: { code: 11 } },
		});
		const started = Date.now();
		const { error } = await waitFor(ids);
		expect(error?.context.itemIndex).toBe(1);
		expect(Date.now() - started).toBeLessThan(5_000);
		expect(sim.requests).toHaveLength(2);
	});

	test('"Continue on fail" lets the others go on', async () => {
		const ids = ['1', sent(sim)];
		sim.clock.advance(10_000);
		const { items } = await waitFor(
			ids,
			{ waitTimeLimit: 1 },
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(jsonOf(items)).toEqual([
			expect.objectContaining({
				error: 'No message was found under the snapshot ID 1',
				code: 16,
			}),
			expect.objectContaining({ state: 'delivered', isFinal: true }),
		]);
	});

	test('cancelling the execution ends the waiting', async () => {
		const id = sent(sim, NUMBER);
		let cancel = () => {};
		const started = Date.now();
		await Promise.all([
			waitFor([id], { waitInterval: 20 }, { onStart: (stop: () => void) => (cancel = stop) }),
			afterRequests(1, () => setTimeout(() => cancel(), 100)),
		]);
		expect(Date.now() - started).toBeLessThan(5_000);
		await sleep(300);
		expect(sim.requests).toHaveLength(1);
	});
});

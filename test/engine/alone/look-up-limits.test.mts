/** How far a look-up goes: when it is done, how many requests it makes, and what ends it. */
import { describe, expect, test } from 'vitest';
import type { FaultAction } from '../../simulator/index.mts';
import { runNode } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import {
	given,
	lookUps,
	LOST,
	NOT_ACCEPTED,
	numberOf,
	policy,
	sim,
	spoil,
} from './look-up-support.mts';

describe('looking up', () => {
	test('is not done where nothing is unknown, nor where it is turned off', async () => {
		await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		spoil(LOST);
		const { items } = await runNode(
			given('sendBatch', [{ to: numberOf(2) }], { lookUpUnknown: false }),
		);
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }]);
		spoil(LOST);
		const { error } = await runNode(
			given('send', [{ to: numberOf(3) }], { lookUpUnknown: false }),
		);
		expect(error?.message).toContain('unknown');
		expect(lookUps()).toBe(0);
	});

	test('keeps to Concurrency', async () => {
		const rows = Array.from({ length: 9 }, (_, index) => ({ to: numberOf(index) }));
		sim.faults.add({ path: /send$/, times: Infinity, do: LOST });
		sim.faults.add({ path: /status$/, times: Infinity, do: { kind: 'delay', ms: 20 } });
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 3 }));
		expect(jsonOf(items).every(({ foundBy }) => foundBy === 'lookup')).toBe(true);
		expect(sim.maxInFlight).toBeLessThanOrEqual(3);
	});

	test.each<[string, FaultAction]>([
		['is refused', { kind: 'json', status: 401, body: { code: 72, error: 'Key' } }],
		['breaks off', { kind: 'resetBeforeRead' }],
		['gets no answer', { kind: 'noAnswerAfterAccept' }],
		['gets a web page', { kind: 'html200' }],
		['gets senseless values', { kind: 'wrongTypes' }],
		['is limited', { kind: 'tooManyRequests', retryAfter: 60 }],
	])('leaves the outcome as it is where it %s', async (_, action) => {
		policy.longest = 1_500;
		policy.rounds = [0, 300];
		sim.faults.add({ path: /status$/, times: Infinity, do: action });
		spoil(LOST);
		const { items, error } = await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(error).toBeUndefined();
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }]);
		expect(jsonOf(items)[0].reason).toContain('unknown');
	});

	test('asks no more where the key is refused', async () => {
		const refused = { kind: 'json', status: 401, body: { code: 72, error: 'Key' } } as const;
		sim.faults.add({ path: /status$/, times: Infinity, do: refused });
		spoil(LOST);
		await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(lookUps()).toBe(1);
	});

	test('keeps to a break that the service asks for', async () => {
		sim.faults.add({ path: /status$/, do: { kind: 'tooManyRequests', retryAfter: 2 } });
		spoil(LOST);
		const { items } = await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(jsonOf(items)).toMatchObject([{ status: 'sent', foundBy: 'lookup' }]);
		const [first, second] = sim.requestsTo('GET', /\/messages\/status/);
		expect(second.receivedAt - first.receivedAt).toBeGreaterThanOrEqual(1_990);
	});

	test('ends when the user stops the execution', async () => {
		policy.rounds = [0, 60_000];
		policy.longest = 90_000;
		spoil(NOT_ACCEPTED);
		let cancel = () => {};
		const running = runNode(
			given('sendBatch', [{ to: numberOf(1) }], {}, { onStart: (stop) => (cancel = stop) }),
		);
		while (lookUps() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		cancel();
		expect((await running).run.status).toBe('canceled');
		await new Promise((resolve) => setTimeout(resolve, 400));
		expect(lookUps()).toBe(1);
	});
});

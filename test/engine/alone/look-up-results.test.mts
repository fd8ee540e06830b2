/** What is told of a message that was looked up and found: to whom retries, reads hints or uses once keys. */
import { describe, expect, test } from 'vitest';
import { retryExecution, runNode } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import { given, LOST, numberOf, only, policy, send, sim, spoil } from './look-up-support.mts';

describe('a message that arrived', () => {
	test('is found when the service shows it late', async () => {
		sim.faults.add({
			path: /status$/,
			do: { kind: 'json', status: 400, body: { code: 16, error: 'No message' } },
		});
		spoil(LOST);
		expect(only(await send())).toMatchObject({ foundBy: 'lookup' });
	});

	test('lets its execution be retried for the rest', async () => {
		spoil(LOST);
		const options = given('send', [{ to: numberOf(1) }, { to: numberOf(2) }], {
			concurrency: 1,
		});
		const stopped = await runNode(options);
		expect(stopped.error?.message).toContain('found to be sent');
		expect(stopped.error?.description).toContain(numberOf(1));
		const retried = await retryExecution(stopped, options);
		expect(jsonOf(retried.items)).toMatchObject([
			{ foundBy: 'lookup' },
			{ number: numberOf(2), creditsUsed: 1 },
		]);
		expect(sim.messages).toHaveLength(2);
	});

	test('is told above the output', async () => {
		spoil(LOST);
		const { hints } = await runNode(given('sendBatch', [{ to: numberOf(1) }]));
		expect(JSON.stringify(hints)).toContain('1 message whose answer was lost');
	});

	test('is known by its once key', async () => {
		const options = { onceKey: '={{ $json.to }}' };
		spoil(LOST);
		const first = await runNode(given('sendBatch', [{ to: numberOf(1) }], options));
		expect(only(first)).toMatchObject({ status: 'sent', foundBy: 'lookup' });
		const second = await runNode(
			given('sendBatch', [{ to: numberOf(1) }], { ...options, resendUnknown: true }),
		);
		expect(only(second)).toMatchObject({ status: 'skipped' });
		expect(sim.messages).toHaveLength(1);
	});

	test('is found by a later try, when the service was silent before', async () => {
		// Enough answers to know the clock.
		const rows = Array.from({ length: 1_000 }, (_, index) => ({ to: numberOf(index) }));
		sim.faults.add({ path: /send$/, skip: 999, do: LOST });
		sim.faults.add({
			path: /status$/,
			times: Infinity,
			match: ({ raw }) => raw.includes(encodeURIComponent(numberOf(999))),
			do: { kind: 'json', status: 400, body: { code: 16, error: 'No message' } },
		});
		policy.rounds = [0];
		const options = given('send', rows, { concurrency: 10 });
		const failed = await runNode(options);
		expect(failed.error?.message).toContain('unknown');
		sim.faults.clear();
		const retried = await retryExecution(failed, options);
		expect(retried.error).toBeUndefined();
		expect(jsonOf(retried.items).at(-1)).toMatchObject({ foundBy: 'lookup' });
		expect(sim.messages).toHaveLength(1_000);
	});
});

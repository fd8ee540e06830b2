/** Requests per Second holds for every request of a run (design, guarantee 2), whatever it waits for before it leaves. */
import { describe, expect, test } from 'vitest';
import { runNode, succeeded } from '../harness.mts';
import { people, sms } from './sending.mts';
import { SEND, sim } from './service.mts';

const PACE = 5;
/** Whether requests, from one of them on, took as long as their number takes at this pace, or nearly so. */
function expectPace(from: number): void {
	const times = sim.requests.slice(from).map(({ receivedAt }) => receivedAt);
	const least = ((times.length - 1) * 1000) / PACE;
	expect(times.at(-1)! - times[0]).toBeGreaterThanOrEqual(0.8 * least);
}

describe.each(['send', 'sendBatch'])('%s', (operation) => {
	test('messages that have waited for a price do not leave together', async () => {
		sim.faults.add({ path: SEND, times: 1, do: { kind: 'delay', ms: 900 } });
		const settings = { maxCredits: 100, requestsPerSecond: PACE, concurrency: 4 };
		succeeded(await runNode(sms(operation, people(4), settings)));
		expect(sim.messages).toHaveLength(4);
		expectPace(1);
	});

	test('the balance is a request like the others', async () => {
		const settings = { requestsPerSecond: PACE, checkBalance: true };
		succeeded(await runNode(sms(operation, people(2), settings)));
		expect(sim.requests).toHaveLength(3);
		expectPace(0);
	});
});

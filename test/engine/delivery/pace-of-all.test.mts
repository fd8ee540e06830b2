/**
 * Requests per Second holds for every request of a node in one execution (design, guarantee 2), whatever it waits for
 * before it leaves.
 */
import { describe, expect, test } from 'vitest';
import { runNode, succeeded } from '../harness.mts';
import { invokesAtOnce, invokeTool, type Call } from './agent.mts';
import { KEY } from './answers.mts';
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

	test('the rounds of a loop are no faster', async () => {
		const rounds = people(4).map((one) => [one]);
		const settings = { requestsPerSecond: PACE, checkBalance: false };
		await runNode(sms(operation, rounds[0], settings, { furtherRuns: rounds.slice(1) }));
		expect(sim.messages).toHaveLength(4);
		expectPace(0);
	});
});

test('parallel calls of a tool are no faster', async () => {
	const calls = people(4).map(({ to: number }): Call => ({ input: { number } }));
	const options = { requestsPerSecond: PACE };
	const number = "={{ $fromAI('number', '', 'string') }}";
	await invokeTool({
		node: 'Sms',
		parameters: { operation: 'sendBatch', number, message: 'A', options },
		credential: { baseUrl: sim.baseUrl, apiKey: KEY },
		agent: invokesAtOnce,
		calls,
	});
	expect(sim.messages).toHaveLength(4);
	expectPace(0);
});

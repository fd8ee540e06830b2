/** Services with limits and troubles, as a run meets them that may find its own pace. The waits are the real ones. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { useSimulator } from '../../harness/fixtures.mts';
import { chance, SEED } from '../../harness/random.mts';
import { retryExecution, runNode, succeeded, type RunOptions } from '../harness.mts';

const sim = await useSimulator();
function run(operation: string, count: number): RunOptions {
	return {
		node: 'Sms',
		parameters: { operation, number: '={{ $json.to }}', message: '={{ $json.text }}' },
		items: Array.from({ length: count }, (_, index) => ({
			to: `+336399${String(80_000 + index).padStart(5, '0')}`,
			text: `Bonjour ${index}`,
		})),
		credential: { baseUrl: sim.baseUrl, apiKey: sim.apiKey },
	};
}

/** Every message has arrived once. */
function expectAll(items: IDataObject[]): void {
	const texts = sim.messages.map(({ text }) => text);
	expect(texts.sort()).toEqual(items.map(({ text }) => text as string).sort());
}

describe.each(['send', 'sendBatch'])('%s', (operation) => {
	test.each([undefined, 1])(
		'429 beyond 5 at once, Retry-After %s: all sent once',
		async (retryAfter) => {
			const delay = { kind: 'delay', ms: 20 } as const;
			const refused = sim.faults.add({
				times: Infinity,
				match: () => sim.inFlight > 5,
				do: { kind: 'tooManyRequests', retryAfter },
			});
			sim.faults.add({ times: Infinity, do: delay });
			const options = run(operation, 400);
			succeeded(await runNode(options));
			expectAll(options.items as IDataObject[]);
			console.log(`${operation}, Retry-After ${retryAfter}: ${refused.hits} refused of 400`);
			expect(refused.hits).toBeLessThanOrEqual(20);
		},
	);

	test('a fifth of the requests refused: all sent once', async () => {
		sim.faults.add({
			times: Infinity,
			...{ probability: 0.2, random: chance(SEED) },
			do: { kind: 'status', status: 503, headers: { 'Retry-After': '0' } },
		});
		const options = run(operation, 60);
		if (operation === 'sendBatch') options.parameters.options = { failIfIncomplete: true };
		let result = await runNode(options);
		// Four refusals of the same message end it as not sent.
		for (let again = 0; again < 3 && result.error !== undefined; again++)
			result = await retryExecution(result, options);
		expectAll(options.items as IDataObject[]);
	});
});

/**
 * Messages whose answer was lost are looked up after the run: sent only on positive evidence, by the clock
 * of the service. What is accepted and when is told by the simulator.
 */
import { describe, expect, test } from 'vitest';
import { runNode } from '../harness.mts';
import { given, HOUR, LOST, numberOf, only, send, sim, spoil } from './look-up-support.mts';

describe('a message that arrived', () => {
	test.each(['send', 'sendBatch'] as const)('is found (%s)', async (operation) => {
		spoil(LOST);
		const result = await runNode(given(operation, [{ to: numberOf(1) }]));
		expect(result.error).toBeUndefined();
		expect(only(result)).toMatchObject({
			number: numberOf(1),
			snapshotId: sim.messages[0].snapshotId,
			foundBy: 'lookup',
		});
		expect(sim.messages).toHaveLength(1);
	});

	test.each([HOUR, -HOUR, 1_234, -777])(
		'is found by a service whose clock is %d ms ahead',
		async (ahead) => {
			sim.clock.advance(ahead);
			spoil(LOST);
			expect(only(await send())).toMatchObject({ foundBy: 'lookup' });
		},
	);

	test('is found where times and IDs come in other forms', async () => {
		Object.assign(sim.service.settings, { counters: 'text', ids: 'number', states: 'upper' });
		spoil(LOST);
		expect(only(await send())).toMatchObject({ foundBy: 'lookup' });
	});

	test('is found though the number had an older message', async () => {
		await send();
		sim.clock.advance(5_000);
		// So shortly before, it could be the one that is seen.
		await new Promise((resolve) => setTimeout(resolve, 1_000));
		spoil(LOST);
		const result = await send();
		expect(only(result)).toMatchObject({ snapshotId: sim.messages[1].snapshotId });
	});
});

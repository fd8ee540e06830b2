/** What another execution has sent to the same number is never taken for a message that was lost. */
import { describe, expect, test } from 'vitest';
import { retryExecution, runNode } from '../harness.mts';
import {
	given,
	HOUR,
	NOT_ACCEPTED,
	numberOf,
	send,
	sim,
	spoil,
	unknown,
} from './look-up-support.mts';

describe('what did not arrive stays unknown', () => {
	test('right after another execution has texted the number', async () => {
		for (let time = 0; time < 5; time++) {
			await send();
			sim.faults.clear();
			spoil(NOT_ACCEPTED);
			await unknown(given('sendBatch', [{ to: numberOf(1) }]));
		}
	});

	test('where a later try meets the message of another execution', async () => {
		spoil(NOT_ACCEPTED);
		const options = given('send', [{ to: numberOf(1) }]);
		const failed = await runNode(options);
		sim.clock.advance(HOUR);
		await send();
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toContain('unknown');
	});
});

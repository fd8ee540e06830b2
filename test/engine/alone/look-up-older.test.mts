/** A message that was lost and did not arrive is never taken for another one to the same number. */
import { describe, expect, test } from 'vitest';
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
	test.each([50, 400, 2_000, 30_000, HOUR])(
		'where another message came %d ms before',
		async (milliseconds) => {
			sim.clock.advance(-milliseconds);
			await send();
			sim.clock.advance(milliseconds);
			spoil(NOT_ACCEPTED);
			const json = await unknown(given('sendBatch', [{ to: numberOf(1) }]));
			expect(json.description).toContain(sim.messages[0].snapshotId);
		},
	);

	test('where the older message was delivered only now', async () => {
		sim.clock.advance(-1_500);
		await send();
		sim.clock.advance(1_500);
		spoil(NOT_ACCEPTED);
		await unknown(given('sendBatch', [{ to: numberOf(1) }]));
	});
});

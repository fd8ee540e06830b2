/** The clock of the service is read from its answers; what stands between it and n8n may date them otherwise. */
import { describe, test } from 'vitest';
import { given, NOT_ACCEPTED, numberOf, send, sim, spoil, unknown } from './look-up-support.mts';

describe('what did not arrive stays unknown', () => {
	test.each([
		['gateway', 20_000, 10_000],
		['gateway', 1_500, 1_000],
		['gateway', 5_000, 4_500],
		['none', 0, 500],
	] as const)(
		'where the Date header is of the %s, %d ms behind the service',
		async (dateHeader, ahead, before) => {
			sim.service.settings.dateHeader = dateHeader;
			sim.clock.advance(ahead - before);
			await send();
			sim.clock.advance(before);
			spoil(NOT_ACCEPTED);
			await unknown(given('sendBatch', [{ to: numberOf(1) }]));
			// With a message of the same run to compare with.
			spoil(NOT_ACCEPTED, 1);
			await unknown(
				given('sendBatch', [{ to: numberOf(2) }, { to: numberOf(1) }], { concurrency: 1 }),
			);
		},
	);
});

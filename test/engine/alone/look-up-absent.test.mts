/** A message that was lost and did not arrive is never called sent, whatever the look-up is shown. */
import { describe, expect, test } from 'vitest';
import { runNode } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import {
	given,
	lookUps,
	LOST,
	NOT_ACCEPTED,
	numberOf,
	spoil,
	unknown,
} from './look-up-support.mts';

describe('what did not arrive stays unknown', () => {
	test('where the service shows no message', async () => {
		spoil(NOT_ACCEPTED);
		const json = await unknown(given('sendBatch', [{ to: numberOf(1) }]));
		expect(json.description).toContain('shows no message');
		expect(lookUps()).toBeGreaterThanOrEqual(3);
		expect(lookUps()).toBeLessThanOrEqual(15);
	});

	test('where this run has texted the number too', async () => {
		spoil(NOT_ACCEPTED);
		const rows = [
			{ to: numberOf(1), text: 'Bonjour' },
			{ to: numberOf(1), text: 'Bonsoir' },
		];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
	});

	test('where two messages of the run to one number are unknown', async () => {
		spoil(LOST);
		spoil(NOT_ACCEPTED);
		const rows = [
			{ to: numberOf(1), text: 'Bonjour' },
			{ to: numberOf(1).replace('+33', '0'), text: 'Bonsoir' },
		];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'unknown' }]);
		expect(lookUps()).toBe(0);
	});

	test('where it was to leave later', async () => {
		spoil(LOST);
		await unknown(given('sendBatch', [{ to: numberOf(1) }], { date: '2099-01-01T10:00' }));
		expect(lookUps()).toBe(0);
	});
});

/** A message that was lost and did not arrive is never called sent, whatever the look-up is shown. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import { retryExecution, runNode, type RunOptions } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import {
	given,
	HOUR,
	lookUps,
	LOST,
	NOT_ACCEPTED,
	numberOf,
	send,
	sim,
	spoil,
} from './look-up-support.mts';

describe('what did not arrive stays unknown', () => {
	async function unknown(options: RunOptions): Promise<IDataObject> {
		const { items } = await runNode(options);
		const json = jsonOf(items).at(-1)!;
		expect(json).toMatchObject({ status: 'unknown' });
		return json;
	}

	test('where the service shows no message', async () => {
		spoil(NOT_ACCEPTED);
		const json = await unknown(given('sendBatch', [{ to: numberOf(1) }]));
		expect(json.description).toContain('shows no message');
		expect(lookUps()).toBeGreaterThanOrEqual(3);
		expect(lookUps()).toBeLessThanOrEqual(15);
	});

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

	test('right after another execution has texted the number', async () => {
		for (let time = 0; time < 5; time++) {
			await send();
			sim.faults.clear();
			spoil(NOT_ACCEPTED);
			await unknown(given('sendBatch', [{ to: numberOf(1) }]));
		}
	});

	test('where the older message was delivered only now', async () => {
		sim.clock.advance(-1_500);
		await send();
		sim.clock.advance(1_500);
		spoil(NOT_ACCEPTED);
		await unknown(given('sendBatch', [{ to: numberOf(1) }]));
	});

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

	test('where a later try meets the message of another execution', async () => {
		spoil(NOT_ACCEPTED);
		const options = given('send', [{ to: numberOf(1) }]);
		const failed = await runNode(options);
		sim.clock.advance(HOUR);
		await send();
		const retried = await retryExecution(failed, options);
		expect(retried.error?.message).toContain('unknown');
	});

	test('where it was to leave later', async () => {
		spoil(LOST);
		await unknown(given('sendBatch', [{ to: numberOf(1) }], { date: '2099-01-01T10:00' }));
		expect(lookUps()).toBe(0);
	});
});

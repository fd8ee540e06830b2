/**
 * Messages that were lost and did not arrive, where the Date header is of a gateway whose clock is behind: a
 * message from before is dated as if it came after the attempt. It is never taken for the lost one.
 */
import { describe, expect, test } from 'vitest';
import { retryExecution, runNode } from '../harness.mts';
import { jsonOf } from '../sms/support.mts';
import {
	given,
	late,
	LOST_ONE,
	neverTo,
	NOT_ACCEPTED,
	numberOf,
	OTHER,
	policy,
	send,
	sim,
	unknown,
} from './look-up-support.mts';

/** The number has had a message; the Date header is by a clock that is behind the service's. */
async function textedBefore(behind: number, before: number): Promise<void> {
	sim.service.settings.dateHeader = 'gateway';
	sim.clock.advance(behind - before);
	await send(numberOf(LOST_ONE));
	sim.clock.advance(before);
	neverTo(numberOf(LOST_ONE));
}

describe('what did not arrive stays unknown', () => {
	test('where the service shows the older message at the retry only', async () => {
		sim.service.settings.dateHeader = 'gateway';
		sim.clock.advance(3_000);
		const number = numberOf(LOST_ONE);
		sim.faults.add({
			path: /send$/,
			match({ bodyText }) {
				if (!bodyText.includes(number)) return false;
				// It was sent two seconds before.
				sim.clock.advance(-2_000);
				sim.service.accept({
					kind: 'notification',
					number,
					text: 'Older',
					category: '',
				});
				sim.clock.advance(2_000);
				return true;
			},
			do: NOT_ACCEPTED,
		});
		// Enough answers to know the clock of the header.
		const rows = Array.from({ length: 400 }, (_, index) => ({ to: numberOf(index + 2) }));
		const silent = {
			kind: 'json',
			status: 400,
			body: { code: 16, error: 'None' },
		} as const;
		sim.faults.add({ path: /status$/, times: Infinity, do: silent });
		Object.assign(policy, { rounds: [0], longest: 3_000 });
		const options = given('send', [...rows, { to: number }], {
			concurrency: 10,
		});
		const failed = await runNode(options);
		expect(failed.error?.message).toContain('unknown');
		sim.faults.clear();
		const { error } = await retryExecution(failed, options);
		expect(error?.message).toContain('unknown');
		expect(sim.messagesTo(number)).toMatchObject([{ text: 'Older' }]);
	});

	test.each([0, 1])(
		'where the first look is put off by the service, with %d messages of the run to compare with',
		async (others) => {
			await textedBefore(3_000, 2_500);
			sim.faults.add({ path: /status$/, do: { kind: 'tooManyRequests', retryAfter: 2 } });
			const rows = [{ to: numberOf(OTHER) }, { to: numberOf(LOST_ONE) }];
			await unknown(given('sendBatch', rows.slice(1 - others), { concurrency: 1 }));
		},
	);

	test('where the first look at the message to compare with breaks off', async () => {
		await textedBefore(3_000, 2_500);
		late(numberOf(OTHER), 1_000);
		sim.faults.add({ path: /status$/, do: NOT_ACCEPTED });
		const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
	});

	test('where the message to compare with was answered late', async () => {
		await textedBefore(1_500, 500);
		late(numberOf(OTHER), 900);
		const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 2 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'sent' }]);
	});

	test('where the run goes on without a message to compare with', async () => {
		await textedBefore(1_500, 1_000);
		late(numberOf(OTHER), 1_000);
		sim.faults.add({
			path: /send$/,
			times: Infinity,
			match: ({ bodyText }) => bodyText.includes(numberOf(OTHER)),
			do: { kind: 'json', status: 400, body: { code: 12, error: 'STOP' } },
		});
		const rows = [{ to: numberOf(LOST_ONE) }, { to: numberOf(OTHER) }];
		const { items } = await runNode(given('sendBatch', rows, { concurrency: 1 }));
		expect(jsonOf(items)).toMatchObject([{ status: 'unknown' }, { status: 'refused' }]);
	});
});

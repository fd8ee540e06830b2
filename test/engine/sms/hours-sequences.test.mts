/**
 * Allowed Hours in sequences: a clock that moves on between the check of a message and its request, faults, and
 * retries.
 */
import { expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { hooks, once, sim, statuses, textOf, tries } from '../delivery/sending.mts';
import { runNode } from '../harness.mts';
import { asked, hours as at, sending } from './hours.mts';

const HOUR = 3_600_000;

test('a key of what was refused when it was to leave is free again', async () => {
	const moveOn = setClock('2026-01-15T18:59:00Z');
	const send = sending(['+33639981231'], 'sendBatch', {
		...at({ otherwise: 'refuse' }),
		...once,
	});
	// The hours end when its key has been taken.
	hooks.store = (stage, { kind }) => {
		if (kind === 'unlock' && stage === 'written') moveOn(HOUR);
	};
	const closed = await runNode(send);
	delete hooks.store;
	expect(textOf(closed) + String(closed.items[0]?.json.reason)).toContain("'Allowed Hours'");
	expect(sim.messages).toEqual([]);
	moveOn(14 * HOUR);
	for (const status of ['sent', 'skipped'])
		expect(statuses(await runNode(send))).toEqual([status]);
	expect(sim.messages).toHaveLength(1);
});

test('what was closed at the first try is decided anew at the next one', async () => {
	const moveOn = setClock('2026-01-15T19:30:00Z');
	sim.faults.add({ path: /send$/, do: { kind: 'status', status: 400 } });
	const [, retried] = await tries(sending(['+33639981231'], 'send', at()), () =>
		moveOn(13 * HOUR),
	);
	expect(statuses(retried)).toEqual(['sent']);
	const dates = asked().map(({ date }) => date);
	expect(dates).toEqual([Date.parse('2026-01-16T07:00:00Z'), undefined]);
});

test('hours that end while a message waits for the price of the first one hold for it', async () => {
	const moveOn = setClock('2026-01-15T18:59:00Z');
	const match = () => (moveOn(HOUR), true);
	sim.faults.add({ path: /send$/, match, do: { kind: 'delay', ms: 100 } });
	const settings = { ...at({ otherwise: 'refuse' }), maxCredits: 10, concurrency: 10 };
	const numbers = ['+33639981231', '+33639981232'];
	const result = await runNode(sending(numbers, 'sendBatch', settings));
	expect(statuses(result)).toEqual(['sent', 'notSent']);
	expect(result.items[1].json.reason).toContain("'Allowed Hours'");
	expect(sim.messages).toHaveLength(1);
});

test('a try that is repeated when the hours have ended is put off', async () => {
	const moveOn = setClock('2026-01-15T18:59:00Z');
	const match = () => (moveOn(HOUR), true);
	sim.faults.add({ path: /send$/, match, do: { kind: 'tooManyRequests', retryAfter: 0 } });
	expect(statuses(await runNode(sending(['+33639981231'], 'send', at())))).toEqual(['scheduled']);
	const dates = asked().map(({ date }) => date);
	expect(dates).toEqual([undefined, Date.parse('2026-01-16T07:00:00Z')]);
});

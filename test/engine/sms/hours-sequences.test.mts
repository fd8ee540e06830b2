/**
 * Allowed Hours in sequences: a clock that moves on while a run is under way, faults between tries, recipients
 * in several zones, and retries. Each request is held against clocks on the wall, minute by minute.
 */
import { expect, test } from 'vitest';
import { setClock } from '../../harness/fixtures.mts';
import { dice, playHistories } from '../../harness/histories.mts';
import type { Dice } from '../../harness/random.mts';
import { once, tries } from '../delivery/sending.mts';
import { hooks, sim } from '../delivery/service.mts';
import { jsonOf, statuses, textOf } from '../delivery/support.mts';
import { runNode } from '../harness.mts';
import { asked, hours as at, sending, WEEK } from './hours.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Hours {
	from: string;
	to: string;
	days: string[];
	otherwise: 'schedule' | 'refuse';
}

const walls = new Map<string, Intl.DateTimeFormat>();
function wallOf(timeZone: string): Intl.DateTimeFormat {
	const wall =
		walls.get(timeZone) ??
		new Intl.DateTimeFormat('en-GB', {
			...{ timeZone, weekday: 'long', hour: '2-digit', minute: '2-digit' },
			hourCycle: 'h23',
		});
	walls.set(timeZone, wall);
	return wall;
}

/** @returns whether a clock on a wall there shows a time within the hours */
function isOpen({ from, to, days }: Hours, time: number, zone: string): boolean {
	const parts = wallOf(zone).formatToParts(time);
	const of = (type: string) => parts.find((part) => part.type === type)!.value;
	const clock = `${of('hour')}:${of('minute')}`;
	const today = of('weekday').toLowerCase();
	const yesterday = WEEK[(WEEK.indexOf(today) + 6) % 7];
	return from < to
		? days.includes(today) && clock >= from && clock < to
		: (days.includes(today) && clock >= from) || (days.includes(yesterday) && clock < to);
}

function firstOpen(hours: Hours, time: number, zones: string[]): number {
	let at = time;
	while (!zones.every((zone) => isOpen(hours, at, zone))) {
		at = Math.floor(at / MINUTE) * MINUTE + MINUTE;
	}
	return at;
}

/** A number, and where its owner may be (interface: 2.6; zones: IANA). */
const PEOPLE: ReadonlyArray<[to: string, zones: string[]]> = [
	['06 39 98 12 31', ['Europe/Paris']],
	['+447400123456', ['Europe/London']],
	['0690 12 34 56', ['America/Guadeloupe']],
	['+262692123456', ['Indian/Reunion']],
	['+262709391234', ['Indian/Reunion', 'Indian/Mayotte']],
	['+687751234', ['Pacific/Noumea']],
	['+34612345678', ['Europe/Madrid', 'Atlantic/Canary']],
];

// Around the days on which clocks change in Paris, and New Year's Eve.
const BEGINNINGS = ['2026-03-28T16:00:00Z', '2026-10-24T17:00:00Z', '2026-12-31T15:00:00Z'];

async function play(drawn: Dice, moveOn: (milliseconds: number) => void): Promise<void> {
	const hours: Hours = {
		from: drawn.one(['08:00', '21:00', '00:00', '06:30']),
		to: drawn.one(['20:00', '05:00', '24:00', '12:15']),
		days: WEEK.filter(() => drawn.chance(70)),
		otherwise: drawn.one(['schedule', 'refuse']),
	};
	if (hours.days.length === 0) hours.days = ['monday'];
	const isRecipients = drawn.chance(70);
	const people = Array.from({ length: 12 }, () => drawn.one(PEOPLE));
	const numbers = people.map(([to]) => to);
	const left: number[] = [];
	sim.faults.add({
		path: /send$/,
		times: Infinity,
		match: () => {
			left.push(Date.now());
			moveOn(drawn.to(5 * HOUR));
			return false;
		},
		do: { kind: 'delay', ms: 0 },
	});
	for (let fault = 0; fault < 3; fault++) {
		const at = drawn.to(12);
		sim.faults.add({
			path: /send$/,
			match: () => left.length === at,
			do: { kind: 'tooManyRequests', retryAfter: 0 },
		});
	}
	const timeZone = isRecipients ? 'recipient' : 'workflow';
	const options = {
		allowedHours: { hours: { ...hours, holidays: false, timeZone } },
		concurrency: 1,
	};
	const result = await runNode(sending(numbers, 'sendBatch', options));
	const outcomes = result.error ? [] : jsonOf(result);
	const zonesOf = (number: string) =>
		isRecipients
			? PEOPLE.find(([to]) => to.replaceAll(' ', '') === number)![1]
			: ['Europe/Paris'];
	for (const [index, { number, date }] of asked().entries()) {
		const open = firstOpen(hours, left[index], zonesOf(number));
		if (open === left[index]) expect(date, number).toBeUndefined();
		else expect([hours.otherwise, date], number).toEqual(['schedule', open]);
	}
	const dates = sim.messages.map(({ date }) => date ?? null);
	const accepted = outcomes.filter(({ snapshotId }) => Boolean(snapshotId));
	if (!result.error) {
		expect(
			accepted.map(({ scheduledFor }) =>
				scheduledFor ? Date.parse(scheduledFor as string) : null,
			),
		).toEqual(dates);
		for (const { status, scheduledFor } of accepted) {
			expect(status).toBe(scheduledFor ? 'scheduled' : 'sent');
		}
		expect(outcomes).toHaveLength(numbers.length);
	}
}

test.each(BEGINNINGS)('from %s on, while hours pass', async (beginning) => {
	const moveOn = setClock(beginning);
	await playHistories({
		count: 6,
		drawn: dice(),
		play: async (drawn) => {
			sim.reset();
			moveOn(Date.parse(beginning) - Date.now());
			await play(drawn, moveOn);
		},
	});
});

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

/** A message that the service shows, held against the time of a try (interface document 2.7; RFC 9110, 6.6.1). */
import { describe, expect, test } from 'vitest';
import { clockOf, compare } from '../../../nodes/Sms/lookUp.ts';

const TRY = Date.UTC(2031, 4, 5, 10, 0, 0, 400);
const SECOND = 1_000;
const HOUR = 3_600_000;
const dateOf = (time: number) => new Date(time).toUTCString();

describe('compare', () => {
	type Row = [what: string, sent: number, ahead: number | undefined, found: string];
	// The `Date` of an answer says how the clock of the service stands to ours, to the second.
	test.each<Row>([
		['later', TRY + 5 * SECOND, 0, 'since'],
		['at the same moment', TRY, 0, 'since'],
		['an hour earlier', TRY - HOUR, 0, 'before'],
		['ten seconds earlier', TRY - 10 * SECOND, 0, 'before'],
		['later, without milliseconds', TRY - 400, 0, 'since'],
		['in the second before, without milliseconds', TRY - 1_400, 0, 'unclear'],
		['later, by a service that tells no time', TRY + 5 * SECOND, undefined, 'since'],
		['an hour earlier, by a service that tells no time', TRY - HOUR, undefined, 'before'],
		['later, by a clock an hour ahead', TRY + HOUR + 5 * SECOND, HOUR, 'since'],
		['ten minutes earlier, by a clock an hour ahead', TRY + (HOUR * 5) / 6, HOUR, 'before'],
		['later, by a clock an hour behind', TRY - HOUR + 5 * SECOND, -HOUR, 'since'],
		['ten minutes earlier, by a clock an hour behind', TRY - (HOUR * 7) / 6, -HOUR, 'before'],
		['just earlier, by a clock an hour ahead', TRY + HOUR - 1_100, HOUR, 'unclear'],
	])('%s', (_, sent, ahead, found) => {
		const asked = TRY + 60 * SECOND;
		const date = ahead === undefined ? undefined : dateOf(asked + ahead);
		expect(compare(sent, TRY, clockOf(date, asked, asked + 50))).toBe(found);
	});

	// One that was sent since is never taken for an earlier one, which would be sent again.
	test('a message that was sent since the try is never before it', () => {
		for (const ahead of [-HOUR, -1_500, -700, 0, 300, 999, 1_001, 20_000, HOUR]) {
			for (let after = 0; after < 3 * SECOND; after += 37) {
				for (const isRounded of [true, false]) {
					for (const took of [0, 40, 2_500]) {
						const asked = TRY + 60 * SECOND + after;
						const clock = clockOf(
							dateOf(asked + took / 2 + ahead),
							asked,
							asked + took,
						);
						const sent = TRY + after + ahead;
						const told = isRounded ? Math.floor(sent / SECOND) * SECOND : sent;
						expect(compare(told, TRY, clock)).not.toBe('before');
					}
				}
			}
		}
	});
});

describe('clockOf', () => {
	const asked = Date.UTC(2031, 4, 5, 10, 0, 0);
	test.each<[what: string, date: unknown, ahead: object | undefined]>([
		['the same second', dateOf(asked), { least: -200, most: 1_000 }],
		['a minute ahead', dateOf(asked + 60_000), { least: 59_800, most: 61_000 }],
		['a minute behind', dateOf(asked - 60_000), { least: -60_200, most: -59_000 }],
		['no Date', undefined, undefined],
		['no date', 'yesterday', undefined],
		['several', [dateOf(asked)], undefined],
	])('%s', (_, date, ahead) => {
		expect(clockOf(date, asked, asked + 200)).toEqual(ahead);
	});
});

/** How many requests a run has in flight where the user doesn't say it: the rule. Services that it meets are in engine/delivery/pace.test.mts. */
import { expect, test } from 'vitest';
import { FIRST, nextWindow, type Sign } from '../../../nodes/shared/run/limiter.ts';

/** Answers that came one after the other. */
interface Answers {
	sign: Sign;
	times?: number;
	/** Seconds at which they came; their requests had begun a moment before. */
	at?: number;
	/** Requests in flight. */
	used?: number;
	/** Seconds at which the requests began. */
	began?: number;
}

const sizeAfter = (...all: Answers[]) =>
	all.reduce((window, { sign, times = 1, at = 0, used = 100, began = at - 0.001 }) => {
		const heard = { sign, began: began * 1_000, ended: at * 1_000, inFlight: used };
		for (let answer = 0; answer < times; answer++) window = nextWindow(window, heard);
		return window;
	}, FIRST).size;

const quick = (times: number, more: Partial<Answers> = {}) =>
	({ sign: 'quick', times, ...more }) as const;
const slow = (times: number, used: number) => ({ sign: 'slow', times, used }) as const;
const tooManyAt = (at: number, more: Partial<Answers> = {}) =>
	({ sign: 'tooMany', at, ...more }) as const;
const brokenAt = (at: number) => ({ sign: 'broken', at }) as const;

test.each<[size: number, what: string, answers: Answers[]]>([
	[10, 'is what a run begins with', []],
	[10, 'stays until as many answers were quick', [quick(9)]],
	[30, 'is three times as much, after them', [quick(10)]],
	[90, 'is three times as much again, after as many more', [quick(40)]],
	[100, 'is the most', [quick(1_000)]],
	[10, 'stays where answers are refused', [{ sign: 'none', times: 1_000 }]],
	[10, 'stays where answers are slow', [{ sign: 'slow', times: 1_000 }]],
	[25, 'is what the run uses of 90, too, where answers got slow', [quick(40), slow(90, 25)]],
	[25, 'is what the run uses of 90', [quick(40), quick(90, { used: 25 })]],
	[26, 'is one more, where that is used', [quick(40), quick(115, { used: 25 })]],
	[26, 'stays where 25 of it are used', [quick(40), quick(391, { used: 25 })]],
	[10, 'is left to a run that uses less', [quick(1_000, { used: 3 })]],
	[30, 'is reached by a run that began with less', [quick(50, { used: 1 }), quick(10)]],
	[5, 'is half of it, after 429', [tooManyAt(1)]],
	[30, 'is where 90 came from, after 429', [quick(40), tooManyAt(1)]],
	[90, 'is where 100 came from, after 429', [quick(1_000), tooManyAt(1)]],
	[
		30,
		'is not changed by 429 to requests that began before',
		[quick(40), tooManyAt(1), tooManyAt(2, { began: 0.5, times: 40 })],
	],
	[15, 'is half of 30, after 429 to later ones', [quick(40), tooManyAt(1), tooManyAt(2)]],
	[1, 'is the least, after 429', [1, 2, 3, 4, 5, 6].map((at) => tooManyAt(at))],
	[5, 'is held for 4 seconds', [tooManyAt(1), quick(100, { at: 4.9 })]],
	[6, 'is one more then, for as many quick answers', [tooManyAt(1), quick(5, { at: 5 })]],
	[
		5,
		'is held for 8 seconds by further trouble',
		[tooManyAt(1), quick(5, { at: 5 }), tooManyAt(6), quick(100, { at: 13.9 })],
	],
	[
		2,
		'is one more after 16 seconds at most',
		[...[1, 2, 3, 4, 5].map((at) => tooManyAt(at)), quick(1, { at: 21 })],
	],
	[10, 'stays where a connection broke off', [brokenAt(1), brokenAt(2)]],
	[30, 'is where 90 came from, after a broken connection', [quick(40), brokenAt(1)]],
	[10, 'is the least, after broken connections', [quick(40), ...[1, 2, 3, 4].map(brokenAt)]],
	[5, 'is not raised by a broken connection', [tooManyAt(1), brokenAt(2)]],
])('%i %s', (size, _, answers) => {
	expect(sizeAfter(...answers)).toBe(size);
});

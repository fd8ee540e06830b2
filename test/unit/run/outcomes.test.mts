/** When a run stops (design, guarantee 3 and "sendBatch"). */
import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../nodes/shared/http/failure.ts';
import { judgeAnswer, judgeError } from '../../../nodes/shared/http/judge.ts';
import { HELD_BACK } from '../../../nodes/shared/run/outcome.ts';
import { answers } from '../../../nodes/shared/run/answers.ts';
import { outcomes } from '../../../nodes/shared/run/outcomes.ts';
import { upTo } from '../../../nodes/shared/run/spending.ts';
import { readSendReceipt } from '../../../nodes/shared/service/messages.ts';
function answer(statusCode: number, body: unknown = '', headers = {}): Failure {
	const judged = judgeAnswer({ statusCode, headers, body }, readSendReceipt);
	if ('value' in judged) throw new Error('A failure was expected');
	return judged;
}
const broken = (code: string, syscall?: string) =>
	judgeError(Object.assign(new Error('x'), { code, syscall }));

const DONE = { status: 'done' };
const SKIPPED = { status: 'skipped', reason: 'x' };
const REFUSED = answer(400, { code: 12, error: 'STOP' });
const NO_KEY = answer(401);
const NO_CREDIT = answer(402, { code: 71, error: 'Credits' });
const FIREWALL = answer(403, '<html>');
const DOWN = broken('ECONNREFUSED', 'connect');
const LOST = broken('ECONNRESET', 'read');
const WRONG_PATH = answer(404, '<html>');

describe('the first failure stops the run', () => {
	const judge = answers.judge(false);
	const stopsAt = (outcome: { status: string }) => judge.stopsAt(outcome);

	test.each([REFUSED, NO_KEY, DOWN, LOST, FIREWALL])('$message', (failure) => {
		expect(stopsAt(failure)).toBe(true);
	});

	test('what is no failure does not', () => {
		expect([DONE, SKIPPED].map(stopsAt)).toEqual([false, false]);
	});

	test('unless the user continues on fail', () => {
		const goesOn = answers.judge(true);
		for (const failure of [REFUSED, NO_KEY, DOWN, LOST]) {
			expect(goesOn.stopsAt(failure)).toBe(false);
		}
	});
});

describe('a batch stops for what concerns all of its items', () => {
	/** @returns after how many of these outcomes it stops; undefined if it doesn't */
	function stopsAfter(list: Array<{ status: string }>): number | undefined {
		const judge = outcomes.judge(false);
		const at = list.findIndex((outcome) => judge.stopsAt(outcome));
		expect(judge.stoppedBy).toBe(at < 0 ? undefined : list[at]);
		return at < 0 ? undefined : at + 1;
	}
	const times = (count: number, outcome: { status: string }) =>
		Array<{ status: string }>(count).fill(outcome);

	test.each([NO_KEY, NO_CREDIT])('at once: $message', (failure) => {
		expect(stopsAfter([DONE, DONE, failure])).toBe(3);
	});

	test('never for what an earlier try left, or what was held back', () => {
		for (const failure of [{ ...LOST, isEarlier: true }, HELD_BACK]) {
			expect(stopsAfter(times(1_000, failure))).toBeUndefined();
		}
	});

	test('never for what is refused one by one', () => {
		expect(stopsAfter(times(1_000, REFUSED))).toBeUndefined();
		expect(stopsAfter(times(1_000, SKIPPED))).toBeUndefined();
	});

	test("not for a firewall's page about one message", () => {
		expect(stopsAfter([FIREWALL, ...times(50, DONE)])).toBeUndefined();
	});

	test.each([DOWN, FIREWALL, WRONG_PATH])(
		'after a few in a row, when nothing shows that the service works: $message',
		(failure) => {
			const after = stopsAfter(times(100, failure))!;
			expect(after).toBeGreaterThan(1);
			expect(after).toBeLessThanOrEqual(10);
			for (const works of [DONE, REFUSED]) {
				const part = [...times(after - 1, failure), works];
				const interrupted = Array.from({ length: 20 }, () => part).flat();
				expect(stopsAfter(interrupted)).toBeUndefined();
			}
		},
	);

	test('after more of them, when it is unknown what happened', () => {
		const after = stopsAfter(times(100, LOST))!;
		expect(after).toBeGreaterThan(stopsAfter(times(100, DOWN))!);
		expect(after).toBeLessThanOrEqual(20);
		expect(stopsAfter([...times(after - 1, LOST), DONE, LOST])).toBeUndefined();
	});

	test('whether or not the user continues on fail: outcomes are results', () => {
		expect(outcomes.judge(true).stopsAt(NO_KEY)).toBe(true);
	});

	test('what stopped it is the first such failure', () => {
		const judge = outcomes.judge(false);
		judge.stopsAt(NO_KEY);
		judge.stopsAt(NO_CREDIT);
		expect(judge.stoppedBy).toBe(NO_KEY);
	});

	test('two runs are judged by themselves', () => {
		outcomes.judge(false).stopsAt(NO_KEY);
		expect(outcomes.judge(false).stoppedBy).toBeUndefined();
	});
});

describe('so many credits', () => {
	const used = (creditsUsed?: number) => ({
		status: 'done',
		value: { snapshotId: '7', creditsUsed },
	});
	const never = { stopsAt: () => false, stoppedBy: undefined };

	test('stop the run when they are used, and not before', () => {
		const judge = upTo(3, 0, never);
		expect([used(1.5), used(1), REFUSED].map((each) => judge.stopsAt(each))).toEqual(
			Array(3).fill(false),
		);
		expect(judge.stoppedBy).toBeUndefined();
		expect(judge.stopsAt(used(0.5))).toBe(true);
		expect(judge.stoppedBy).toMatchObject({
			status: 'notSent',
			message: "'Max Credits' is reached: 3",
		});
	});

	test('count what earlier tries have used: at once, where that is all', () => {
		expect(upTo(3, 2.5, never).stopsAt(used(0.5))).toBe(true);
		expect(upTo(3, 2, never).stopsAt(used(0.5))).toBe(false);
		expect(upTo(3, 3, never).stopsAt({ status: 'begun' })).toBe(true);
		expect(upTo(Infinity, 1e9, never).stopsAt(used(1e9))).toBe(false);
	});

	test('count one for a message that names none, or whose answer this try has lost', () => {
		const lost = { status: 'unknown', attemptedAt: 0 };
		for (const one of [used(), lost]) expect(upTo(1, 0, never).stopsAt(one)).toBe(true);
		// What has sent nothing, and what an earlier try has lost, which counts as used before.
		for (const none of [{ status: 'done', value: { credits: 5 } }, { status: 'unknown' }]) {
			expect(upTo(1, 0, never).stopsAt(none)).toBe(false);
		}
	});

	test('stop beside what the policy stops for, which is told first', () => {
		const judge = upTo(1, 0, outcomes.judge(false));
		expect(judge.stopsAt(NO_KEY)).toBe(true);
		expect(judge.stopsAt(used(1))).toBe(true);
		expect(judge.stoppedBy).toBe(NO_KEY);
	});
});

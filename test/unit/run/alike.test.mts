/** Of items that are alike, one goes (docs/delivery.md, "Skip Duplicates" and "Once Key"). */
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../nodes/shared/fields/item.ts';
import type { Stage } from '../../../nodes/shared/run/admission.ts';
import { alike } from '../../../nodes/shared/run/alike.ts';
import type { Open, Prepared } from '../../../nodes/shared/run/entries.ts';
import type { Fate } from '../../../nodes/shared/run/outcome.ts';
import type { Requests } from '../../../nodes/shared/run/Requests.ts';

/** Lets what is ready happen. */
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

/** An item with these likenesses: `message a`, `key 7`. */
function candidate(index: number, ...values: string[]): Open<Prepared> {
	const likenesses = values.map((value) => ({ what: value.split(' ')[0], value }));
	const prepared = { alike: likenesses };
	return { index, item: {} as Item, identity: {}, prepared, alike: values };
}

const messages = (count: number) =>
	Array.from({ length: count }, (_, index) => candidate(index, 'message a'));

/** Leads the items to the stage in order; says what it answered so far. */
function lead(
	candidates: Array<Open<Prepared>>,
	madeBefore = new Map<string, number>(),
	stage: Stage = alike(),
) {
	const answers = candidates.map(() => 'waits');
	const settle: Array<(fate: Fate) => void> = [];
	// It makes no requests.
	void stage.begin?.(candidates, { requests: {} as Requests, madeBefore });
	candidates.forEach((one, position) => {
		void Promise.resolve(stage.admit(one, () => false)).then((admission) => {
			answers[position] = 'goes';
			if (admission === undefined) return;
			if ('outcome' in admission) {
				const { outcome } = admission;
				answers[position] = 'reason' in outcome ? outcome.reason : outcome.status;
			} else {
				settle[position] = (fate) => admission.ticket.settle(fate);
			}
		});
	});
	return {
		answers: async () => {
			await settled();
			return answers;
		},
		settle,
	};
}

const SAME = 'Same message as item';

test('what is not alike goes, and what has no likeness is never alike', async () => {
	const items = [
		candidate(0, 'message a'),
		candidate(1, 'message b'),
		candidate(2),
		candidate(3),
	];
	expect(await lead(items).answers()).toEqual(Array(4).fill('goes'));
});

test('the others wait for the first, and are left out when it went', async () => {
	const { answers, settle } = lead(messages(3));
	expect(await answers()).toEqual(['goes', 'waits', 'waits']);
	settle[0]('accepted');
	expect(await answers()).toEqual(['goes', `${SAME} 0`, `${SAME} 0`]);
});

test('or may have gone', async () => {
	const { answers, settle } = lead(messages(3));
	await settled();
	settle[0]('unknown');
	expect(await answers()).toEqual(['goes', `${SAME} 0`, `${SAME} 0`]);
});

test('when it certainly did not go, the next one does, alone', async () => {
	const { answers, settle } = lead(messages(3));
	await settled();
	settle[0]('notCarriedOut');
	expect(await answers()).toEqual(['goes', 'goes', 'waits']);
	settle[1]('accepted');
	expect((await answers())[2]).toBe(`${SAME} 1`);
});

describe('of items with two likenesses', () => {
	const first = candidate(0, 'key 1', 'message a');
	const second = candidate(1, 'key 2', 'message b');

	test('each is waited for, and the one that went is named', async () => {
		const third = candidate(2, 'key 1', 'message b');
		const { answers, settle } = lead([first, second, third]);
		expect(await answers()).toEqual(['goes', 'goes', 'waits']);
		settle[0]('notCarriedOut');
		expect((await answers())[2]).toBe('waits');
		settle[1]('accepted');
		expect((await answers())[2]).toBe(`${SAME} 1`);
	});

	test('one that is left out for the one of them holds nobody back by the other', async () => {
		const skipped = candidate(1, 'key 1', 'message b');
		const own = candidate(2, 'key 3', 'message b');
		const { answers, settle } = lead([first, skipped, own]);
		expect(await answers()).toEqual(['goes', 'waits', 'waits']);
		settle[0]('accepted');
		expect(await answers()).toEqual(['goes', 'Same key as item 0', 'goes']);
	});

	test('and hands on by the first what it heard itself', async () => {
		const skipped = candidate(1, 'key 1', 'message b');
		const last = candidate(2, 'key 1', 'message c');
		const { answers, settle } = lead([first, skipped, last]);
		await settled();
		settle[0]('unknown');
		expect((await answers()).slice(1)).toEqual(Array(2).fill('Same key as item 0'));
	});
});

describe('at a retry', () => {
	test('what an earlier try has sent goes before all that are like it', async () => {
		// Item 1 has a receipt: it passes no stage, or passes them to be sent again.
		const { answers, settle } = lead(messages(3), new Map([['message a', 1]]));
		expect(await answers()).toEqual([`${SAME} 1 in an earlier try`, 'goes', 'waits']);
		settle[1]('unknown');
		expect((await answers())[2]).toBe(`${SAME} 1`);
	});

	test('also where that item is another one now', async () => {
		const { answers } = lead(messages(3), new Map([['message a', 7]]));
		expect(await answers()).toEqual(Array(3).fill(`${SAME} 7 in an earlier try`));
	});
});

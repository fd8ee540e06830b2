/** Of items that are alike, one goes (README, "Skip Duplicates"). */
import { describe, expect, test } from 'vitest';
import { duplicates } from '../../../nodes/shared/run/duplicates.ts';
import type { Candidate, Stage } from '../../../nodes/shared/run/policy.ts';
import type { Requests } from '../../../nodes/shared/run/Requests.ts';

/** Lets what is ready happen. */
const settled = async () => await new Promise((resolve) => setImmediate(resolve));

function candidate(index: number, duplicate?: string): Candidate {
	return { index, prepared: {}, duplicate };
}

/** Leads the items to the stage in order; says what it answered so far. */
function lead(stage: Stage, candidates: Candidate[], madeBefore = new Map<string, number>()) {
	const answers = candidates.map(() => 'waits');
	const settle: Array<(fate: 'accepted' | 'notCarriedOut' | 'unknown') => void> = [];
	// It makes no requests.
	void stage.begin?.(candidates, {
		requests: {} as Requests,
		madeBefore,
		isAnswered: () => false,
	});
	candidates.forEach((one, position) => {
		void Promise.resolve(stage.admit(one, () => false)).then((admission) => {
			answers[position] = 'goes';
			if (admission === undefined) return;
			if ('outcome' in admission) {
				const { outcome } = admission;
				answers[position] = 'reason' in outcome ? outcome.reason : outcome.status;
			} else if ('ticket' in admission) {
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

const SAME = 'Same recipient and text as item';

test('what is not alike goes, and what has no key is never alike', async () => {
	const items = [candidate(0, 'a'), candidate(1, 'b'), candidate(2), candidate(3)];
	expect(await lead(duplicates(), items).answers()).toEqual(Array(4).fill('goes'));
});

test('the others wait for the first, and are left out when it went', async () => {
	const { answers, settle } = lead(
		duplicates(),
		[0, 1, 2].map((index) => candidate(index, 'a')),
	);
	expect(await answers()).toEqual(['goes', 'waits', 'waits']);
	settle[0]('accepted');
	expect(await answers()).toEqual(['goes', `${SAME} 0`, `${SAME} 0`]);
});

test('or may have gone', async () => {
	const { answers, settle } = lead(
		duplicates(),
		[0, 1, 2].map((index) => candidate(index, 'a')),
	);
	await settled();
	settle[0]('unknown');
	expect(await answers()).toEqual(['goes', `${SAME} 0`, `${SAME} 0`]);
});

test('when it certainly did not go, the next one does, alone', async () => {
	const { answers, settle } = lead(
		duplicates(),
		[0, 1, 2].map((index) => candidate(index, 'a')),
	);
	await settled();
	settle[0]('notCarriedOut');
	expect(await answers()).toEqual(['goes', 'goes', 'waits']);
	settle[1]('accepted');
	expect((await answers())[2]).toMatch(SAME);
});

describe('at a retry', () => {
	const items = [0, 1, 2].map((index) => candidate(index, 'a'));

	test('what an earlier try has sent goes before all that are like it', async () => {
		// Item 1 has a receipt: it passes no stage, or passes them to be sent again.
		const { answers } = lead(duplicates(), items, new Map([['a', 1]]));
		expect(await answers()).toEqual([
			`${SAME} 1 in an earlier try`,
			'goes',
			`${SAME} 1 in an earlier try`,
		]);
	});

	test('also where that item is another one now', async () => {
		const { answers } = lead(duplicates(), items, new Map([['a', 7]]));
		expect(await answers()).toEqual(Array(3).fill(`${SAME} 7 in an earlier try`));
	});
});

test('a resource can name what is alike by its own words', async () => {
	const [first, second] = [candidate(0, 'a'), candidate(1, 'a')];
	second.prepared.duplicateOf = 'number and list';
	const { answers, settle } = lead(duplicates(), [first, second]);
	await settled();
	settle[0]('accepted');
	expect((await answers())[1]).toBe('Same number and list as item 0');
});

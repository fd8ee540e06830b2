/** When a message that is watched is looked at again: docs/trigger.md. */
import { expect, test } from 'vitest';
import type { Sight } from '../../../nodes/SmsTrigger/cursor/mark.ts';
import { planWatch, type WatchState } from '../../../nodes/SmsTrigger/cursor/watch.ts';

/** After how many polls a message is looked at again, where moving ones take all places of each poll. */
async function pausesOf(sight: Sight, count: number): Promise<number[]> {
	const targets = ['it', 'second', 'third'].map((id) => ({ id }));
	let known: WatchState | undefined;
	const pauses: number[] = [];
	for (let pause = 0; pauses.length <= count; pause++) {
		const { looks, settle } = await planWatch(known, targets, 2, false);
		expect(looks).toHaveLength(2);
		const looked = looks.map(({ target }) => target.id);
		known = settle(
			looked.map((id) => (id === 'it' ? sight : { id, state: 'sent', since: Date.now() })),
		);
		if (!looked.includes('it')) continue;
		pauses.push(pause);
		pause = 0;
	}
	return pauses.slice(1);
}

const seen = (state: string, hoursAgo = 0): Sight => {
	return { id: '1', state, since: Date.now() - hoursAgo * 3_600_000 };
};

// A place is found in the poll after the one in which it is due.
test.each<[string, Sight, number[]]>([
	['bounced', seen('bounced'), [3, 5, 9, 17, 33, 65, 65]],
	['error', seen('error'), [3, 5, 9]],
	['unsubscribed', seen('unsubscribed'), [3, 5, 9]],
	// Opened, reply and unsubscribed follow it.
	['delivered', seen('delivered'), [3, 5, 5, 5]],
	['opened', seen('opened'), [3, 5, 5, 5]],
	['delivered for days', seen('delivered', 5 * 24), [3, 5, 9, 17]],
	['submitted for days', seen('submitted', 5 * 24), [3, 5, 9, 17]],
	['no message', 'none', [3, 5, 9, 9, 9]],
])('where places are short, %s', async (_, sight, expected) => {
	expect(await pausesOf(sight, expected.length)).toEqual(expected);
});

test('what moves on by itself shares the places', async () => {
	const pauses = await pausesOf(seen('submitted'), 20);
	for (const pause of pauses) expect(pause).toBeLessThanOrEqual(2);
});

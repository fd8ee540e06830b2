/** Polls that overlap in one process, as with rules that meet in one minute or a service that is slow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dice, HISTORIES, playHistories } from '../../harness/histories.mts';
import type { Dice } from '../../harness/random.mts';
import { World } from './fake-service.mts';
import { Host, KEEPINGS, type Keeping } from './harness.mts';

async function play(drawn: Dice, keeping: Keeping): Promise<void> {
	const world = new World();
	const host = new Host({
		keeping,
		parameters: { events: ['reply'], categories: 'a, b' },
		answer: async (url, qs) => {
			// The state of the service when it is asked, whenever that arrives.
			const answer = structuredClone(world.answer(url, qs));
			await sleep(drawn.to(4));
			return answer;
		},
	});
	await host.begin();
	const replies: string[] = [];
	let underway: Array<Promise<unknown>> = [];
	for (let step = 0; step < 25; step++) {
		if (drawn.chance(30)) replies.push(world.reply('x', drawn.one(['a', 'b'])).id);
		else if (drawn.chance(64)) underway.push(drawn.chance(45) ? host.pollNow() : host.poll());
		else underway = [void (await Promise.all(underway)), sleep(1)] as typeof underway;
	}
	await Promise.all(underway);
	await host.drain(2);
	expect(host.items.map(({ id }) => id).sort()).toEqual(replies.sort());
	expect(host.errors).toEqual([]);
}

test.each(KEEPINGS)('each event once, %s', { timeout: 300_000 }, async (_, keeping) => {
	await playHistories({
		count: HISTORIES / 10,
		drawn: dice(),
		play: async (drawn) => await play(drawn, keeping),
	});
});

/** Polls that overlap in one process, as with rules that meet in one minute or a service that is slow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { chance, HISTORIES, SEED } from '../../harness/random.mts';
import { World } from './fake-service.mts';
import { Host, KEEPINGS } from './harness.mts';

const RUNS = HISTORIES / 10;

test.each(KEEPINGS)('each event once, %s', { timeout: 300_000 }, async (_, keeping) => {
	console.log(`${RUNS} histories of overlapping polls, state kept ${keeping}, seed ${SEED}`);
	const random = chance(SEED);
	for (let run = 0; run < RUNS; run++) {
		const world = new World();
		const host = new Host({
			keeping,
			parameters: { events: ['reply'], categories: 'a, b' },
			answer: async (url, qs) => {
				// What the service has when it is asked, whenever that arrives.
				const answer = structuredClone(world.answer(url, qs));
				await sleep(random() * 3);
				return answer;
			},
		});
		await host.begin();
		const replies: string[] = [];
		let underway: Array<Promise<unknown>> = [];
		for (let step = 0; step < 25; step++) {
			const drawn = random();
			if (drawn < 0.3) replies.push(world.reply('x', drawn < 0.15 ? 'a' : 'b').id);
			else if (drawn < 0.75) underway.push(drawn < 0.5 ? host.pollNow() : host.poll());
			else underway = [void (await Promise.all(underway)), sleep(1)] as typeof underway;
		}
		await Promise.all(underway);
		await host.drain(2);
		expect(host.items.map(({ id }) => id).sort()).toEqual(replies.sort());
		expect(host.errors).toEqual([]);
	}
});

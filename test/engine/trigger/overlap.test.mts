/**
 * Polls that overlap in one process, as with rules that meet in one minute or a service that is slow:
 * each event exactly once, whoever is faster.
 */
import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { Host, KEEPINGS } from './harness.mts';
import { World } from './world.mts';

type Step =
	| { do: 'reply'; category: string }
	| { do: 'poll'; delays: number[]; isAtOnce: boolean }
	| { do: 'wait' };

const category = fc.constantFrom('a', 'b');
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 3, arbitrary: category.map((name): Step => ({ do: 'reply', category: name })) },
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant('poll' as const),
			/** How late each answer is, in milliseconds. */
			delays: fc.array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 2 }),
			isAtOnce: fc.boolean(),
		}),
	},
	{ weight: 2, arbitrary: fc.constant<Step>({ do: 'wait' }) },
);

const RUNS = HISTORIES / 10;

test.each(KEEPINGS)('each event exactly once, %s', { timeout: 300_000 }, async (_, keeping) => {
	console.log(`${RUNS} histories of overlapping polls, state kept ${keeping}, seed ${SEED}`);
	await fc.assert(
		fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
			const world = new World();
			let delays: number[] = [];
			const host = new Host({
				keeping,
				parameters: { events: ['reply'], categories: 'a, b' },
				answer: async (url, qs) => {
					// What the service has when it is asked, whenever that arrives.
					const answer = structuredClone(world.answer(url, qs));
					const delay = delays.shift() ?? 0;
					if (delay > 0) await sleep(delay);
					return answer;
				},
			});
			await host.activate();
			await host.poll();
			const replies: string[] = [];
			let underway: Array<Promise<unknown>> = [];
			const settle = async () => {
				await Promise.all(underway);
				underway = [];
				delays = [];
			};
			for (const one of steps) {
				if (one.do === 'reply') replies.push(world.reply('x', one.category).id);
				else if (one.do === 'wait') await settle();
				else if (one.do === 'poll') {
					delays.push(...one.delays);
					underway.push(one.isAtOnce ? host.pollNow() : host.poll());
				}
			}
			await settle();
			await host.drain(2);
			expect(host.items.map(({ id }) => id).sort()).toEqual(replies.sort());
			expect(host.errors).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

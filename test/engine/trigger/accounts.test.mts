/**
 * Keys that are renewed and credentials that are pointed at another account at the same address, in any
 * order, against the rule of docs/trigger.md: the same account as long as the service still has more than
 * half of what it had; else everything starts anew, in silence.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { Host, KEEPINGS } from './harness.mts';
import { World } from './world.mts';

type Step =
	| { do: 'reply'; account: number }
	| { do: 'forget'; account: number; count: number }
	| { do: 'key'; account: number; key: number }
	| { do: 'poll' }
	| { do: 'fail' }
	| { do: 'restart' };

const account = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 4, arbitrary: account.map((one): Step => ({ do: 'reply', account: one })) },
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant('forget' as const),
			account,
			count: fc.integer({ min: 1, max: 4 }),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({ do: fc.constant('key' as const), account, key: account }),
	},
	{ weight: 5, arbitrary: fc.constant<Step>({ do: 'poll' }) },
	{ weight: 1, arbitrary: fc.constant<Step>({ do: 'fail' }) },
	{ weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
);

const RUNS = HISTORIES / 10;

test.each(KEEPINGS)(
	'a new key changes nothing, another account begins anew, %s',
	async (_, keeping) => {
		console.log(`${RUNS} histories of keys, state kept ${keeping}, seed ${SEED}`);
		await fc.assert(
			fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
				const worlds = [new World('first'), new World('second')];
				let key = { account: 0, key: 0 };
				let isFailing = false;
				const nameOf = (one: typeof key) => `key-${one.key}-of-account-${one.account}`;
				const host = new Host({
					keeping,
					parameters: { events: ['reply'], categories: 'a' },
					answer: (url, qs) =>
						isFailing
							? { statusCode: 503, body: '' }
							: worlds[key.account].answer(url, qs),
				});
				host.credential.apiKey = nameOf(key);
				const idsOf = (at: number) =>
					(worlds[at].replies.get('a') ?? []).map(({ id }) => id);

				/** What the trigger remembers, and what n8n has saved of it. */
				let memory = {
					key: nameOf(key),
					known: new Set<string>(),
					gone: new Set<string>(),
				};
				let saved = structuredClone(memory);

				const judge = (items: Array<Record<string, unknown>>) => {
					const present = idsOf(key.account);
					const isSeen = (id: string) => memory.known.has(id) || memory.gone.has(id);
					const overlap = present.filter(isSeen).length;
					const isSame =
						memory.key === nameOf(key) ||
						(overlap > 0 && overlap * 2 > memory.known.size);
					const expected = isSame ? present.filter((id) => !isSeen(id)) : [];
					expect(items.map(({ id }) => id)).toEqual(expected);
					// No day passes here: what was seen stays remembered.
					const gone = isSame
						? [...memory.known, ...memory.gone].filter((id) => !present.includes(id))
						: [];
					memory = { key: nameOf(key), known: new Set(present), gone: new Set(gone) };
					if (keeping === 'durable' || items.length > 0) saved = structuredClone(memory);
				};

				judge(await host.activate());
				saved = structuredClone(memory);
				judge(await host.poll());
				for (const one of steps) {
					if (one.do === 'reply') {
						worlds[one.account].reply('x');
					} else if (one.do === 'forget') {
						const { replies } = worlds[one.account];
						replies.set('a', (replies.get('a') ?? []).slice(one.count));
					} else if (one.do === 'key') {
						key = { account: one.account, key: one.key };
						host.credential.apiKey = nameOf(key);
					} else if (one.do === 'restart') {
						memory = structuredClone(saved);
						const items = await host.restart();
						if (keeping === 'usual') {
							judge(items);
							saved = structuredClone(memory);
						}
					} else {
						isFailing = one.do === 'fail';
						const items = await host.poll();
						if (isFailing) expect(items).toEqual([]);
						else judge(items);
						isFailing = false;
					}
				}
			}),
			{ numRuns: RUNS },
		);
	},
);

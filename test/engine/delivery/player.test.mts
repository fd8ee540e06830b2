/**
 * A person who does what the texts say, to the letter, and nothing else: whatever went wrong, nobody gets a message
 * twice, no change is made twice, and nobody is left out while the texts say that all is done (design, guarantees 3 to
 * 6, 10 and 12). Judged by the state of the service after every step.
 */
import { expect, test } from 'vitest';
import { dice, HISTORIES, playHistories } from '../../harness/histories.mts';
import type { Dice } from '../../harness/random.mts';
import { deduplicationStore } from '../harness.mts';
import { playAgent } from './player-agent.mts';
import { change, DEED_NAMES, messages } from './player-stories.mts';
import { beSlow, Person, Weather, type Story, type Tally } from './player.mts';
import { sim } from './service.mts';

/** Percent of the requests that go wrong. */
const FAULTY = [0, 15, 30];

/** Plays histories, each in a service and a store that are empty. */
async function playAll(
	count: number,
	play: (drawn: Dice) => Promise<void>,
	place?: number,
): Promise<void> {
	await playHistories({
		count,
		drawn: dice(place),
		isShortened: false,
		play: async (drawn) => {
			sim.reset();
			deduplicationStore.clear();
			beSlow(drawn.chance(20));
			await play(drawn);
		},
	});
}

/** A person with a story. */
const told =
	(tell: (drawn: Dice) => Story, tally: Tally) =>
	async (drawn: Dice): Promise<void> => {
		const story = tell(drawn);
		const weather = new Weather(drawn, drawn.one(FAULTY));
		await new Person(story, drawn, weather, tally).play();
	};

const tally: Tally = new Map();

const MESSAGES = Math.ceil(HISTORIES * 0.6);
test(`${MESSAGES} histories of messages`, async () => {
	await playAll(MESSAGES, told(messages, tally));
}, 14_400_000);

const CHANGES = Math.ceil((HISTORIES * 0.3) / DEED_NAMES.length);
test.each(DEED_NAMES)(
	`${CHANGES} histories of %s`,
	async (name) => {
		await playAll(
			CHANGES,
			told((drawn) => change(name, drawn), tally),
			DEED_NAMES.indexOf(name),
		);
	},
	14_400_000,
);

test('they have taken each way out', () => {
	console.log(Object.fromEntries(tally));
	for (const way of ['retry', 'repeat', 'again', 'keys', 'rows', 'own', 'ask', 'over'] as const)
		expect(tally.get(way), way).toBeGreaterThan(0);
});

const AGENTS = Math.ceil(HISTORIES * 0.1);
test(`${AGENTS} histories of an agent`, async () => {
	await playAll(
		AGENTS,
		async (drawn) => await playAgent(drawn, new Weather(drawn, drawn.one(FAULTY))),
	);
}, 14_400_000);

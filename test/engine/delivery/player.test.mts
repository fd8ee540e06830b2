/**
 * A person who does what the texts say, to the letter, and nothing else: whatever went wrong, nobody gets a message
 * twice, no change is made twice, and nobody is left out while the texts say that all is done (design, guarantees 3 to
 * 6, 10 and 12). Judged by the state of the service after every step.
 */
import { expect, test } from 'vitest';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { Dice } from '../../harness/ways.mts';
import { deduplicationStore } from '../harness.mts';
import { playAgent } from './player-agent.mts';
import { change, DEED_NAMES, messages } from './player-stories.mts';
import { beSlow, Broken, Person, Weather, type Story, type Tally } from './player.mts';
import { sim } from './sending.mts';

/** One of them alone, to look at it. */
const ONLY = process.env.HISTORY;
/** Percent of the requests that go wrong. */
const FAULTY = [0, 15, 30];

type Play = (dice: Dice, index: number, tally: Tally) => Promise<void>;

/** @returns what was broken, empty where nothing was */
async function brokenIn(index: number, play: Play, tally: Tally): Promise<string> {
	sim.reset();
	deduplicationStore.clear();
	const dice = new Dice(`${SEED}/${index}`);
	beSlow(dice.chance(20));
	try {
		await play(dice, index, tally);
		return '';
	} catch (error) {
		if (!(error instanceof Broken)) throw error;
		return `seed ${SEED}, history ${index}: ${error.message}`;
	}
}

async function playAll(count: number, play: Play): Promise<Tally> {
	const tally: Tally = new Map();
	const broken: string[] = [];
	for (let index = 0; index < count; index++) {
		if (ONLY !== undefined && index !== Number(ONLY)) continue;
		const said = await brokenIn(index, play, tally);
		if (said !== '') broken.push(said);
	}
	console.log(`seed ${SEED}, ${broken.length} of ${count} broken:`, Object.fromEntries(tally));
	expect(broken.slice(0, 5).join('\n\n')).toBe('');
	return tally;
}

/** A person with a story. */
const told =
	(tell: (dice: Dice, index: number) => Story): Play =>
	async (dice, index, tally) => {
		const story = tell(dice, index);
		const weather = new Weather(dice, dice.one(FAULTY));
		await new Person(story, dice, weather, tally).play();
	};

const MESSAGES = Math.ceil(HISTORIES * 0.6);
test(`${MESSAGES} histories of messages`, async () => {
	const tally = await playAll(MESSAGES, told(messages));
	for (const way of ['retry', 'repeat', 'again', 'keys', 'rows', 'own', 'ask'] as const)
		expect(tally.get(way), way).toBeGreaterThan(0);
}, 14_400_000);

const CHANGES = Math.ceil(HISTORIES * 0.3);
test(`${CHANGES} histories of other changes`, async () => {
	const tell = (dice: Dice, index: number) => change(DEED_NAMES[index % DEED_NAMES.length], dice);
	const tally = await playAll(CHANGES, told(tell));
	for (const way of ['retry', 'again', 'repeat'] as const)
		expect(tally.get(way), way).toBeGreaterThan(0);
}, 14_400_000);

const AGENTS = Math.ceil(HISTORIES * 0.1);
test(`${AGENTS} histories of an agent`, async () => {
	await playAll(
		AGENTS,
		async (dice) => await playAgent(dice, new Weather(dice, dice.one(FAULTY))),
	);
}, 14_400_000);

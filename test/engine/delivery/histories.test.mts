/**
 * Whatever happens over several executions of one workflow: nobody gets two of the same message, nothing
 * is carried out twice, and what is reported is what happened. Random histories against the simulator
 * through n8n's engine; what must hold is checked after every step (see model.mts, judge.mts and deeds.mts).
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HISTORIES, SEED } from '../../harness/random.mts';
import { deeds, describeDeeds, playDeeds } from './deeds.mts';
import { describeHistory, history } from './history.mts';
import { Violation, type Tally } from './judge.mts';
import { play } from './player.mts';
import { spread } from './support.mts';
import { World } from './world.mts';

/** Histories that are played at the same time, each in a world of its own: waiting costs no time. */
const WORLDS = 4;

/**
 * Here, whoever holds the store for a third of a second is taken to be gone, instead of seconds. On a busy
 * machine a process can stand still for as long: milliseconds from which on it counts.
 */
const STANDSTILL = 30;
const TICK = 10;
/** How often a history is played again that went wrong while the process stood still. */
const MOST_TRIES = 10;

let tickedAt = performance.now();
let stoodStillAt = 0;
function tick(): void {
	const now = performance.now();
	if (now - tickedAt > TICK + STANDSTILL) stoodStillAt = now;
	tickedAt = now;
}

/** What goes wrong without the help of a process that stands still. */
async function undisturbed(playIt: () => Promise<void>): Promise<void> {
	for (let tries = 1; ; tries++) {
		const begun = performance.now();
		try {
			return await playIt();
		} catch (error) {
			tick();
			const isDisturbed = stoodStillAt > begun && error instanceof Violation;
			if (!isDisturbed || tries === MOST_TRIES) throw error;
			console.log(`Played again: ${error.message}`);
		}
	}
}

let worlds: World[];
beforeAll(async () => {
	setInterval(tick, TICK).unref();
	worlds = await Promise.all(Array.from({ length: WORLDS }, () => World.start()));
});
afterAll(async () => await Promise.all(worlds.map((world) => world.close())));

/** @returns the smallest history found that breaks something, for each world; empty when there is none */
async function search<T>(
	count: number,
	drawn: fc.Arbitrary<T>,
	playIn: (world: World, given: T) => Promise<void>,
	describe: (given: T) => string,
): Promise<string> {
	console.log(`seed ${SEED}`);
	const found = await Promise.all(
		worlds.map(async (world, index) => {
			const property = fc.asyncProperty(drawn, async (given) => {
				await undisturbed(async () => {
					try {
						await playIn(world, given);
					} finally {
						await world.quiet();
					}
				});
			});
			const result = await fc.check(property, {
				numRuns: Math.ceil(count / WORLDS),
				seed: spread(SEED, index) | 0,
			});
			if (!result.failed) return '';
			const given = describe(result.counterexample![0]);
			const { errorInstance, numRuns, numShrinks } = result;
			return `${String(errorInstance)}\n\n${given}\n\n(SEED=${SEED}, history ${numRuns}, made smaller ${numShrinks} times)`;
		}),
	);
	return found.filter(Boolean).join('\n\n');
}

test(`${HISTORIES.toLocaleString('en')} histories of messages`, async () => {
	const tally: Tally = { executions: 0, accepted: 0, unknown: 0 };
	const found = await search(
		HISTORIES,
		history,
		async (world, steps) => await play(world, steps, tally),
		describeHistory,
	);
	const { executions, accepted, unknown } = tally;
	console.log(
		`${executions} executions: ${accepted} messages accepted, ${unknown} items reported as unknown`,
	);
	expect(found).toBe('');
	expect(executions).toBeGreaterThan(HISTORIES);
	expect(accepted).toBeGreaterThan(HISTORIES);
	expect(unknown).toBeGreaterThan(HISTORIES / 20);
}, 14_400_000);

const DEEDS = Math.ceil(HISTORIES / 3);

test(`${DEEDS.toLocaleString('en')} histories of lists, contacts, blacklists and campaigns`, async () => {
	expect(await search(DEEDS, deeds, playDeeds, describeDeeds)).toBe('');
}, 14_400_000);

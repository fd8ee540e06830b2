/**
 * The runner of random histories: several executions of something, judged by a model that knows nothing of the code.
 * `SEED` repeats a run, `HISTORIES` makes a longer one, and `HISTORY`, with the seed that a broken history is told with,
 * plays that one alone.
 */
import fc from 'fast-check';
import { Dice, SEED } from './random.mts';

/** Histories of a run; the slow proofs play 600 others. Each test plays its share of them. */
export const HISTORIES = Number(process.env.HISTORIES ?? 300);
const { HISTORY } = process.env;

interface Histories<History, World> {
	count: number;
	/** Draws a history. */
	drawn: fc.Arbitrary<History>;
	/** Plays a history. @throws where it is broken */
	play: (history: History, world: World) => Promise<void>;
	/** Worlds that play side by side, one history at a time each: waiting costs no time. Default: one. */
	worlds?: readonly World[];
	/** Searches for a shorter history that is broken. Off where that takes long. Default: on. */
	isShortened?: boolean;
	/** Writes a broken history as people read it. Default: as fast-check does. */
	tell?: (history: History) => string;
}

/**
 * Histories whose decisions are made while they are played.
 *
 * @param place of the test among those that must not all make the same ones
 */
export function dice(place = 0): fc.Arbitrary<Dice> {
	return fc.noShrink(fc.integer()).map((seed) => new Dice(seed + place));
}

/** Plays histories until one is broken. @throws with that one, and how it is played again */
export async function playHistories<History, World = undefined>({
	count,
	drawn,
	play,
	worlds = [undefined as World],
	isShortened = true,
	tell = fc.stringify,
}: Histories<History, World>): Promise<void> {
	console.log(`${count} histories, seed ${SEED}`);
	const isReplay = HISTORY !== undefined;
	const broken = await Promise.all(
		(isReplay ? worlds.slice(0, 1) : worlds).map(async (world, index) => {
			const property = fc.asyncProperty(drawn, async (history) => await play(history, world));
			const found = await fc.check(property, {
				seed: SEED + index,
				numRuns: isReplay ? 1 : Math.ceil(count / worlds.length),
				endOnFailure: isReplay || !isShortened,
				...(isReplay ? { path: HISTORY } : {}),
			});
			if (!found.failed) return '';
			const again = `SEED=${found.seed} HISTORY=${found.counterexamplePath}`;
			const [history] = found.counterexample ?? [];
			return `${again}\n${String(found.errorInstance)}\n${tell(history as History)}`;
		}),
	);
	const told = broken.filter(Boolean).join('\n\n');
	if (told !== '') throw new Error(told);
}

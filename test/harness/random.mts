/**
 * Numbers that the tests draw at random. Each run searches among other cases, except in the continuous integration,
 * which judges a change by the same cases each time. `SEED` in the environment repeats a run.
 */
import fc from 'fast-check';

export const SEED = Number(
	process.env.SEED ?? (process.env.CI ? 1 : Math.trunc(Math.random() * 2 ** 31)),
);

fc.configureGlobal({ seed: SEED, includeErrorInReport: true });

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function chance(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** Decisions by `chance`, for what is drawn while a history is played. */
export class Dice {
	private readonly next: () => number;

	constructor(private readonly seed: number) {
		this.next = chance(seed);
	}

	[fc.toStringMethod](): string {
		return `new Dice(${this.seed})`;
	}

	/** @returns 0 to most - 1 */
	to(most: number): number {
		return Math.floor(this.next() * most);
	}

	one<T>(values: readonly T[]): T {
		return values[this.to(values.length)];
	}

	chance(percent: number): boolean {
		return this.next() * 100 < percent;
	}
}

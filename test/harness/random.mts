/**
 * What the tests draw at random. Each run searches among other cases, except in the continuous integration,
 * which judges a change by the same cases each time. `SEED` in the environment repeats a run, `HISTORIES`
 * makes a longer one.
 */
import fc from 'fast-check';

export const SEED = Number(
	process.env.SEED ?? (process.env.CI ? 1 : Math.trunc(Math.random() * 2 ** 31)),
);

/** How many histories are played where something is tried over several executions; the slow proofs: 3,000. */
export const HISTORIES = Number(process.env.HISTORIES ?? 300);

fc.configureGlobal({ seed: SEED, includeErrorInReport: true });

/**
 * The seed of what the tests draw at random. Each run searches among other cases, except in the continuous
 * integration, which judges a change by the same cases each time. `SEED` in the environment repeats a run.
 */
import fc from 'fast-check';

export const SEED = Number(
	process.env.SEED ?? (process.env.CI ? 1 : Math.trunc(Math.random() * 2 ** 31)),
);

fc.configureGlobal({ seed: SEED, includeErrorInReport: true });

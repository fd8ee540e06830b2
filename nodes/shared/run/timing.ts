/** How often and how long a request is repeated that certainly did no harm. Milliseconds. */
export interface RetryPolicy {
	/** Tries in all, the first one included. */
	tries: number;
	/** Upper bound of the first wait; it doubles with each further one. */
	firstDelay: number;
	/** Longest time that one request may spend waiting, all its waits together. */
	longestWait: number;
}

/** All waits of a run. Milliseconds. */
export interface Timing {
	retry: RetryPolicy;
	/** How often n8n's log hears of a run that takes long. */
	progress: number;
	/** After the run, when the service is asked about messages that are unknown. */
	lookUps: readonly number[];
	/** When that ends at the latest. */
	longestLookUp: number;
}

/** That of every operation. */
export const TIMING: Timing = {
	retry: { tries: 4, firstDelay: 1_000, longestWait: 60_000 },
	progress: 10_000,
	lookUps: [0, 5_000],
	longestLookUp: 20_000,
};

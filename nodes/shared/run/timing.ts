/** How often and how long a request is repeated that certainly did no harm. Milliseconds. */
export interface RetryPolicy {
	/** Tries in all, the first one included. */
	tries: number;
	/** Upper bound of the first wait; it doubles with each further one. */
	firstDelay: number;
	/** Longest time that one request may spend waiting, all its waits together. */
	longestWait: number;
}

/** Waiting for n8n's store of once keys, and for what other executions write into it. Milliseconds. */
export interface StoreTiming {
	/** How long to wait before the lock is asked for again: at first, and at most. */
	firstPoll: number;
	longestPoll: number;
	/** How long to wait for the lock while no execution of this n8n process gets it. */
	longestWait: number;
	/** The lock is lost to who holds it for longer: nothing is written after that. */
	longestHold: number;
	/** Who has waited for so long makes sure that the holder of the lock is still there. */
	patience: number;
	/** A holder of which nothing is seen for twice as long is gone: what it wrote last is written by then. */
	silence: number;
	/** How long to wait for what another execution is sending with the same key. */
	sending: number;
	/** How long it may take until the store hears that a message was sent. */
	latestWrite: number;
	/** How often an execution shows that it still has the keys that it has claimed. */
	signOfLife: number;
	/** One that has not done so for so long is gone. Several times `signOfLife`. */
	abandoned: number;
}

/** All waits of a run. Milliseconds. */
export interface Timing {
	retry: RetryPolicy;
	store: StoreTiming;
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
	store: {
		firstPoll: 4,
		longestPoll: 50,
		longestWait: 60_000,
		longestHold: 7_000,
		patience: 500,
		silence: 5_000,
		sending: 5_000,
		latestWrite: 2_000,
		signOfLife: 20_000,
		abandoned: 65_000,
	},
	progress: 10_000,
	lookUps: [0, 5_000],
	longestLookUp: 20_000,
};

/** Whether a message was accepted. */
export type Fate = 'accepted' | 'notCarriedOut' | 'unknown';

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

export const STORE_TIMING: StoreTiming = {
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
};

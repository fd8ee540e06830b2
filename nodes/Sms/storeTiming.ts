/** Waiting for n8n's store of once keys, and for other executions that use it. Milliseconds. */
export interface StoreTiming {
	/** How long to wait before the lock is asked for again: at first, and at most. */
	firstPoll: number;
	longestPoll: number;
	/** How long to wait for the lock while no execution of this n8n process gets it. */
	longestWait: number;
	/** A holder that keeps the lock for longer loses it: nothing is written after that. */
	longestHold: number;
	/** After so long, it is made sure that the holder of the lock is still there. */
	patience: number;
	/** A holder that shows nothing for twice as long is gone. */
	silence: number;
	/** How long to wait for a message that another execution is sending with the same key. */
	sending: number;
	/** How long it may take until the store hears that a message was sent. */
	latestWrite: number;
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
};

/** Waiting for n8n's store of once keys, and for other executions that use it. Milliseconds. */
export const STORE_TIMING = {
	/** How long to wait before the lock is asked for again: at first, and at most. */
	firstPoll: 4,
	longestPoll: 50,
	/** How long to wait for the lock while no execution of this n8n process gets it: a burst keeps a database busy. */
	longestWait: 180_000,
	/**
	 * A holder that keeps the lock for longer begins no further step. In a burst of 200 executions with SQLite, two calls
	 * to the database take 4 seconds.
	 */
	longestHold: 14_000,
	/** After so long, it is made sure that the holder of the lock is still there. */
	patience: 500,
	/** A holder that shows nothing for twice as long is gone. */
	silence: 10_000,
	/** How long to wait for a message that another execution is sending with the same key. */
	sending: 5_000,
	/** How long it may take until the store hears that a message was sent. */
	latestWrite: 2_000,
} as const;

import type { Gate } from './Gate';
import { StepFailed, type Ended, type Failed } from './outcome';
import type { RetryPolicy } from './timing';

/**
 * What the requests of one run share: its gate, how often they are repeated, and what stops it. Nothing new begins
 * after the gate was closed.
 */
export class Carrier {
	/**
	 * @param stopsAt whether an outcome turns away all that has not started. Asked before the place of
	 *   the request is given to the next one.
	 */
	constructor(
		readonly gate: Gate,
		readonly retry: RetryPolicy,
		private readonly stopsAt: (outcome: Ended) => boolean,
	) {}

	isClosed(): boolean {
		return this.gate.isClosed;
	}

	/** A failure as what ends an item; it may stop the run. */
	refuse(failure: Failed, expected?: (failure: Failed) => boolean): StepFailed {
		if (expected?.(failure) !== true) this.settle(failure);
		return new StepFailed(failure);
	}

	/** Closes the gate behind an outcome that stops the run. */
	settle(outcome: Ended): void {
		if (this.stopsAt(outcome)) this.gate.close();
	}
}

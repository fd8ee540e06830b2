import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';
import { nextDelay, type RetryPolicy } from '../http/retry';
import type { Gate } from './Gate';
import { isFailure, NOT_STARTED, stillUnknown, type Outcome } from './outcome';
import type { ReceiptBook } from './Receipts';

/** One request to be made, whatever the node and the operation. */
export interface Task<T> {
	/** A failure that the operation goes on from, so that it doesn't stop the run. */
	expected?: (failure: Failure) => boolean;
	/** Makes the request once and judges its answer. Never throws. */
	attempt: () => Promise<{ value: T } | Failure>;
}

/** A request that changes something: it is written down what becomes of it. */
export interface ChangingTask<T> extends Task<T> {
	/** It is the same one alone when it is repeated at once: deleting, emptying. */
	repeatsAtOnce: boolean;
	book: ReceiptBook;
	/**
	 * What a failure comes to that leaves nothing to be done, such as a deletion of what isn't there.
	 *
	 * @param wasLost the answer to an earlier try was lost, so that it may have been this one's own doing
	 */
	comesTo?: (failure: Failure, wasLost: boolean) => T | undefined;
}

/**
 * Carries out the requests of one run of a node under the guarantees that all operations share:
 * bounded concurrency and pace (the gate), bounded retries of what did no harm, books that are true at
 * every moment, and nothing new after the gate was closed.
 */
export class Delivery {
	/**
	 * @param stopsAt whether a failure turns away all that has not started. Asked before the place of
	 *   the request is given to the next one.
	 */
	constructor(
		readonly gate: Gate,
		private readonly retries: RetryPolicy,
		private readonly stopsAt: (outcome: { status: string }) => boolean,
	) {}

	/** Makes a request that changes nothing, again after any failure that may pass. Never throws. */
	async read<T>(task: Task<T>): Promise<Outcome<T>> {
		return await this.atTheGate(task, async () => await this.retry(task.attempt, isTransient));
	}

	/**
	 * Makes a request that changes something. Never throws; never makes a request twice that may have
	 * been carried out, unless it repeats at once.
	 */
	async change<T extends IDataObject>(task: ChangingTask<T>): Promise<Outcome<T>> {
		const { repeatsAtOnce, book, comesTo, attempt } = task;
		const once = async (): Promise<{ value: T } | Failure> => {
			const wasLost = book.isUnknown();
			book.begin();
			let result = await attempt();
			const settled = 'value' in result ? undefined : comesTo?.(result, wasLost);
			if (settled !== undefined) result = { value: settled };
			if ('value' in result) book.accepted(result.value);
			else if (result.status === 'unknown') book.lost();
			else book.notCarriedOut();
			return result;
		};
		const mayRepeat = (failure: Failure) =>
			isTransient(failure) && (repeatsAtOnce || failure.status !== 'unknown');
		/** Nothing that was done now says what an earlier try did. */
		const inAll = (failure: Failure) =>
			failure.status !== 'unknown' && book.isUnknown() ? stillUnknown(failure) : failure;
		const outcome = await this.atTheGate(task, async () => {
			const result = await this.retry(once, mayRepeat);
			return 'value' in result ? result : inAll(result);
		});
		return isFailure(outcome) ? inAll(outcome) : outcome;
	}

	/** Closes the gate behind an outcome that stops the run. */
	settle<O extends { status: string }>(outcome: O, expected?: (failure: Failure) => boolean): O {
		const goesOn = isFailure(outcome) && expected?.(outcome) === true;
		if (!goesOn && this.stopsAt(outcome)) this.gate.close();
		return outcome;
	}

	private async atTheGate<T>(
		{ expected }: Task<T>,
		work: () => Promise<{ value: T } | Failure>,
	): Promise<Outcome<T>> {
		if (!(await this.gate.enter())) return NOT_STARTED;
		try {
			const result = await work();
			const outcome: Outcome<T> =
				'value' in result ? { status: 'done', value: result.value } : result;
			return this.settle(outcome, expected);
		} finally {
			this.gate.leave();
		}
	}

	private async retry<T>(
		attempt: () => Promise<{ value: T } | Failure>,
		mayRepeat: (failure: Failure) => boolean,
	): Promise<{ value: T } | Failure> {
		let waited = 0;
		for (let tries = 1; ; tries++) {
			const result = await attempt();
			if ('value' in result || !mayRepeat(result)) return result;
			const delay = nextDelay(result, tries, waited, this.retries);
			if (delay === undefined) return result;
			if (result.retryAfterMs !== undefined) this.gate.pause(delay);
			waited += delay;
			if (!(await this.gate.wait(delay)) || !(await this.gate.startSlot())) return result;
		}
	}
}

function isTransient({ transient }: Failure): boolean {
	return transient;
}

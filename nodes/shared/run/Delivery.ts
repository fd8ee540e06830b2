import type { IDataObject } from 'n8n-workflow';
import type { Gate } from './Gate';
import type { Failure } from '../http/failure';
import type { Identity, Receipts } from './Receipts';
import { nextDelay } from '../http/retry';

/** One request to be made, whatever the node and the operation. */
export interface Task {
	/** The item index, with the name of the step where an item makes several requests. */
	key: string;
	/** True for GET and DELETE: making it again does no harm, so that it leaves no receipt. */
	repeatable: boolean;
	identity: Identity;
	/** Make a request again whose fate is unknown. */
	resendUnknown?: boolean;
	/** A failure that the operation goes on from, so that it doesn't stop the run. */
	expected?: (failure: Failure) => boolean;
	/** Makes the request once and judges its answer. Never throws. */
	attempt: () => Promise<{ value: IDataObject } | Failure>;
}

/** What became of a task. */
export type Outcome =
	| { status: 'done'; value: IDataObject; fromReceipt: boolean }
	| { status: 'skipped'; duplicateOf: string }
	| Failure;

/** The outcome of what was held back after a failure or a cancellation. */
export const NOT_STARTED: Failure = {
	status: 'notSent',
	message: 'Not started',
	advice: 'An earlier item stopped the run, or the execution was cancelled.',
	transient: false,
	general: false,
};

/** The outcome of a request whose answer was lost before: in an earlier try, or another execution. */
export const EARLIER_UNKNOWN: Failure = {
	status: 'unknown',
	message: 'An earlier try may have gone through; its answer was lost',
	advice: '',
	transient: false,
	general: false,
};

/**
 * Carries out the requests of one run of a node under the guarantees that all operations share:
 * bounded concurrency and pace (the gate), receipts, bounded retries of what certainly did no harm,
 * and nothing new after the gate was closed.
 */
export class Delivery {
	private readonly firstOf = new Map<string, { key: string; outcome: Promise<Outcome> }>();

	/**
	 * @param stopsAt whether an outcome turns away all that has not started. Asked before the place of
	 *   the request is given to the next one.
	 */
	constructor(
		readonly gate: Gate,
		private readonly receipts: Receipts,
		private readonly stopsAt: (outcome: Outcome) => boolean,
	) {}

	/** Whether this request was made before, in an earlier try or in the execution that is retried. */
	hasReceipt(key: string, identity: Identity): boolean {
		return this.receipts.find(key, identity) !== undefined;
	}

	/** Never throws; never makes a request twice that may have been carried out. */
	async perform(task: Task): Promise<Outcome> {
		const { duplicate } = task.identity;
		if (duplicate === undefined) return await this.deliver(task);
		const earlier = this.firstOf.get(duplicate);
		const outcome = this.performAfter(task, earlier);
		this.firstOf.set(duplicate, { key: earlier?.key ?? task.key, outcome });
		return await outcome;
	}

	/** A duplicate waits for the first one: only if that certainly failed is there a reason to go. */
	private async performAfter(
		task: Task,
		earlier: { key: string; outcome: Promise<Outcome> } | undefined,
	): Promise<Outcome> {
		if (earlier !== undefined) {
			const { status } = await earlier.outcome;
			if (status !== 'refused' && status !== 'notSent') {
				return { status: 'skipped', duplicateOf: earlier.key };
			}
		}
		return await this.deliver(task);
	}

	private async deliver(task: Task): Promise<Outcome> {
		const { key, identity } = task;
		const receipt = task.repeatable ? undefined : this.receipts.find(key, identity);
		if (receipt?.state === 'accepted') {
			return { status: 'done', value: receipt.kept, fromReceipt: true };
		}
		if (receipt?.state === 'unknown' && !task.resendUnknown) {
			return this.judged(EARLIER_UNKNOWN, task);
		}
		if (!(await this.gate.enter())) return NOT_STARTED;
		try {
			return this.judged(await this.tryUntilSettled(task), task);
		} finally {
			this.gate.leave();
		}
	}

	private judged(outcome: Outcome, { expected }: Task): Outcome {
		const goesOn = isFailure(outcome) && expected?.(outcome) === true;
		if (!goesOn && this.stopsAt(outcome)) this.gate.close();
		return outcome;
	}

	private async tryUntilSettled(task: Task): Promise<Outcome> {
		let waited = 0;
		for (let tries = 1; ; tries++) {
			if (!task.repeatable) this.receipts.noteUnknown(task.key, task.identity);
			const result = await task.attempt();
			if ('value' in result) {
				if (!task.repeatable)
					this.receipts.noteAccepted(task.key, task.identity, result.value);
				return { status: 'done', value: result.value, fromReceipt: false };
			}
			if (!task.repeatable) {
				if (result.status === 'unknown') return result;
				this.receipts.forget(task.key);
			}
			const delay = nextDelay(result, tries, waited);
			if (delay === undefined) return result;
			if (result.retryAfterMs !== undefined) this.gate.pause(delay);
			waited += delay;
			if (!(await this.gate.wait(delay)) || !(await this.gate.startSlot())) return result;
		}
	}
}

/** Whether an outcome is one of a request that did not succeed. */
export function isFailure(outcome: { status: string }): outcome is Failure {
	return ['refused', 'notSent', 'unknown'].includes(outcome.status);
}

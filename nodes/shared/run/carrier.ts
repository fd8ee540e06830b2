import type { IDataObject } from 'n8n-workflow';
import type { Failure } from '../http/failure';
import type { Gate } from './Gate';
import { HELD_BACK, isFailure, StepFailed, type Failed } from './outcome';
import type { ReceiptBook } from './Receipts';
import { repeatOf } from './repeat';
import type { RetryPolicy } from './timing';

/** What one try of a request gives. */
export type Attempted<T = IDataObject> = { value: T } | Failed;

/** One request to be made, whatever the node and the operation. */
export interface Task<T> {
	/** Makes the request once and judges its answer. Never throws. */
	attempt: () => Promise<Attempted<T>>;
	/** It changes something, and does so again when it is repeated: sending, adding. */
	isSending?: boolean;
	/** For a request that changes something: where it is written down what becomes of it. */
	book?: ReceiptBook;
	/**
	 * What a failure comes to that leaves nothing to be done, such as a deletion of what isn't there.
	 *
	 * @param wasLost the answer to an earlier try was lost, so that it may have been this one's own doing
	 */
	comesTo?: (failure: Failure, wasLost: boolean) => T | undefined;
	/** A failure that the operation goes on from, so that it doesn't stop the run. */
	expected?: (failure: Failure) => boolean;
}

/** How what is tried is repeated. */
export interface Repetition {
	/** It changes something, and does so again when it is repeated: sending, adding. */
	isSending?: boolean;
	/** Whether it completes what has begun, so that it goes on although the run was stopped. */
	finishes?: () => boolean;
}

/** What may have been carried out before: by an earlier try, or by another execution. */
export function mayHaveGone(
	message = 'An earlier try may have gone through; its answer was lost',
): Failed {
	return {
		status: 'unknown',
		message,
		advice: '',
		transient: false,
		general: false,
		isEarlier: true,
	};
}

/**
 * What is known in all of something whose fate was unknown before: nothing that was done now says what
 * the earlier try did.
 *
 * @param outcome of this try
 */
export function inAll<O extends { status: string; message?: string; reason?: string }>(
	outcome: O,
	wasUnknown: boolean,
): O | Failed {
	if (!wasUnknown || ['done', 'previewed', 'unknown'].includes(outcome.status)) return outcome;
	const earlier = mayHaveGone();
	return {
		...earlier,
		...(isFailure(outcome)
			? { isEarlier: outcome.isHeldBack, ...outcome, isHeldBack: undefined }
			: {}),
		status: 'unknown',
		message: `${earlier.message}. This try did nothing: ${outcome.reason ?? outcome.message ?? ''}`,
	};
}

/** A failure of this try, as what is known of the request in all. */
export function knownOf(failure: Failed, book: ReceiptBook | undefined): Failed {
	return inAll(failure, book?.isUnknown() === true);
}

/**
 * Carries out the requests of one run under the guarantees that all operations share: bounded
 * concurrency and pace (the gate), bounded retries of what did no harm, books that are true at every
 * moment, and nothing new after the gate was closed.
 */
export class Carrier {
	/**
	 * @param stopsAt whether an outcome turns away all that has not started. Asked before the place of
	 *   the request is given to the next one.
	 */
	constructor(
		readonly gate: Gate,
		private readonly retry: RetryPolicy,
		private readonly stopsAt: (outcome: { status: string; value?: unknown }) => boolean,
	) {}

	/**
	 * Makes a request; again after a failure that may pass, where that does no harm.
	 *
	 * @throws StepFailed
	 */
	async make<T>(task: Task<T>): Promise<T> {
		const { expected, book } = task;
		const work = async () => await this.makeHere(task);
		return await this.inPlace(work, { expected, heldBack: () => knownOf(HELD_BACK, book) });
	}

	/** The same, for who has a place at the gate. */
	async makeHere<T>(
		{ attempt, isSending = false, book, comesTo }: Task<T>,
		finishes?: () => boolean,
	): Promise<Attempted<T>> {
		const once = async (): Promise<Attempted<T>> => {
			const wasLost = book?.isUnknown() === true;
			book?.begin();
			const attemptedAt = Date.now();
			const result = await attempt();
			const settled = 'value' in result ? undefined : comesTo?.(result, wasLost);
			if (settled !== undefined || 'value' in result) {
				const value = settled ?? (result as { value: T }).value;
				book?.accepted(value as IDataObject);
				return { value };
			}
			if (result.status === 'unknown') return { ...result, attemptedAt };
			book?.notCarriedOut();
			return result;
		};
		const result = await this.repeat(once, { isSending, finishes });
		return 'value' in result ? result : knownOf(result, book);
	}

	/**
	 * Does work in one place at the gate. The work repeats what it tries itself.
	 *
	 * @param heldBack the outcome where the gate lets nothing through any more
	 * @throws StepFailed
	 */
	async inPlace<T>(
		work: () => Promise<Attempted<T>>,
		{
			expected,
			heldBack = () => HELD_BACK,
		}: Pick<Task<T>, 'expected'> & { heldBack?: () => Failed } = {},
	): Promise<T> {
		if (!(await this.gate.enter())) throw new StepFailed(heldBack());
		try {
			const result = await work();
			if ('value' in result) {
				this.settle({ status: 'done', value: result.value });
				return result.value;
			}
			throw this.refuse(result, expected);
		} finally {
			this.gate.leave();
		}
	}

	/** Tries something, in a place at the gate; again after a failure that may pass, where that does no harm. */
	async repeat<T>(
		once: () => Promise<Attempted<T>>,
		{ isSending = false, finishes = () => false }: Repetition,
	): Promise<Attempted<T>> {
		let waited = 0;
		for (let tries = 1; ; tries++) {
			const result = await once();
			if ('value' in result) return result;
			const repeat = repeatOf(result, { isSending, tries, waited }, this.retry);
			if ('never' in repeat) return result;
			const { after } = repeat;
			if (result.retryAfterMs !== undefined) this.gate.pause(after);
			waited += after;
			const goesOn = finishes();
			if (!(await this.gate.wait(after, goesOn)) || !(await this.gate.startSlot(goesOn))) {
				return result;
			}
		}
	}

	isClosed(): boolean {
		return this.gate.isClosed;
	}

	/** A failure as what ends an item; it may stop the run. */
	refuse(failure: Failed, expected?: (failure: Failed) => boolean): StepFailed {
		if (expected?.(failure) !== true) this.settle(failure);
		return new StepFailed(failure);
	}

	/** Closes the gate behind an outcome that stops the run. */
	settle<O extends { status: string; value?: unknown }>(outcome: O): O {
		if (this.stopsAt(outcome)) this.gate.close();
		return outcome;
	}
}

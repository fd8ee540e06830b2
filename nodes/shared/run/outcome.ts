import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Failure } from '../http/failure';

/** What an operation gives for an item: the fields of one item, or whole items. */
export type Output = IDataObject | INodeExecutionData[];

/** What was read of an answer, as the fields of an item. */
export function fieldsOf(record: object): IDataObject {
	return { ...record };
}

/** What became of an item, or of one of its requests. */
export type Outcome<T = Output> =
	| { status: 'done'; value: T }
	/** Not sent on purpose: a duplicate, a number on a blacklist, a key that was used before. */
	| { status: 'skipped'; reason: string }
	/** Not sent, because nothing was to be: it would have been. */
	| { status: 'previewed'; fields: IDataObject }
	/** What the user typed can't be sent; `general`: no item can. */
	| { status: 'invalid'; message: string; advice: string; general?: true }
	| Failure;

/** Whether a request was made, or was to be made, and did not succeed. */
export function isFailure(outcome: { status: string }): outcome is Failure {
	return ['refused', 'notSent', 'unknown'].includes(outcome.status);
}

/** The outcome of what was held back after a failure or a cancellation. */
export const NOT_STARTED: Failure = {
	status: 'notSent',
	message: 'Not started',
	advice: 'An earlier item stopped the run, or the execution was cancelled.',
	transient: false,
	general: false,
};

/** The outcome of what was held back behind an item that turned out to be all right after the run had stopped. */
export const FOUND_TOO_LATE: Failure = {
	...NOT_STARTED,
	message:
		'Not started: the answer to an earlier item was lost, and by the time it was found to be sent, the run had stopped',
	advice: 'Retry the execution: what was accepted is not repeated, and the rest goes.',
};

/** The outcome of a request whose answer was lost before: in an earlier try, or another execution. */
export const EARLIER_UNKNOWN: Failure = {
	status: 'unknown',
	message: 'An earlier try may have gone through; its answer was lost',
	advice: '',
	transient: false,
	general: false,
	isEarlier: true,
};

/** A try that certainly did nothing, after one whose fate is unknown: the whole is unknown. */
export function stillUnknown(outcome: { status: string }): Failure {
	const { reason, message = '' } = outcome as { reason?: string; message?: string };
	const why = reason ?? message;
	return {
		...EARLIER_UNKNOWN,
		...(isFailure(outcome) ? { isEarlier: false, ...outcome } : {}),
		status: 'unknown',
		message: `${EARLIER_UNKNOWN.message}. This try did nothing: ${why}`,
	};
}

/** The outcome of an item where something failed that had to come before it: it certainly did not go. */
export function notBegun(failure: Failure): Failure {
	return failure.status === 'unknown' ? { ...failure, status: 'notSent' } : failure;
}

/** Ends an item, or the whole run, with a request that did not succeed. */
export class StepFailed extends Error {
	constructor(readonly failure: Failure) {
		super(failure.message);
		this.name = 'StepFailed';
	}

	/** The same, with what the user has to know about the steps before. */
	after(advice: string, details: IDataObject): StepFailed {
		const { failure } = this;
		return new StepFailed({
			...failure,
			advice: [advice, failure.status === 'unknown' ? '' : failure.advice]
				.filter(Boolean)
				.join(' '),
			transient: false,
			details,
		});
	}
}

/** What became of something in the end. */
export type Fate = 'accepted' | 'notCarriedOut' | 'unknown';

/** A preview counts as accepted, so that duplicates of it are seen as such; nothing is stored of one. */
export function fateOf({ status }: Outcome): Fate {
	if (status === 'done' || status === 'previewed') return 'accepted';
	return status === 'unknown' ? 'unknown' : 'notCarriedOut';
}

/**
 * Keeps books about an item. Who has none can change nothing: a key is released by the run that claimed
 * it only, and only to what it was before.
 */
export interface Ticket {
	/** Called once, when the item is through. */
	settle(fate: Fate): void;
	/** Called after `settle('unknown')`, when a look at the service has shown that it was accepted. */
	found?(): void;
	/** It may have been carried out before, by an earlier try or another execution. */
	readonly wasUnknown?: boolean;
}

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { InputError } from '../service/InputError';
import type { Failure } from '../http/failure';
import { judgeError } from '../http/judge';

/** What an operation gives for an item: the fields of one item, or whole items. */
export type Output = IDataObject | INodeExecutionData[];

/** What was read of an answer, as the fields of an item. */
export function fieldsOf(record: object): IDataObject {
	return { ...record };
}

/** A request that did not succeed, or was not made, and what the run knows of it. */
export interface Failed extends Failure {
	/** Nothing was tried: the run was stopped before. */
	isHeldBack?: true;
	/** It was not this try that failed: it says nothing about how the service is now. */
	isEarlier?: boolean;
	/** When the request was made whose answer was lost; milliseconds since the Unix epoch. */
	attemptedAt?: number;
	/** What the service has shown of it since. */
	seen?: Seen;
	/** What exists nevertheless, such as a list whose columns could not be added: shown to the user. */
	details?: IDataObject;
}

/** What the service has shown of a message that is unknown. */
export interface Seen {
	text: string;
	/** The latest message to its recipient. */
	latestMessage?: IDataObject;
}

/** What one try of a request gives. */
export type Attempted<T = IDataObject> = { value: T } | Failed;

/** What became of an item. */
export type Outcome =
	| { status: 'done'; value: Output }
	/** Not sent on purpose: a duplicate, a number on a blacklist, a key whose message was sent before. */
	| { status: 'skipped'; reason: string; wasSent?: true }
	/** Not sent, because nothing was to be: it would have been. */
	| { status: 'previewed'; fields: IDataObject }
	| Invalid
	| Failed;

/** What decides whether the rest of a run goes on: that of an item, or of one of its requests. */
export type Ended = { status: string; value?: unknown } & Pick<Failed, 'attemptedAt'>;

/** What the user typed can't be sent. */
interface Invalid {
	status: 'invalid';
	message: string;
	advice: string;
	/** No item can be sent. */
	general?: true;
}

/** Whether a request was made, or was to be made, and did not succeed. */
export function isFailure(outcome: { status: string }): outcome is Failed {
	return ['refused', 'notSent', 'unknown'].includes(outcome.status);
}

/** The outcome of what was held back after a failure or a cancellation. */
export const HELD_BACK: Failed = {
	status: 'notSent',
	message: 'Not started',
	advice: 'An earlier item stopped the run, or the execution was cancelled.',
	transient: false,
	general: false,
	isHeldBack: true,
};

/** The same where the user wants to send nothing as long as an item is invalid. */
export const BESIDE_INVALID: Failed = {
	...HELD_BACK,
	message: 'Not started, because another item is invalid',
	advice: "Correct that item, or set 'Invalid Items' under Safeguards to Report.",
};

/** The outcome of an item where something failed that had to come before it: it certainly did not go. */
export function notBegun(failure: Failed): Failed {
	return failure.status === 'unknown' ? { ...failure, status: 'notSent' } : failure;
}

/** What a check has thrown, as the outcome of its item. */
export function invalid(error: unknown): Invalid {
	const { message, description } = error as { message?: string; description?: string };
	return { status: 'invalid', message: message ?? String(error), advice: description ?? '' };
}

/** What a check of one item has thrown, as its outcome. */
export function failedCheck(error: unknown): Outcome {
	return error instanceof StepFailed ? notBegun(error.failure) : invalid(error);
}

/** What was thrown before the first item, as the outcome of all that are open. */
export function endOfAll(error: unknown): Outcome {
	if (error instanceof InputError) return { ...invalid(error), general: true };
	return notBegun(failureOf(error));
}

/** Ends an item, or the whole run, with a request that did not succeed. */
export class StepFailed extends Error {
	constructor(readonly failure: Failed) {
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

/** What was thrown where an item was carried out. */
export function failureOf(error: unknown): Failed {
	return error instanceof StepFailed ? error.failure : judgeError(error);
}

/** What became of something in the end. */
export type Fate = 'accepted' | 'notCarriedOut' | 'unknown';

/** A preview counts as accepted, so that duplicates of it are seen as such; nothing is stored of one. */
export function fateOf(outcome: Outcome): Fate {
	const { status } = outcome;
	if (status === 'done' || status === 'previewed') return 'accepted';
	if (status === 'skipped' && outcome.wasSent) return 'accepted';
	return status === 'unknown' ? 'unknown' : 'notCarriedOut';
}

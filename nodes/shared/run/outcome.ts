import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { InputError } from '../service/InputError';
import type { Failure } from '../http/failure';
import { judgeError } from '../http/judge';

/** The result of an item: the fields of one item, or whole items. */
export type Output = IDataObject | INodeExecutionData[];

/** A record of the service as the fields of an item. */
export function fieldsOf(record: object): IDataObject {
	return { ...record };
}

/** A request that did not succeed, or was not made. */
export interface Failed extends Failure {
	/** The run was stopped before this was tried. */
	isNotStarted?: true;
	/** An earlier try failed, not this one: it says nothing about how the service is now. */
	isEarlier?: boolean;
	/** Something that exists nevertheless, such as a list whose columns could not be added: shown to the user. */
	details?: IDataObject;
}

/** The result of one request. */
export type Result<T = IDataObject> = { value: T } | Failed;

interface Invalid {
	status: 'invalid';
	message: string;
	advice: string;
	/** No item can be sent. */
	general?: true;
}

/** The outcome of an item. */
export type Outcome =
	| { status: 'done'; value: Output }
	/**
	 * Not sent on purpose: a duplicate, a number on a blacklist, a once key that was used before. Where many items are
	 * counted, `kind` stands for a longer reason.
	 */
	| { status: 'skipped'; reason: string; kind?: string }
	/** Not sent, because this is a dry run: it would have been. */
	| { status: 'previewed'; fields: IDataObject }
	| Invalid
	| Failed;

export function isFailure(outcome: { status: string }): outcome is Failed {
	return ['refused', 'notSent', 'unknown'].includes(outcome.status);
}

export const NOT_STARTED: Failed = {
	status: 'notSent',
	message: 'Not started',
	advice: 'An earlier item stopped the run, or the execution was cancelled.',
	isNotStarted: true,
};

/** The same for another reason. */
export function notStarted(message: string, advice: string): Failed {
	return { ...NOT_STARTED, message, advice };
}

export const BESIDE_INVALID = notStarted(
	'Not started, because another item is invalid',
	"Correct that item, or set 'Invalid Items' under Safeguards to Report.",
);

/** Something that an earlier try, or another execution, may have carried out. */
export function unknownBefore(
	message = 'An earlier try may have gone through; its answer was lost',
): Failed {
	return { status: 'unknown', message, advice: '', isEarlier: true };
}

/** Keeps something unknown that was unknown before: nothing that this try did says what the earlier one did. */
export function stillUnknown(outcome: Outcome): Outcome {
	if (['done', 'previewed', 'unknown'].includes(outcome.status)) return outcome;
	const thisTry = isFailure(outcome) ? { ...outcome, isEarlier: outcome.isNotStarted } : {};
	const { message, reason } = outcome as { message?: string; reason?: string };
	const earlier = unknownBefore();
	return {
		...earlier,
		...thisTry,
		isNotStarted: undefined,
		status: 'unknown',
		message: `${earlier.message}. This try did nothing: ${reason ?? message ?? ''}`,
	};
}

export function invalid(error: unknown): Invalid {
	const { message, description } = error as { message?: string; description?: string };
	return { status: 'invalid', message: message ?? String(error), advice: description ?? '' };
}

/** Input that turns out to be wrong only now that its item is carried out. */
export function invalidNow(error: unknown): Failed {
	return { ...NOT_STARTED, ...invalid(error), status: 'notSent', isNotStarted: undefined };
}

/** Ends an item, or the whole run, with a request that did not succeed. */
export class StepFailed extends Error {
	constructor(readonly failure: Failed) {
		super(failure.message);
		this.name = 'StepFailed';
	}

	/** The same failure, with what the user has to know about the steps before it. */
	after(advice: string, details: IDataObject): StepFailed {
		const { failure } = this;
		const own = failure.status === 'unknown' ? '' : failure.advice;
		return new StepFailed({
			...failure,
			advice: [advice, own].filter(Boolean).join(' '),
			transient: false,
			details,
		});
	}
}

/** Something that `execute` has thrown. */
export function failureOf(error: unknown): Failed {
	return error instanceof StepFailed ? error.failure : judgeError(error);
}

/** An error of a check: nothing of the item was sent, whatever the answer to the check's own request was. */
export function outcomeOfCheck(error: unknown): Outcome {
	if (error instanceof StepFailed) {
		const { failure } = error;
		return failure.status === 'unknown' ? { ...failure, status: 'notSent' } : failure;
	}
	return invalid(error);
}

/** An error thrown before the first item: none can be sent. */
export function outcomeOfAll(error: unknown): Outcome {
	if (error instanceof InputError) return { ...invalid(error), general: true };
	const failure = failureOf(error);
	return failure.status === 'unknown' ? { ...failure, status: 'notSent' } : failure;
}

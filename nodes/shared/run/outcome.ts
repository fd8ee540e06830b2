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
	/**
	 * `notStarted`: the run was stopped before this was tried. `earlier`: an earlier try left it unknown, or has done it
	 * to no use, so it says nothing about how the service is now.
	 */
	origin?: 'notStarted' | 'earlier';
	/** Of something unknown: what the look-up found. */
	doubt?: Doubt;
	/** Something that exists nevertheless, such as a list whose columns could not be added: shown to the user. */
	details?: IDataObject;
}

/** The state of knowledge of a change whose answer got lost. */
export type Doubt =
	/** Nobody looked it up. */
	| 'lost'
	/** The look-up found nothing. */
	| 'missing'
	/** The look-up can't tell, or failed. */
	| 'unclear'
	/** Its once key belongs to another execution. */
	| 'keyed';

/** The result of one request. */
export type Result<T = IDataObject> = { value: T } | Failed;

interface Invalid {
	status: 'invalid';
	message: string;
	advice: string;
	/** No item can be sent. */
	general?: true;
}

interface Skipped {
	status: 'skipped';
	reason: string;
	/** Stands for a longer reason where many items are counted. */
	kind?: string;
	/** Index of the item of this run that it is a duplicate of. */
	of?: number;
	/** It is the same in what is sent, such as recipient and text, so that the service refuses both or none. */
	isSame?: boolean;
	/** It was sent: by another execution. */
	isSent?: true;
}

/** The outcome of an item. */
export type Outcome =
	| { status: 'done'; value: Output }
	/** Not sent on purpose: a duplicate, a number on a blacklist, a once key that was used before. */
	| Skipped
	/** Not sent, because this is a dry run: it would have been. */
	| { status: 'previewed'; fields: IDataObject }
	| Invalid
	| Failed;

export function isFailure(outcome: { status: string }): outcome is Failed {
	return ['refused', 'notSent', 'unknown'].includes(outcome.status);
}

/** Not tried, because the run was stopped before. */
export function notStarted(message: string, advice = ''): Failed {
	return { status: 'notSent', message, advice, origin: 'notStarted' };
}

export const NOT_STARTED = notStarted(
	'Not started',
	'An earlier item stopped the run, or the execution was cancelled.',
);

export const BESIDE_INVALID = notStarted(
	'Not started, because another item is invalid',
	"Correct that item, or set 'Invalid Items' under Safeguards to Report.",
);

/** Something that an earlier try, or another execution, may have carried out. */
export function unknownBefore(
	message = 'The answer to an earlier try was lost',
	doubt: Doubt = 'lost',
): Failed {
	return { status: 'unknown', message, advice: '', origin: 'earlier', doubt };
}

/** Keeps something unknown that was unknown before: nothing that this try did says what the earlier one did. */
export function stillUnknown(outcome: Outcome): Outcome {
	if (['done', 'previewed', 'unknown'].includes(outcome.status)) return outcome;
	const earlier = unknownBefore();
	const { message, reason } = outcome as { message?: string; reason?: string };
	const what = `${earlier.message}. This try did nothing: ${reason ?? message ?? ''}`;
	if (!isFailure(outcome)) return { ...earlier, message: what };
	const origin = outcome.origin === undefined ? undefined : earlier.origin;
	return { ...earlier, ...outcome, origin, status: 'unknown', message: what };
}

export function invalid(error: unknown): Invalid {
	const { message, description } = error as { message?: string; description?: string };
	return { status: 'invalid', message: message ?? String(error), advice: description ?? '' };
}

/** The same for a mistake that all items share. */
export function invalidForAll(error: unknown): Outcome {
	return { ...invalid(error), general: true };
}

/** Input that turns out to be wrong only now that its item is carried out. */
export function invalidNow(error: unknown): Failed {
	const { message, advice } = invalid(error);
	return { status: 'notSent', message, advice };
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
	if (error instanceof InputError) return invalidForAll(error);
	const failure = failureOf(error);
	return failure.status === 'unknown' ? { ...failure, status: 'notSent' } : failure;
}

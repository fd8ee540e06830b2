import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Fields } from '../service/answers';
import type { Failure } from '../http/failure';

/** The result of an item: the fields of one item, such as a record of the service, or whole items. */
export type Output = Fields | INodeExecutionData[];

/** A record of the service as the fields of an item. */
export function fieldsOf(record: object): IDataObject {
	return { ...record };
}

/** A request that did not succeed, or was not made. */
export interface Failed extends Failure {
	/** Something that exists nevertheless, such as a list whose columns could not be added: shown to the user. */
	details?: IDataObject;
	/**
	 * Why it says nothing about how the service is now: the run was stopped before this was tried; or an earlier try, or
	 * another execution, left it unknown. None where this run has tried it, or has found a reason not to.
	 */
	origin?: 'notStarted' | 'earlier';
	/** Of something unknown: what is known of it since; none where nobody has looked it up. */
	found?: Finding;
}

/** Why a change whose answer got lost stays unknown. */
export type Finding =
	| 'nothing'
	/** It can't tell, or it failed. */
	| 'unclear'
	/** Nothing, and the service refuses to have it repeated. */
	| 'refused'
	/** Its once key belongs to another execution. */
	| 'otherExecution';

/** The result of one request. */
export type Result<T = IDataObject> = { value: T } | Failed;

/** Input that can't be sent: no request was made. */
interface Invalid extends Omit<Failed, 'status'> {
	status: 'invalid';
}

/** Not sent on purpose: a duplicate, a number on a blacklist, a once key that was used before. */
interface Skipped {
	status: 'skipped';
	message: string;
	/** Index of the item of this run that it is a duplicate of. */
	duplicateOf?: number;
	/** It is the same in what is sent, such as recipient and text, so that the service refuses both or none. */
	isSame?: boolean;
	/** Another execution has sent it. */
	isSent?: true;
}

/** The outcome of an item. */
export type Outcome =
	| { status: 'done'; value: Output }
	| Skipped
	/** Not sent, because this is a dry run: it would have been. */
	| { status: 'previewed'; fields: IDataObject }
	| Invalid
	| Failed;

export function isFailure(outcome: { status: string }): outcome is Failed {
	return ['refused', 'notSent', 'unknown'].includes(outcome.status);
}

/** Carried out, or perhaps, or as it would be in a dry run. */
export function mayBeDone({ status }: Outcome): boolean {
	return ['done', 'unknown', 'previewed'].includes(status);
}

/** Its cause is in the user's power: the key, credits, the pace, a limit. */
export function hasOwnCause(outcome: Outcome): boolean {
	if (!isFailure(outcome)) return false;
	return ![undefined, 'temporarily-unavailable'].includes(outcome.cause);
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

export function invalid(error: unknown): Invalid {
	const { message, description } = error as { message?: string; description?: string };
	return { status: 'invalid', message: message ?? String(error), advice: description ?? '' };
}

/** The same for a mistake that all items share. */
export function invalidForAll(error: unknown): Outcome {
	return { ...invalid(error), concernsAll: true };
}

/** Input that turns out to be wrong only now that its item is carried out. */
export function invalidNow(error: unknown): Failed {
	return { ...invalid(error), status: 'notSent' };
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

/** For `catch`: no result where a failure is expected. @throws any other error */
export function ignoring(expected: (failure: Failure) => boolean = () => true) {
	return (error: unknown): undefined => {
		if (!(error instanceof StepFailed) || !expected(error.failure)) throw error;
	};
}

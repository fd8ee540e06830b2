/**
 * What is unknown. Of a request, `http/judge.ts` decides it by the evidence; from then on, this is the one place that
 * decides what an earlier try means for a change, what stays unknown, and what an error leaves unknown.
 */
import type { IDataObject } from 'n8n-workflow';
import { InputError } from '../service/InputError';
import {
	invalid,
	invalidForAll,
	isFailure,
	StepFailed,
	type Failed,
	type Finding,
	type Outcome,
	type Result,
} from './outcome';
import type { Receipt } from './receipts';
import { RETRY } from './retryPolicy';

/** The result of a look-up of a change whose answer got lost. */
export type LookUp =
	/** It was carried out: its result. */
	| { value: IDataObject }
	/** It certainly was not, or its operation repeats what isn't there. */
	| 'absent'
	/** It stays unknown. */
	| Failed;

/**
 * The one place that decides whether a change is made that this execution has made before, or may have: an accepted one
 * never, and an unknown one only with a reason.
 *
 * @param isHarmless it can be made any number of times: a deletion
 * @param looksUp the service can be asked first
 * @param mayRepeat it was asked, and shows nothing; or the user allows it
 * @returns its result where it isn't made
 */
export function afterEarlierTry(
	receipt: Receipt | undefined,
	how: { isHarmless: boolean; looksUp: boolean; mayRepeat: boolean },
): 'make' | 'lookUp' | Result {
	if (receipt === undefined) return 'make';
	if (receipt.state === 'accepted') return { value: receipt.answer };
	if (how.isHarmless) return 'make';
	// Retry On Fail repeats nothing of its own execution; a person's retry may.
	if (receipt.isOwn) return unknownBefore();
	if (how.looksUp) return 'lookUp';
	return how.mayRepeat ? 'make' : unknownBefore();
}

const LOST = 'The answer to an earlier try was lost';

/** Something that an earlier try, or another execution, may have carried out. */
export function unknownBefore(message = LOST, found?: Finding, advice = ''): Failed {
	return { status: 'unknown', message, advice, origin: 'earlier', found };
}

/** Keeps something unknown that was unknown before: nothing that this try did says what the earlier one did. */
export function stillUnknown(outcome: Outcome): Outcome {
	const { status } = outcome;
	if (status === 'done' || status === 'previewed' || status === 'unknown') return outcome;
	const message = `${LOST}. This try did nothing: ${outcome.message}`;
	const advice = status === 'invalid' ? outcome.advice : '';
	if (!isFailure(outcome) || outcome.origin !== undefined)
		return unknownBefore(message, undefined, advice);
	const isOwn = status === 'refused' && outcome.concernsAll !== true;
	return { ...outcome, status: 'unknown', message, ...(isOwn ? { found: 'refused' } : {}) };
}

const ANSWER_LOST = 'The answer was lost';

/** The result of a look-up that leaves a change unknown. @param why after "and" */
export function inDoubt(why: string, found: Finding = 'unclear'): Failed {
	return unknownBefore(`${ANSWER_LOST}, and ${why}`, found);
}

/** The same for a change of this run: how its answer was lost stays in front. */
export function inDoubtNow(lost: Failed, { message, found }: Failed): Failed {
	return { ...lost, message: message.replace(ANSWER_LOST, lost.message), found };
}

/** Something that is not there, and can't be made again as it is set now. */
export function notAgain({ message, description = '' }: InputError): Failed {
	return unknownBefore(
		`${LOST}, and a look-up found nothing. ${message}`,
		'nothing',
		description,
	);
}

/** Milliseconds until the service certainly shows what it has accepted, of which the answer got lost. */
export function untilShown(receipt: Receipt | undefined): number {
	if (receipt?.state !== 'unknown') return 0;
	// The clock may have been set back.
	return Math.min(Math.max(0, receipt.at + RETRY.shownAfter - Date.now()), RETRY.shownAfter);
}

/** Something that `execute` has thrown: where it is no failed step, it is a mistake of this package, or n8n's. */
export function failureOf(error: unknown): Failed {
	if (error instanceof StepFailed) return error.failure;
	const { message, advice } = invalid(error);
	if (error instanceof InputError) return { status: 'unknown', message, advice };
	return {
		status: 'unknown',
		message: `The node failed: ${message}`,
		advice: 'Please report this to the maintainers of the node.',
	};
}

/** An error of a check: nothing of the item was sent, whatever the answer to the check's own request was. */
export function outcomeOfCheck(error: unknown): Outcome {
	return error instanceof StepFailed ? notSent(error.failure) : invalid(error);
}

/** An error thrown before the first item: none can be sent. */
export function outcomeOfAll(error: unknown): Outcome {
	return error instanceof InputError ? invalidForAll(error) : notSent(failureOf(error));
}

function notSent(failure: Failed): Failed {
	return failure.status === 'unknown' ? { ...failure, status: 'notSent' } : failure;
}

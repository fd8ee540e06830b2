import type { Gate } from './Gate';
import { isFailure, StepFailed, type Failed } from './outcome';
import type { RetryPolicy } from './timing';

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
		private readonly stopsAt: (outcome: { status: string; value?: unknown }) => boolean,
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
	settle<O extends { status: string; value?: unknown }>(outcome: O): O {
		if (this.stopsAt(outcome)) this.gate.close();
		return outcome;
	}
}

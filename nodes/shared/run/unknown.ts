import { isFailure, type Failed } from './outcome';
import type { Receipt } from './Receipts';

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
 * Whether a receipt answers instead of the request.
 *
 * @param mayRepeat what is unknown is made again
 */
export function isSettledBy(receipt: Receipt | undefined, mayRepeat: boolean): receipt is Receipt {
	return receipt !== undefined && (receipt.state === 'accepted' || !mayRepeat);
}

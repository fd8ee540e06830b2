import type { IDataObject } from 'n8n-workflow';
import type { Failed } from './outcome';
import type { StopJudge } from './policy';

/**
 * Credits that a request used, or may have: a message for which the service names none, or whose answer was lost,
 * is taken to cost one. What was no message costs nothing.
 *
 * @param receipt what the service answered (interface document 2.6); null where that is unknown
 */
export function creditsOf(receipt: IDataObject | null): number {
	if (receipt !== null && receipt.snapshotId === undefined) return 0;
	return Number(receipt?.creditsUsed ?? 1);
}

/**
 * Stops a run when it has used so many credits, beside what its policy stops it for.
 *
 * @param spent credits that earlier tries of the execution have used
 */
export function upTo(maxCredits: number, spent: number, judge: StopJudge): StopJudge {
	let credits = spent;
	let stoppedBy: Failed | undefined;
	return {
		stopsAt(outcome) {
			const { status, value, attemptedAt } = outcome;
			if (status === 'done') credits += creditsOf((value ?? {}) as IDataObject);
			// What an earlier try has left unknown is in `spent`.
			else if (status === 'unknown' && attemptedAt !== undefined) credits += creditsOf(null);
			if (credits >= maxCredits) stoppedBy ??= reached(maxCredits);
			return judge.stopsAt(outcome) || credits >= maxCredits;
		},
		get stoppedBy() {
			return judge.stoppedBy ?? stoppedBy;
		},
	};
}

function reached(maxCredits: number): Failed {
	return {
		status: 'notSent',
		message: `'Max Credits' is reached: ${maxCredits}`,
		advice: "Raise 'Max Credits' under Safeguards, or remove it, and send the rest.",
		transient: false,
		general: false,
	};
}

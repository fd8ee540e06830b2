import type { Failed } from './outcome';
import type { StopJudge } from './policy';
import { creditsOf } from './recovery';

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
			credits += creditsOf(outcome.value);
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

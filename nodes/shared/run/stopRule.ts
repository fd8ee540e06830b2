import { isFailure, type Failed } from './outcome';

/** Decides, outcome by outcome, whether the rest of the run is still sent. */
export interface StopRule {
	/** @param outcome of an item, or the result of one of its requests */
	stopsAt(outcome: { status: string }): boolean;
	/** The failure that stopped the run, where its reason holds for the rest as well. */
	readonly stoppedBy?: Failed;
}

export function stopAtFirstFailure(): StopRule {
	return { stopsAt: (outcome) => isFailure(outcome) };
}

export function neverStop(): StopRule {
	return { stopsAt: () => false };
}

const MAX_FAILURES = 5;
const MAX_UNKNOWN = 10;

/**
 * Circuit breaker of a batch: opens at once for what concerns the account, such as a bad key, and after a few
 * failures in a row for a service that is down.
 */
export function stopWhenServiceFails(): StopRule {
	let failures = 0;
	let stoppedBy: Failed | undefined;
	return {
		stopsAt(outcome) {
			if (outcome.status === 'done' || (isFailure(outcome) && isAboutItem(outcome))) {
				failures = 0;
				return false;
			}
			if (!isFailure(outcome) || !isAboutService(outcome)) return false;
			failures++;
			if (failures < maxFailures(outcome)) return false;
			stoppedBy ??= outcome;
			return true;
		},
		get stoppedBy() {
			return stoppedBy;
		},
	};
}

/** The service refused this one item with a code, so it works. */
function isAboutItem({ status, code, concernsAll }: Failed): boolean {
	return status === 'refused' && code !== undefined && !concernsAll;
}

/** Failures of earlier tries, and items that did not leave, say nothing about the service. */
function isAboutService({ status, concernsAll, origin }: Failed): boolean {
	return origin !== 'earlier' && (status !== 'notSent' || concernsAll === true);
}

function maxFailures({ concernsAll, transient, status }: Failed): number {
	if (concernsAll && !transient) return 1;
	return status === 'unknown' ? MAX_UNKNOWN : MAX_FAILURES;
}

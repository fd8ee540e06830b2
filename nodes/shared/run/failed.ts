/** The one place that decides which items, and which runs, are errors. */
import { isOn } from '../service/choices';
import type { Entry } from './operation';
import { isFailure, type Outcome } from './outcome';
import type { Run } from './run';

/** An item that is an error: it is not done, and nobody has asked to leave it out. */
export type FailedEntry = Entry & {
	outcome: Extract<Outcome, { advice: string }>;
};

export function hasFailed(entry: Entry): entry is FailedEntry {
	const { outcome } = entry;
	return outcome !== undefined && (outcome.status === 'invalid' || isFailure(outcome));
}

/** It was not tried: the run was stopped before, or cancelled. */
export function isNotStarted({ outcome }: { outcome: { status: string } }): boolean {
	return isFailure(outcome) && outcome.origin === 'notStarted';
}

/** Something of the whole account is no item's fault, but which item is unknown has to be said. */
export function isAboutAll({ outcome }: FailedEntry): boolean {
	return outcome.concernsAll === true && outcome.status !== 'unknown';
}

/**
 * Whether a run fails: with any failure, and a batch where nothing was accepted and something concerns all items, no
 * item is valid, or the user wants it to be complete.
 */
export function failsRun({ entries, definition, options, stoppedBy }: Run): boolean {
	const failed = entries.filter(hasFailed);
	if (failed.length === 0) return false;
	if (!definition.isBatch || isOn(options.failIfIncomplete)) return true;
	const invalid = failed.filter(({ outcome }) => outcome.status === 'invalid');
	if (invalid.length > 0 && options.invalidItems === 'stop') return true;
	if (invalid.some(isAboutAll)) return true;
	const has = (...statuses: Array<Outcome['status']>) =>
		entries.some(({ outcome }) => statuses.includes(outcome!.status));
	if (has('done', 'unknown')) return false;
	if (failed.some((entry) => isAboutAll(entry) || entry.outcome === stoppedBy)) return true;
	const isCancelled = failed.every(isNotStarted);
	return !has('skipped', 'previewed') && !isCancelled;
}

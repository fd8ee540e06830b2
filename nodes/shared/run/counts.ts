import type { Outcome } from './outcome';

/** What was done with an item that succeeded, where an operation has no word for it. */
export const CARRIED_OUT = 'carried out';

/** How the outcomes other than success are called, in the order in which they are counted up. */
const LABELS: ReadonlyArray<[status: Outcome['status'], label: string]> = [
	['previewed', 'would be sent'],
	['refused', 'refused'],
	['notSent', 'not sent'],
	['unknown', 'unknown'],
	['skipped', 'skipped'],
	['invalid', 'invalid'],
];

/**
 * How many of each outcome, in words: "12 sent, 3 refused".
 *
 * @param deed what was done with the items that succeeded
 */
export function countOutcomes(
	counts: ReadonlyMap<Outcome['status'], number>,
	deed = CARRIED_OUT,
): string {
	const labels: typeof LABELS = [['done', deed], ...LABELS];
	return labels
		.filter(([status]) => counts.has(status))
		.map(([status, label]) => `${counts.get(status)} ${label}`)
		.join(', ');
}

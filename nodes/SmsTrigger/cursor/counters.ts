import { fingerprint } from './fingerprint';

/** Counters by name, as the service gives them. */
export type Counters = Record<string, number>;

/** What is remembered of counters: their values, and how often they changed since the start. */
export interface CountersState {
	/** Tells this count of changes from an earlier one, so that event IDs never repeat. */
	origin: string;
	changes: number;
	counters: Counters;
}

/** Whether a value is the state of counters; anything else is not ours, or damaged. */
export function isCountersState(value: unknown): value is CountersState {
	if (typeof value !== 'object' || value === null) return false;
	const { origin, changes, counters } = value as Record<string, unknown>;
	return (
		typeof origin === 'string' &&
		Number.isInteger(changes) &&
		typeof counters === 'object' &&
		counters !== null &&
		Object.values(counters).every((counter) => typeof counter === 'number')
	);
}

/**
 * A short name for the start of a count of changes.
 *
 * @param turn the hand-overs of the trigger so far: the same counters can be a start more than once, of
 *   another account for example, but then something was handed out in between
 */
export function originOf(counters: Counters, turn: number): string {
	const names = Object.keys(counters).sort();
	const values = names.map((name) => `${name}=${counters[name]}`).join('&');
	return fingerprint(`${turn} ${values}`).slice(0, 5);
}

/**
 * The difference of each counter, current minus previous: negative when one shrank. A counter that
 * was not there before was 0: a service may leave zeros out. One that is missing now keeps its last value.
 *
 * @returns the counters as they are now, and undefined for the change when none differs
 */
export function compareCounters(
	previous: Counters,
	answer: Counters,
): { current: Counters; change: Counters | undefined } {
	const current = { ...previous, ...answer };
	const change: Counters = {};
	for (const name of Object.keys(current)) {
		change[name] = current[name] - (previous[name] ?? 0);
	}
	const changed = Object.values(change).some((difference) => difference !== 0);
	return { current, change: changed ? change : undefined };
}

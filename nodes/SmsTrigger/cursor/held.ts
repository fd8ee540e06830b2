import { Recent } from './Recent';
import { readState, type TriggerState } from './state';

/** Stored states that a process remembers to have seen. */
const SEEN = 100;

/** What this process knows of a trigger beyond what n8n gives it. */
export interface Held {
	/** The last state that is certain to follow the stored ones: no events wait to be saved with it. */
	latest: TriggerState;
	/** n8n has given back this state, or an earlier one: the trigger is active. */
	isKept: boolean;
	/** Stamps of states that n8n gave or was to save, and that `latest` follows; the last one met last. */
	followed: readonly string[];
}

const held = new Recent<Held>();

/** What is held of a trigger now; another object after each change. */
export function heldOf(trigger: string): Held | undefined {
	return held.get(trigger);
}

/**
 * Finds the state to go on from: the one that n8n gives, or what this process holds, which follows it.
 *
 * @param data what n8n gives: undefined where it has nothing
 */
export function followStored(trigger: string, data: unknown): TriggerState | undefined {
	const before = held.get(trigger);
	const stored = readState(data);
	if (stored === undefined) {
		// n8n has nothing for a trigger that is active: the node was renamed. Where it has something that
		// can't be read, the process has begun anew before.
		return before?.isKept || data !== undefined ? before?.latest : undefined;
	}
	if (before?.latest.id !== stored.id) {
		held.set(trigger, { latest: stored, isKept: true, followed: [stored.stamp] });
		return stored;
	}
	if (stored === before.latest && before.isKept) return stored;
	const { latest, followed } = before;
	const isOlder = followed.includes(stored.stamp) || stored.stamp === latest.stamp;
	const next = isOlder ? latest : stored;
	held.set(trigger, { latest: next, isKept: true, followed: withStamp(followed, stored.stamp) });
	return next;
}

/**
 * Holds the state after a poll without events.
 *
 * @param before what was held of the same state
 * @param isSaved n8n saves it
 */
export function hold(
	trigger: string,
	latest: TriggerState,
	before: Held | undefined,
	isSaved: boolean,
): void {
	const { isKept = false, followed = [] } = before ?? {};
	const stamps = isSaved ? withStamp(followed, latest.stamp) : followed;
	held.set(trigger, { latest, isKept, followed: stamps });
}

/** The stamps with one more, or with one that was met again; the last ones. */
function withStamp(stamps: readonly string[], stamp: string): string[] {
	return [...stamps.filter((other) => other !== stamp), stamp].slice(-SEEN);
}

import { isFinalState, type MessageStatus } from '../../shared/service/sentMessages';
import { startOf } from '../../shared/service/InputError';
import { mark } from '../state';
import type { Target } from './targets';

/** The last state that was seen of a number or snapshot. */
export interface Seen {
	/** Fingerprint of the number or snapshot. */
	id: string;
	/** The message's state; null: there was no message; absent: the service hasn't answered yet. */
	state?: string | null;
	/** Fingerprint of the message: a number can have a newer one. */
	message?: string;
	/** When it was first seen in this state, in milliseconds. */
	since?: number;
}

/** A number or snapshot, with what was seen last. */
export interface Watched {
	target: Target;
	seen: Seen;
}

/** Maximum number of statuses that a poll looks up. */
const LOOKS_PER_POLL = 200;
/** Longest state that is remembered; those of the document have 12 characters. */
const LONGEST_STATE = 50;
/** States that no other follows. Opened, reply and unsubscribed can follow delivered. */
const LAST_STATES = ['unsubscribed', 'bounced', 'error'];
/** After so long, hardly anybody opens a link or replies. Milliseconds. */
const LONG_FINAL = 3 * 24 * 3_600_000;

/**
 * Joins the targets with what was seen of them, those first that were looked up longest ago.
 *
 * @param emitExisting whether a message that is already there makes an event, as if there had been none before
 */
export function arrange(
	targets: readonly Target[],
	known: readonly Seen[],
	salt: string,
	emitExisting: boolean,
): Watched[] {
	const places = new Map(known.map(({ id }, place) => [id, place]));
	return targets
		.map((target) => {
			const id = mark(salt, target.id);
			const place = places.get(id) ?? -1;
			const seen = known[place] ?? (emitExisting ? { id, state: null } : { id });
			return { target, seen, place };
		})
		.sort((a, b) => a.place - b.place);
}

/**
 * The messages that this poll looks up. A snapshot is no longer looked up once it is final, and for three days if a
 * later state may follow; a number always is, for its next message.
 */
export function choose(watched: readonly Watched[]): Watched[] {
	return watched.filter((one) => !isDone(one)).slice(0, LOOKS_PER_POLL);
}

function isDone({ target, seen: { state, since = 0 } }: Watched): boolean {
	if (target.field !== 'snapshotId' || typeof state !== 'string') return false;
	if (LAST_STATES.includes(state)) return true;
	return isFinalState(state) && Date.now() - since > LONG_FINAL;
}

/** The entry to keep after a look; the same object where nothing has changed. */
export function seenAfter(seen: Seen, status: MessageStatus | undefined, salt: string): Seen {
	// A message that the service no longer finds keeps its last state: it didn't change.
	if (status === undefined) {
		return seen.state === undefined ? { id: seen.id, state: null } : seen;
	}
	const message = mark(salt, `message ${status.id}`);
	const state = startOf(status.state, LONGEST_STATE);
	if (seen.message === message && seen.state === state) return seen;
	return { id: seen.id, state, message, since: Date.now() };
}

import { STATES, STATES_ON_THE_WAY } from '../../shared/service/messages';
import { NO_MESSAGE, type Sight } from './mark';

/** Levels up to which the pauses between two looks grow: to 2 to the power of the level, in polls. */
const LEVELS = {
	/** It moves on by itself: looked at in every poll. */
	moving: 0,
	/** Opened, reply and unsubscribed follow delivered, mostly soon. */
	followed: 2,
	/** There is no message yet, or the service failed to say. */
	open: 3,
	settled: 6,
} as const;
/** A message that has been on its way for so long may never arrive. Milliseconds. */
const LONG_ON_THE_WAY = 2 * 24 * 3_600_000;
/** After so long, hardly anybody opens a link or replies. Milliseconds. */
const LONG_DELIVERED = 3 * 24 * 3_600_000;

/** States that others follow. */
const FOLLOWED = ['delivered', 'opened'];

/**
 * The level up to which the pauses grow after a look.
 *
 * @param mark what is remembered after it
 */
export function highestLevel(mark: string, sight: Sight): number {
	if (sight === 'failed') return LEVELS.open;
	if (sight === 'refused') return LEVELS.settled;
	if (sight === 'none') return mark === NO_MESSAGE ? LEVELS.open : LEVELS.settled;
	const { state, since } = sight;
	const age = since === undefined ? 0 : Date.now() - since;
	if (FOLLOWED.includes(state)) return age > LONG_DELIVERED ? LEVELS.settled : LEVELS.followed;
	// A state that the interface document doesn't have may lead anywhere.
	const isMoving = STATES_ON_THE_WAY.includes(state) || !STATES.includes(state);
	return isMoving && age <= LONG_ON_THE_WAY ? LEVELS.moving : LEVELS.settled;
}

import { STATES } from '../../shared/service/messages';
import { fingerprint } from './fingerprint';
import { DIGITS } from './records';

/**
 * What a look found: a message's state, and since when (ms since the Unix epoch) where the service says
 * so; `none`; that the service refuses this one; or that it failed to answer.
 */
export type Sight = { id: string; state: string; since?: number } | 'none' | 'refused' | 'failed';

/** Characters that stand for a message. */
const MESSAGE = 4;
/** Characters of a mark: 1 for the state last seen, and those of its message. */
export const MARK = 1 + MESSAGE;

const UNSEEN_NUMBER = 0;
const NO_MESSAGE_NUMBER = 1;
/** What has numbers below it is no state. */
const FIRST_STATE = 2;
const UNSEEN_EXISTING_NUMBER = 62;
/** All states that there is no number left for. */
const OTHER_STATE = 63;

/** Never looked at so far; what is found then is the baseline. */
export const UNSEEN = markWith(UNSEEN_NUMBER);
/** Never looked at so far; what is found then makes an event all the same. */
export const UNSEEN_EXISTING = markWith(UNSEEN_EXISTING_NUMBER);
/** Looked at, and there was no message. */
export const NO_MESSAGE = markWith(NO_MESSAGE_NUMBER);

function markWith(number: number, message = DIGITS[0].repeat(MESSAGE)): string {
	return DIGITS[number] + message;
}

/**
 * What is remembered after a look.
 *
 * @param mark what was remembered before
 * @param names states beyond those of the interface document; one that is met for the first time is added
 */
export function markAfter(mark: string, sight: Sight, names: string[]): string {
	if (sight === 'refused' || sight === 'failed') return mark;
	// A message that the service no longer finds keeps its last state: it didn't change.
	if (sight === 'none') return isState(numberIn(mark)) ? mark : NO_MESSAGE;
	const number = numberOf(sight.state, names);
	// Where states share a number, they still differ.
	const id = number === OTHER_STATE ? `${sight.id} ${sight.state}` : sight.id;
	return markWith(number, fingerprint(id).slice(0, MESSAGE));
}

/** Whether a mark is of this message, in whatever state it was. */
export function isOfMessage(mark: string, { id }: { id: string }): boolean {
	return isState(numberIn(mark)) && mark.slice(1) === fingerprint(id).slice(0, MESSAGE);
}

/** The state that a mark remembers; null when there was no message, or no look before. */
export function stateIn(mark: string, names: readonly string[]): string | null {
	const number = numberIn(mark);
	return isState(number) ? ([...STATES, ...names][number - FIRST_STATE] ?? null) : null;
}

export function isUnseen(mark: string): boolean {
	return mark === UNSEEN || mark === UNSEEN_EXISTING;
}

function numberIn(mark: string): number {
	return DIGITS.indexOf(mark[0]);
}

function isState(number: number): boolean {
	return number >= FIRST_STATE && number !== UNSEEN_EXISTING_NUMBER;
}

function numberOf(state: string, names: string[]): number {
	const documented = STATES.indexOf(state);
	if (documented >= 0) return FIRST_STATE + documented;
	const room = UNSEEN_EXISTING_NUMBER - FIRST_STATE - STATES.length;
	if (!names.includes(state) && names.length < room) names.push(state);
	const other = names.indexOf(state);
	return other < 0 ? OTHER_STATE : FIRST_STATE + STATES.length + other;
}

import type { MessageType } from './characters';
import { frenchDigits } from './frenchPlan';

/**
 * The mention that the service adds to a marketing message with a custom sender to a French number, so that its
 * recipient can unsubscribe (interface document, section 8). The digits of the short code, and what
 * stands between it and the text, are not shown: it is counted with a space.
 */
export const STOP_MENTION = 'STOP 36XXX';

/** A message, as far as the mention depends on it. */
interface Mentioned {
	type: MessageType;
	/** The custom sender; undefined for a short code. */
	sender: string | undefined;
	/** In international format; a number that isn't known yet is taken for French. */
	number?: string;
}

/** The text with the mention, where it gets one: what is to be counted. */
export function withStopMention(text: string, { type, sender, number }: Mentioned): string {
	const isFrench = number === undefined || frenchDigits(number) !== undefined;
	return type === 'marketing' && isFrench ? withCampaignStopMention(text, sender) : text;
}

/** The text of a campaign with the mention, which it gets whenever it has a sender (section 8). */
export function withCampaignStopMention(text: string, sender: string | undefined): string {
	return sender === undefined ? text : `${text} ${STOP_MENTION}`;
}

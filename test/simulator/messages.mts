/** One message and its life: sent → submitted → delivered, or bounced, or in error. */
import type { Clock } from './clock.mts';
import type { MessageKind } from './limits.mts';

const STATES_AFTER_DELIVERY = new Set(['delivered', 'opened', 'reply', 'unsubscribed']);

/** How long after it left a message is submitted, and delivered (or bounced, or in error). */
export interface Lifecycle {
	submittedAfterMs: number;
	deliveredAfterMs: number;
}

/** A message on a phone, and what became of it. Times are ms since the Unix epoch. */
export interface SimMessage {
	readonly snapshotId: string;
	readonly kind: MessageKind;
	/** The recipient in E.164. */
	readonly number: string;
	/** The text of the request. */
	readonly text: string;
	/** The text on the phone: with the STOP mention where the service adds one. */
	readonly deliveredText: string;
	/** The custom sender; undefined when the phone shows a short code. */
	readonly sender?: string;
	readonly category?: string;
	readonly campaignName?: string;
	/** Set when the message belongs to a campaign. */
	readonly campaignId?: string;
	/** The scheduled time that was asked for. */
	readonly date?: number;
	readonly acceptedAt: number;
	readonly creditsUsed: number;
	/** True for a campaign's test message. */
	readonly test: boolean;
	/** 'scheduled' until its date has come, then one of the document's states. */
	readonly state: string;
	readonly stateDate: number;
	readonly sent?: number;
	readonly submitted?: number;
	readonly delivered?: number;
	/** When the recipient replied last. */
	reply?: number;
	opens: number;
	clicks: number;
	/** Sets the state from outside; the message no longer moves on by itself. */
	setState(state: string): void;
}

/** The parts of a message when the service accepts it. */
export interface AcceptedMessage {
	snapshotId: string;
	kind: MessageKind;
	number: string;
	text: string;
	deliveredText: string;
	sender?: string;
	category?: string;
	campaignName?: string;
	campaignId?: string;
	date?: number;
	creditsUsed: number;
	test: boolean;
}

/**
 * Makes a message that lives by the clock.
 * @param end the state it ends in unless somebody sets another: delivered, bounced or error
 */
export function createMessage(
	accepted: AcceptedMessage,
	clock: Clock,
	lifecycle: Lifecycle,
	end: 'delivered' | 'bounced' | 'error',
): SimMessage {
	const acceptedAt = clock.now();
	const leavesAt = Math.max(acceptedAt, accepted.date ?? 0);
	const submittedAt = leavesAt + lifecycle.submittedAfterMs;
	const endsAt = leavesAt + lifecycle.deliveredAfterMs;
	let forced: { state: string; at: number } | undefined;
	return {
		...accepted,
		acceptedAt,
		opens: 0,
		clicks: 0,
		get state() {
			if (forced !== undefined) return forced.state;
			const now = clock.now();
			if (now < leavesAt) return 'scheduled';
			if (now < submittedAt) return 'sent';
			return now < endsAt ? 'submitted' : end;
		},
		get stateDate() {
			if (forced !== undefined) return forced.at;
			const times: Record<string, number> = {
				scheduled: acceptedAt,
				sent: leavesAt,
				submitted: submittedAt,
			};
			return times[this.state] ?? endsAt;
		},
		get sent() {
			if (forced !== undefined) return Math.min(leavesAt, forced.at);
			return this.state === 'scheduled' ? undefined : leavesAt;
		},
		get submitted() {
			if (forced !== undefined) {
				return forced.state === 'sent' ? undefined : Math.min(submittedAt, forced.at);
			}
			return clock.now() < submittedAt ? undefined : submittedAt;
		},
		get delivered() {
			if (forced !== undefined) {
				const arrived = STATES_AFTER_DELIVERY.has(forced.state);
				return arrived ? Math.min(endsAt, forced.at) : undefined;
			}
			return this.state === 'delivered' ? endsAt : undefined;
		},
		setState(state) {
			forced = { state, at: clock.now() };
		},
	};
}

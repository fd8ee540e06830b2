/** A pool of messages that is counted together: a category, a campaign, or the whole account. */
import type { BlacklistKind } from './blacklist.mts';
import { JsonCollection } from './collection.mts';
import type { Dialect } from './dialect.mts';
import { toNational } from './limits.mts';
import type { SimMessage } from './messages.mts';

/** Interface document 2.9. */
export interface Reply {
	id: string;
	identifier: string;
	message: string;
}

/** Interface document 2.8. */
export interface CategoryStatistics {
	sent: number;
	submitted: number;
	delivered: number;
	openers: number;
	clickers: number;
	clicks: number;
	opens: number;
	replies: number;
	unsubscribers: number;
	errors: number;
	bounced: number;
	complaint: number;
	timespent: number;
}

export class Pool {
	readonly messages: SimMessage[] = [];
	readonly replies = new JsonCollection<Reply>();
	/** Numbers in E.164. */
	readonly blacklists: Record<BlacklistKind, Set<string>> = {
		unsubscribers: new Set(),
		bounces: new Set(),
	};
	/** Counters that say something else than what happened. */
	statisticsOverride: Partial<CategoryStatistics> = {};

	statistics(): CategoryStatistics {
		return {
			...countMessages(this.messages),
			replies: this.replies.length,
			unsubscribers: this.blacklists.unsubscribers.size,
			...this.statisticsOverride,
		};
	}

	/** Interface document 2.11: counts, and numbers in national format. */
	blacklistAnswer({ blacklistKeys }: Dialect): Record<string, unknown> {
		const kinds: readonly BlacklistKind[] = ['bounces', 'unsubscribers'];
		const answered = kinds.filter(
			(kind) => blacklistKeys === 'both' || this.blacklists[kind].size > 0,
		);
		return Object.fromEntries(
			answered.map((kind) => {
				const numbers = [...this.blacklists[kind]].map(toNational);
				return [kind, { number: numbers.length, identifiers: numbers }];
			}),
		);
	}
}

/** The statistics of some messages, without replies and unsubscribers. */
export function countMessages(messages: readonly SimMessage[]): CategoryStatistics {
	const counts: CategoryStatistics = {
		sent: 0,
		submitted: 0,
		delivered: 0,
		openers: 0,
		clickers: 0,
		clicks: 0,
		opens: 0,
		replies: 0,
		unsubscribers: 0,
		errors: 0,
		bounced: 0,
		complaint: 0,
		timespent: 0,
	};
	for (const message of messages) {
		const { state, opens, clicks } = message;
		if (message.sent !== undefined) counts.sent++;
		if (message.submitted !== undefined) counts.submitted++;
		if (message.delivered !== undefined) counts.delivered++;
		if (state === 'error') counts.errors++;
		if (state === 'bounced') counts.bounced++;
		if (opens > 0) counts.openers++;
		if (clicks > 0) counts.clickers++;
		counts.opens += opens;
		counts.clicks += clicks;
	}
	return counts;
}

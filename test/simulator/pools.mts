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

const COUNTERS = [
	...(['sent', 'submitted', 'delivered', 'openers', 'clickers', 'clicks', 'opens'] as const),
	...(['replies', 'unsubscribers', 'errors', 'bounced', 'complaint', 'timespent'] as const),
];

/** Interface document 2.8. */
export type CategoryStatistics = Record<(typeof COUNTERS)[number], number>;

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
	const zeros = COUNTERS.map((name) => [name, 0]);
	const counts = Object.fromEntries(zeros) as CategoryStatistics;
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

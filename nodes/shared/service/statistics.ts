import { isEmpty, readCounters } from './answers';
import type { Endpoint } from './endpoint';

/** Interface document 4.4. */
export const CATEGORY_STATISTICS: Endpoint = 'GET /v2/messages/stats';

/** The counters of a category, in the order of interface document 2.8. */
export const CATEGORY_COUNTERS = [
	'sent',
	'submitted',
	'delivered',
	'openers',
	'clickers',
	'clicks',
	'opens',
	'replies',
	'unsubscribers',
	'errors',
	'bounced',
	'complaint',
	'timespent',
] as const;

export type CategoryCounter = (typeof CATEGORY_COUNTERS)[number];

/**
 * Statistics of a category: at least one of the counters, each of them a number. What the service
 * answers for a category that it doesn't know is not shown: an empty object or list has no counters.
 */
export function readCategoryStatistics(body: unknown) {
	return isEmpty(body) ? {} : readCounters(body, CATEGORY_COUNTERS);
}

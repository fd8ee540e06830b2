import { readCounters } from './answers';
import type { Endpoint } from './endpoint';

/** Interface document 4.6. */
export const ACCOUNT_STATISTICS: Endpoint = 'GET /v2/account/stats';

/** The counters of the account, in the order of interface document 2.10. */
export const ACCOUNT_COUNTERS = [
	'bounces',
	'credits',
	'delivered',
	'sent',
	'submitted',
	'undelivered',
	'unsubscribers',
] as const;

/**
 * Account statistics (interface document 2.10): an object with at least one of the counters, each of
 * them a number.
 */
export function readAccountStatistics(body: unknown) {
	return readCounters(body, ACCOUNT_COUNTERS);
}

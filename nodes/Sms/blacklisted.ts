import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { isFailure, type Delivery } from '../shared/run/Delivery';
import { toNodeError } from '../shared/run/errors';
import { requestOnce, type RequestOptions } from '../shared/http/request';
import { readEntries, type BlacklistEntry } from '../shared/service/blacklists';
import { canonicalNumber } from '../shared/service/number';

const LISTS = {
	unsubscribers: 'The recipient has unsubscribed (STOP)',
	bounces: "The number is on the account's bounce list",
};

/**
 * The numbers on the account's blacklists (interface document 4.1), each with the reason. Entries that
 * are marked as deleted don't count.
 *
 * @returns canonical number → reason
 * @throws NodeApiError when a list can't be fetched
 */
export async function fetchBlacklistedNumbers(
	context: IExecuteFunctions,
	delivery: Delivery,
	requestOptions: RequestOptions,
): Promise<Map<string, string>> {
	const listed = new Map<string, string>();
	for (const [kind, reason] of Object.entries(LISTS)) {
		const url = `/v2/${kind}/default/contacts`;
		const outcome = await delivery.perform({
			key: url,
			repeatable: true,
			identity: { sent: url, intent: url },
			attempt: async () => {
				const request = { method: 'GET' as const, url };
				const result = await requestOnce(context, request, readEntries, requestOptions);
				if (!('value' in result)) return result;
				return { value: { entries: result.value as unknown as IDataObject[] } };
			},
		});
		if (isFailure(outcome)) {
			const message = `The blacklists could not be fetched, so that nothing was sent: ${outcome.message}`;
			throw toNodeError(context.getNode(), { ...outcome, message }, { itemIndex: 0 });
		}
		if (outcome.status === 'skipped') continue;
		for (const { identifier, deleted } of outcome.value
			.entries as unknown as BlacklistEntry[]) {
			if (!deleted) listed.set(canonicalNumber(identifier), reason);
		}
	}
	return listed;
}

import { BLACKLIST_ENTRIES, readListedNumber, type BlacklistKind } from '../service/blacklists';
import type { Client } from './client';
import { forEach } from './chunks';

/**
 * The numbers of one of the account's blacklists (interface document 4.1), in one spelling. It is fetched
 * once in a run. Entries that are marked as deleted don't count.
 *
 * @throws StepFailed
 */
export async function getListedNumbers(
	blacklist: BlacklistKind,
	client: Client,
): Promise<ReadonlySet<string>> {
	return await client.together(`listed ${blacklist}`, async () => {
		const get = { endpoint: BLACKLIST_ENTRIES, path: { blacklist } };
		const { records } = await client.getAll(get, readListedNumber);
		const numbers = new Set<string>();
		await forEach(records, (number) => {
			if (number !== null) numbers.add(number);
		});
		return numbers;
	});
}

/** What else of the account has a name, such as another list: a name says nothing to the service, but to people. */
import { collectionOf } from './http/collectionOf';
import type { Client } from './run/client';
import type { Endpoint } from './service/endpoint';

/**
 * The others with a name, in the account's list of all of them, which is asked for once in a run.
 *
 * @param own ID of the one that is known
 * @returns none where the account doesn't tell
 */
export async function namesakes<T extends { id: string; name?: unknown }>(
	{ id: own, name }: { id: unknown; name: string },
	all: { endpoint: Endpoint; read: (record: unknown) => T | undefined },
	client: Client,
): Promise<T[]> {
	const ask = async () => await client.tryGet({ endpoint: all.endpoint }, collectionOf(all.read));
	const found = await client.cached(`all ${all.endpoint}`, ask);
	return (found?.records ?? []).filter((one) => one.name === name && one.id !== own);
}

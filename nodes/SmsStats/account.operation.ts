import { only } from '../shared/service/answers';
import type { Client } from '../shared/run/client';
import { defineOperation } from '../shared/run/define';
import { fieldsOf, type Outcome } from '../shared/run/outcome';
import { failureOf } from '../shared/run/unknown';
import { ACCOUNT_STATISTICS as request, readAccountStatistics } from '../shared/service/account';

/** Counters and credits of the whole account (interface document 2.10, 4.6): one result, whatever the items are. */
export const account = defineOperation({
	name: 'Get Account Statistics',
	value: 'account',
	action: 'Get account statistics',
	description:
		'Retrieve the credits that are left and how many messages the whole account has sent',
	builderHint:
		'Use to see how many credits are left. To be told when they run low, use SMS Trigger.',
	fields: [],
	request,
	kind: 'read',
	prepare: () => ({ subject: 'the account' }),
	async executeAll(entries, clientOf) {
		const pairedItem = entries.map(({ index: item }) => ({ item }));
		const nothing: Outcome = { status: 'done', value: [] };
		const outcomes = new Map<number, Outcome>(entries.map(({ index }) => [index, nothing]));
		return outcomes.set(entries[0].index, await ask(clientOf(entries[0]), pairedItem));
	},
});

async function ask(client: Client, pairedItem: Array<{ item: number }>): Promise<Outcome> {
	try {
		const statistics = fieldsOf(await client.get({ endpoint: request }, readAccountStatistics));
		// The fields that people look for come first.
		const json = { ...only(statistics, ['credits', 'sent', 'delivered']), ...statistics };
		return { status: 'done', value: [{ json, pairedItem }] };
	} catch (error) {
		return failureOf(error);
	}
}

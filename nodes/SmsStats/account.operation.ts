import { only } from '../shared/service/answers';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { ACCOUNT_STATISTICS as request, readAccountStatistics } from '../shared/service/account';

/** Counters and credits of the whole account (interface document 2.10, 4.6). */
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
	async execute(_, client) {
		const statistics = fieldsOf(await client.get({ endpoint: request }, readAccountStatistics));
		// The fields that people look for come first.
		return { ...only(statistics, ['credits', 'sent', 'delivered']), ...statistics };
	},
});

import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineGetMany } from '../shared/run/collection';
import { readCampaigns } from '../shared/service/campaigns';

const url = '/v2/campaigns';

/** All campaigns of the account (extended). */
export const getMany = defineGetMany({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many campaigns',
	description: 'Retrieve the campaigns of the account. Not available on every account.',
	options: settingsFields({ delivery: paceOptions }),
	url,
	prepare: () => ({ at: { url } }),
	read: readCampaigns,
});

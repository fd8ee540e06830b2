import { defineGetMany } from '../shared/getMany';
import { BLACKLIST_ENTRIES, parseBlacklist, readEntry } from '../shared/service/blacklists';
import { readSwitch } from '../shared/service/choices';
import { withNumber } from '../shared/service/number';
import { blacklistField } from './fields';

/** Interface document 4.1, "Get entries". */
export const getMany = defineGetMany({
	name: 'Get Many Blacklisted Numbers',
	value: 'getMany',
	action: 'Get many blacklisted numbers',
	description: 'Retrieve the phone numbers on a blacklist',
	builderHint: 'Use to export everybody who opted out, for example to mark them in a CRM.',
	fields: [blacklistField],
	options: [
		{
			displayName: 'Include Deleted',
			name: 'includeDeleted',
			type: 'boolean',
			// Added to turn it on.
			default: true,
			description:
				'Whether to include numbers that were removed from the blacklist and can get messages again',
		},
	],
	request: BLACKLIST_ENTRIES,
	prepare(item) {
		const blacklist = parseBlacklist(item.parameter('blacklist'));
		return {
			subject: blacklist,
			at: { path: { blacklist } },
			includeDeleted: readSwitch(item.options, 'includeDeleted', 'Include Deleted'),
		};
	},
	readRecord: readEntry,
	wanted: ({ deleted }, { includeDeleted }) => includeDeleted || !deleted,
	toJson:
		({ includeDeleted }) =>
		({ deleted, ...entry }) =>
			withNumber(includeDeleted ? { ...entry, deleted } : entry),
});

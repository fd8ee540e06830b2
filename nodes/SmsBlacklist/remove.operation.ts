import { numberField } from '../shared/fields/number';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { blacklistPath, parseBlacklist, parseListedNumber } from '../shared/service/blacklists';
import { readNothing } from '../shared/service/records';
import { blacklistField } from './fields';

/** Interface document 4.1, "Remove an entry". */
export const remove: Operation = {
	option: {
		name: 'Remove',
		value: 'remove',
		action: 'Remove number from blacklist',
		description: 'Take a phone number off a blacklist, so that it can get messages again',
		routing: routed({
			method: 'DELETE',
			url: blacklistPath('unsubscribers'),
			prepare() {
				const blacklist = parseBlacklist(this.getNodeParameter('blacklist'));
				const identifier = parseListedNumber(this.getNodeParameter('number'));
				return {
					url: blacklistPath(blacklist),
					qs: { identifier },
					subject: identifier,
					extra: { identifier, blacklist },
				};
			},
			read: readNothing,
			result: () => ({ deleted: true }),
		}),
	},
	fields: [blacklistField, numberField, optionsField(paceOptions)],
};

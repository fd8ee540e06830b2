import { numberField } from '../shared/fields/number';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { eachSpelling } from '../shared/run/bySpelling';
import { defineOperation } from '../shared/run/define';
import { blacklistPath, parseBlacklist, parseListedNumber } from '../shared/service/blacklists';
import { readNothing } from '../shared/service/records';
import { blacklistField } from './fields';

/** Interface document 4.1, "Remove an entry". */
export const remove = defineOperation({
	name: 'Remove',
	value: 'remove',
	action: 'Remove number from blacklist',
	description: 'Take a phone number off a blacklist, so that it can get messages again',
	fields: [blacklistField, numberField, ...settingsFields({ delivery: paceOptions })],
	request: { method: 'DELETE', url: blacklistPath('unsubscribers') },
	madeOf: ['blacklist', 'number'],
	prepare(item) {
		const blacklist = parseBlacklist(item.parameter('blacklist'));
		const identifier = parseListedNumber(item.parameter('number'), { country: item.country });
		return {
			url: blacklistPath(blacklist),
			essence: [blacklist, identifier],
			subject: identifier,
			extra: { identifier, number: identifier, blacklist },
		};
	},
	async carryOut({ url, subject }, requests) {
		const search = eachSpelling(subject, [url]);
		return { deleted: await requests.delete({ url, search }, readNothing) };
	},
	howToFindOut: ({ subject }) =>
		`The operation Check tells whether ${subject} is on the blacklist now. A retry removes it if it is.`,
});

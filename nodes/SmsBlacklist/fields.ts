import type { INodeProperties } from 'n8n-workflow';
import type { Item } from '../shared/fields/item';
import { parseBlacklist } from '../shared/service/blacklists';
import { canonicalNumber } from '../shared/service/number';

export const blacklistField: INodeProperties = {
	displayName: 'Blacklist',
	name: 'blacklist',
	type: 'options',
	options: [
		{
			name: 'Bounces',
			value: 'bounces',
			description: "Numbers that aren't assigned to anyone",
		},
		{
			name: 'Unsubscribers',
			value: 'unsubscribers',
			description: "People who replied STOP and don't want any more messages",
		},
	],
	default: 'unsubscribers',
	description: 'Which blacklist of your account to use',
};

/**
 * The number of an item, and the blacklist that it is put on or taken off.
 *
 * @throws InputError
 */
export function prepareEntry(item: Item) {
	const blacklist = parseBlacklist(item.parameter('blacklist'));
	// Keeping somebody from getting messages is never forbidden.
	const number = canonicalNumber(item.number({ anyCountry: true }));
	return {
		path: { blacklist },
		target: [blacklist, number],
		subject: number,
		extra: { number, blacklist },
	};
}

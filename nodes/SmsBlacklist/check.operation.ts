import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { numberAsTyped, numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { getListedNumbers } from '../shared/numbers';
import { BLACKLIST_ENTRIES, BLACKLISTS, type BlacklistKind } from '../shared/service/blacklists';
import { readChoice } from '../shared/service/choices';
import { canonicalNumber } from '../shared/service/number';
import { blacklistField } from './fields';

const checkedField: INodeProperties = {
	...blacklistField,
	options: [
		{
			name: 'Any',
			value: 'any',
			description: 'Look in both blacklists',
		},
		...(blacklistField.options as INodePropertyOptions[]),
	],
	default: 'any',
	description: 'Which blacklist to look in',
};

/** "Get entries" of interface document 4.1, once for all items, and a check of each number. */
export const check = defineOperation({
	name: 'Check Blacklist for Number',
	value: 'check',
	action: 'Check blacklist for number',
	description: 'Check whether a phone number is on a blacklist',
	builderHint:
		"Use before texting, to leave out people who replied STOP or whose number no longer exists. In the SMS node, the option 'Skip Blacklisted Numbers' does it without this node.",
	fields: [checkedField, numberField],
	options: paceOptions,
	request: BLACKLIST_ENTRIES,
	kind: 'read',
	prepare(item) {
		const value = item.parameter('blacklist');
		const chosen = readChoice(value, [...BLACKLISTS, 'any'], 'Blacklist');
		const number = canonicalNumber(item.number({ anyCountry: true }));
		return { number, subject: number, blacklists: chosen === 'any' ? BLACKLISTS : [chosen] };
	},
	words: { asTyped: numberAsTyped },
	async execute({ number, blacklists }, client) {
		const found: BlacklistKind[] = [];
		for (const blacklist of blacklists) {
			const listed = await getListedNumbers(blacklist, client);
			if (listed.has(number)) found.push(blacklist);
		}
		return { number, listed: found.length > 0, blacklists: found };
	},
});

import type { IDataObject } from 'n8n-workflow';
import { numberField } from '../shared/fields/number';
import { settingsFields, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { whenThere } from '../shared/run/alreadyThere';
import { defineOperation } from '../shared/run/define';
import { parseBlacklist, parseListedNumber } from '../shared/service/blacklists';
import { readCreated } from '../shared/service/records';
import { blacklistField } from './fields';

const request = 'POST /v2/{blacklist}/default/contacts';

/** Interface document 4.1, "Add an entry". */
export const add = defineOperation({
	name: 'Add',
	value: 'add',
	action: 'Add number to blacklist',
	description: 'Put a phone number on a blacklist, so that no message is sent to it',
	fields: [
		blacklistField,
		numberField,
		...settingsFields({ delivery: [repeatUnknown, ...paceOptions] }),
	],
	request,
	madeOf: ['blacklist', 'number'],
	prepare(item) {
		const blacklist = parseBlacklist(item.parameter('blacklist'));
		const identifier = parseListedNumber(item.parameter('number'), { country: item.country });
		return {
			path: { blacklist },
			body: { identifier },
			essence: [blacklist, identifier],
			subject: identifier,
			extra: { identifier, number: identifier, blacklist },
			resendUnknown: readRepeatUnknown(item.options),
		};
	},
	carryOut: async ({ path, body }, requests) =>
		await requests.change<IDataObject>(
			{ endpoint: request, path, body, comesTo: whenThere('alreadyListed') },
			readCreated,
		),
	howToFindOut: ({ subject }) =>
		`The operation Check tells whether ${subject} is on the blacklist now.`,
});

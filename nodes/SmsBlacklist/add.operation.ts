import type { IDataObject } from 'n8n-workflow';
import { numberField } from '../shared/fields/number';
import type { Operation } from '../shared/fields/operation';
import { optionsField, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { blacklistPath, parseBlacklist, parseListedNumber } from '../shared/service/blacklists';
import { readSwitch } from '../shared/service/choices';
import { readCreated } from '../shared/service/records';
import { blacklistField } from './fields';

/** Interface document 4.1, "Add an entry". */
export const add: Operation = {
	option: {
		name: 'Add',
		value: 'add',
		action: 'Add number to blacklist',
		description: 'Put a phone number on a blacklist, so that no message is sent to it',
		routing: routed({
			method: 'POST',
			url: blacklistPath('unsubscribers'),
			prepare() {
				const blacklist = parseBlacklist(this.getNodeParameter('blacklist'));
				const identifier = parseListedNumber(this.getNodeParameter('number'));
				const options = this.getNodeParameter('options', {}) as IDataObject;
				return {
					url: blacklistPath(blacklist),
					body: { identifier },
					subject: identifier,
					extra: { identifier, blacklist },
					resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
				};
			},
			read: readCreated,
			howToFindOut: ({ subject }) =>
				`The operation Check tells whether ${subject} is on the blacklist now.`,
		}),
	},
	fields: [blacklistField, numberField, optionsField([repeatUnknown, ...paceOptions])],
};

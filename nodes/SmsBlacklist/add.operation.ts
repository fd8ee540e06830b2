import type { IDataObject } from 'n8n-workflow';
import { numberField } from '../shared/fields/number';
import { settingsFields, readRepeatUnknown, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { whenThere } from '../shared/run/alreadyThere';
import { defineOperation } from '../shared/run/define';
import { readCreated } from '../shared/service/records';
import { blacklistField, prepareEntry } from './fields';

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
	deed: 'added',
	prepare: (item) => ({
		...prepareEntry(item),
		resendUnknown: readRepeatUnknown(item.options),
	}),
	carryOut: async ({ path, subject: identifier }, requests) =>
		await requests.change<IDataObject>(
			{
				endpoint: request,
				path,
				body: { identifier },
				comesTo: whenThere('alreadyListed'),
			},
			(body) => {
				const created = readCreated(body);
				return created && { ...created, alreadyListed: false };
			},
		),
	howToFindOut: ({ subject }) =>
		`The operation Check tells whether ${subject} is on the blacklist now.`,
});

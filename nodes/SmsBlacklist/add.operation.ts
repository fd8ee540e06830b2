import type { IDataObject } from 'n8n-workflow';
import { numberAsTyped, numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { getListedNumbers, thoseThatWere } from '../shared/numbers';
import { isAlreadyThere } from '../shared/service/errorCodes';
import { readCreated } from '../shared/service/records';
import { blacklistField, prepareEntry } from './fields';

const request = 'POST /v2/{blacklist}/default/contacts';

/** Interface document 4.1, "Add an entry". */
export const add = defineOperation({
	name: 'Add Number to Blacklist',
	value: 'add',
	action: 'Add number to blacklist',
	description: 'Add a phone number to a blacklist, so that it gets no more messages',
	builderHint:
		'Use when a person asks in any way not to be texted any more, for example by email or in a CRM. Who replies STOP is added by the service itself.',
	fields: [blacklistField, numberField],
	options: paceOptions,
	request,
	kind: 'change',
	prepare: prepareEntry,
	words: {
		verb: 'added',
		done: 'done',
		summaryOf: thoseThatWere(
			'number',
			({ alreadyListed }) => alreadyListed === true,
			'on the blacklist already',
		),
		asTyped: numberAsTyped,
	},
	execute: async ({ path, subject: identifier }, client) =>
		await client.change<IDataObject>(
			{
				endpoint: request,
				path,
				body: { identifier },
				// After a lost answer, that try may have added it.
				successOf: (failure, wasLost) =>
					isAlreadyThere(failure) ? { alreadyListed: wasLost ? null : true } : undefined,
			},
			(body) => {
				const created = readCreated(body);
				return created && { ...created, alreadyListed: false };
			},
		),
	async lookUp({ path, subject }, client) {
		const isListed = (await getListedNumbers(path.blacklist, client)).has(subject);
		return isListed ? { value: { alreadyListed: null } } : 'absent';
	},
});

import { numberAsTyped, numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { eachSpelling, notThere } from '../shared/numbers';
import { defineOperation } from '../shared/run/define';
import { readNothing } from '../shared/service/records';
import { blacklistField, prepareEntry } from './fields';

const request = 'DELETE /v2/{blacklist}/default/contacts';

/** Interface document 4.1, "Remove an entry". */
export const remove = defineOperation({
	name: 'Remove Number From Blacklist',
	value: 'remove',
	action: 'Remove number from blacklist',
	description:
		'Remove a phone number from a blacklist. Only remove an unsubscriber who asks to get messages again.',
	builderHint:
		'Use when a person who opted out wants to get messages again. Ask for their consent first.',
	fields: [blacklistField, numberField],
	options: paceOptions,
	request,
	kind: 'delete',
	prepare: prepareEntry,
	words: {
		verb: 'removed',
		done: 'done',
		summaryOf: notThere('number', 'on the blacklist'),
		asTyped: numberAsTyped,
	},
	async execute({ path, subject }, client) {
		const search = eachSpelling(subject, [request]);
		return { deleted: await client.delete({ endpoint: request, path, search }, readNothing) };
	},
});

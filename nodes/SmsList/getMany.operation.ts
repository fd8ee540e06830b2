import { defineGetMany } from '../shared/getMany';
import { LISTS, readListSummary } from '../shared/service/lists';

/** Interface document 4.5, "Get all lists". */
export const getMany = defineGetMany({
	name: 'Get Many Lists',
	value: 'getMany',
	action: 'Get many lists',
	description: 'Retrieve the contact lists of the account: their IDs and names',
	builderHint: 'Use to find the ID of a list by its name.',
	request: LISTS,
	prepare: () => ({}),
	readRecord: readListSummary,
});

import { aboutList, listLocatorField } from '../shared/fields/list';
import { defineOperation } from '../shared/run/define';
import { LIST, readList } from '../shared/service/lists';

/** Interface document 4.5, "Get one list". */
export const get = defineOperation({
	name: 'Get List',
	value: 'get',
	action: 'Get list',
	description: 'Retrieve a contact list with its columns',
	builderHint: 'Use to see which columns a list has.',
	fields: [listLocatorField],
	request: LIST,
	kind: 'read',
	prepare: aboutList,
	execute: async ({ path }, client) => await client.get({ endpoint: LIST, path }, readList),
});

import { listLocatorField, readListId } from '../shared/fields/list';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { LIST, readList } from '../shared/service/lists';

/** Interface document 4.5, "Get one list". */
export const get = defineOperation({
	name: 'Get List',
	value: 'get',
	action: 'Get list',
	description: 'Retrieve a contact list with its columns',
	builderHint: 'Use to see which columns a list has.',
	fields: [listLocatorField, ...settingsFields({ requests: paceOptions })],
	request: LIST,
	prepare: (item) => ({ subject: readListId(item) }),
	carryOut: async ({ subject: listId }, requests) =>
		fieldsOf(await requests.get({ endpoint: LIST, path: { listId } }, readList)),
});

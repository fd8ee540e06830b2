import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { readCategoryBlacklists } from '../shared/service/statistics';
import { categoryField, parseCategory } from './category';

const url = '/v2/messages/blacklists';

/** Who unsubscribed or has no number any more, of a category (interface document 2.11, 4.4). */
export const categoryBlacklists = defineOperation({
	name: 'Get Category Blacklists',
	value: 'categoryBlacklists',
	action: 'Get blacklists of category',
	description:
		'Retrieve the numbers that replied STOP to a category and those that turned out to be unassigned',
	fields: [categoryField, optionsField(paceOptions)],
	request: { method: 'GET', url },
	prepare: (item) => ({ subject: parseCategory(item.parameter('category')) }),
	carryOut: async ({ subject }, requests) =>
		fieldsOf(await requests.get({ url, qs: { category: subject } }, readCategoryBlacklists)),
});

import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import {
	CATEGORY_BLACKLISTS_PATH as url,
	readCategoryBlacklists,
} from '../shared/service/blacklists';
import { categoryField, parseCategory } from './category';

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

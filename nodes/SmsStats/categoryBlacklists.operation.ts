import type { IDataObject } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readCategoryBlacklists } from '../shared/service/blacklists';
import { categoryField, parseCategory } from './category';

/** Who unsubscribed or has no number any more, of a category (interface document 2.11, 4.4). */
export const categoryBlacklists: Operation = {
	option: {
		name: 'Get Category Blacklists',
		value: 'categoryBlacklists',
		action: 'Get blacklists of category',
		description:
			'Retrieve the numbers that replied STOP to a category and those that turned out to be unassigned',
		routing: routed({
			method: 'GET',
			url: '/v2/messages/blacklists',
			prepare() {
				const category = parseCategory(this.getNodeParameter('category'));
				return { qs: { category }, subject: category };
			},
			read: (body) => readCategoryBlacklists(body) as IDataObject | undefined,
		}),
	},
	fields: [categoryField, optionsField(paceOptions)],
};

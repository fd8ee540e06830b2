import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { defineGetMany } from '../shared/run/collection';
import { fieldsOf } from '../shared/run/outcome';
import { show } from '../shared/service/InputError';
import { readReplies, REPLIES, toReply } from '../shared/service/replies';
import { withNumber } from '../shared/service/number';
import { categoryField, parseCategory } from './category';

/** What recipients replied to a category (interface document 2.9, 4.4). */
export const replies = defineGetMany({
	name: 'Get Replies',
	value: 'replies',
	action: 'Get replies to category',
	description:
		'Retrieve the replies to the messages of a category, one item for each, in no order that the service promises',
	fields: [categoryField],
	options: settingsFields({ delivery: paceOptions }),
	request: REPLIES,
	prepare(item) {
		const category = parseCategory(item.parameter('category'));
		return { subject: category, at: { qs: { category } } };
	},
	read: readReplies,
	whenNothing: ({ subject }) =>
		`There are no replies in the category ${show(subject)}. If that is a surprise, check how it is written.`,
	toJson: () => (reply) => fieldsOf(withNumber(toReply(reply))),
});

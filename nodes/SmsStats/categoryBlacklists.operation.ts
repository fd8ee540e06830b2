import { defineOperation } from '../shared/run/define';
import {
	BLACKLISTS,
	CATEGORY_BLACKLISTS as request,
	readCategoryBlacklists,
	shownBlacklists,
} from '../shared/service/blacklists';
import { categoryField, nothingIn, readCategory } from './category';

/** Unsubscribed and unassigned numbers of a category (interface document 2.11, 4.4). */
export const categoryBlacklists = defineOperation({
	name: 'Get Category Blacklists',
	value: 'categoryBlacklists',
	action: 'Get category blacklists',
	description:
		'Retrieve the numbers that replied STOP to messages of a category, and those that are unassigned',
	builderHint: 'Use to see who unsubscribed because of the messages of one category.',
	fields: [categoryField],
	request,
	kind: 'read',
	prepare: (item) => ({ subject: readCategory(item) }),
	async execute({ subject }, client) {
		const found = await client.find(
			{ endpoint: request, qs: { category: subject } },
			readCategoryBlacklists,
		);
		const blacklists = found ?? readCategoryBlacklists({})!;
		if (BLACKLISTS.every((kind) => blacklists[kind].number === 0)) {
			client.note(nothingIn(subject, 'Nobody is on the blacklists of'));
		}
		return { category: subject, ...shownBlacklists(blacklists) };
	},
});

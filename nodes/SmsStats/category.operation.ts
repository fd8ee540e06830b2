import { readShape, simplifyFields } from '../shared/fields/simplify';
import { defineOperation } from '../shared/run/define';
import type { Fields } from '../shared/service/answers';
import {
	CATEGORY_COUNTERS,
	CATEGORY_STATISTICS as request,
	readCategoryStatistics,
	type CategoryCounter,
} from '../shared/service/statistics';
import { categoryField, nothingIn, readCategory } from './category';

/** The counters of a category (interface document 2.8, 4.4). */
export const category = defineOperation({
	name: 'Get Category Statistics',
	value: 'category',
	action: 'Get category statistics',
	description:
		'Count how many messages of a category were sent, delivered, opened, clicked and replied to',
	builderHint:
		'Use for a report on the messages sent with one category: delivered, opened, clicked, replied to.',
	fields: [categoryField, ...simplifyFields],
	request,
	kind: 'read',
	prepare: (item) => ({
		subject: readCategory(item),
		shape: readShape(item, SIMPLE),
	}),
	async execute({ subject, shape }, client) {
		const get = { endpoint: request, qs: { category: subject } };
		let statistics: Fields = (await client.find(get, readCategoryStatistics)) ?? {};
		// A category that the service doesn't know has as many answers as one without messages.
		if (CATEGORY_COUNTERS.every((name) => !statistics[name])) {
			statistics = { ...NOTHING, ...statistics };
			client.note(nothingIn(subject, 'There are no messages in'));
		}
		const shaped = shape(statistics);
		return shaped === statistics ? shaped : { category: subject, ...shaped };
	},
});

const NOTHING = Object.fromEntries(CATEGORY_COUNTERS.map((name) => [name, 0]));

/** The fields that most workflows look at. */
const SIMPLE = [
	'sent',
	'delivered',
	'openers',
	'clickers',
	'replies',
	'unsubscribers',
	'bounced',
	'errors',
] as const satisfies readonly CategoryCounter[];

import type { INodeProperties } from 'n8n-workflow';
import { settingsFields } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { readShape, simplifyFields } from '../shared/fields/simplify';
import { defineOperation } from '../shared/run/define';
import { fieldsOf } from '../shared/run/outcome';
import { requireTrimmed } from '../shared/service/InputError';
import {
	CATEGORY_COUNTERS,
	CATEGORY_STATISTICS as request,
	readCategoryStatistics,
	type CategoryCounter,
	type CategoryStatistics,
} from '../shared/service/statistics';
import { categoryField, nothingIn, parseCategory } from './category';
import { reportFileName, reportHtml } from './report';

const report: INodeProperties = {
	displayName: 'Include HTML Report',
	name: 'report',
	type: 'boolean',
	default: false,
	description:
		'Whether to add an HTML file with a chart of the messages that were sent, delivered, opened, clicked and replied to, which you can email or post',
};

const binaryPropertyName: INodeProperties = {
	displayName: 'Output Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output field to put the binary file data in',
	description: "Name of the output field for the file of 'Include HTML Report'",
};

/** The counters of a category (interface document 2.8, 4.4), with a report of them if wanted. */
export const category = defineOperation({
	name: 'Get Category Statistics',
	value: 'category',
	action: 'Get category statistics',
	description:
		'Count how many messages of a category were sent, delivered, opened, clicked and replied to',
	builderHint:
		'Use for a report on the messages sent with one category: delivered, opened, clicked, replied to.',
	fields: [
		categoryField,
		...simplifyFields,
		...settingsFields({ options: [binaryPropertyName, report], requests: paceOptions }),
	],
	request,
	prepare(item) {
		const { report: isWanted, binaryPropertyName: field } = item.options;
		return {
			subject: parseCategory(item.parameter('category')),
			shape: readShape(item, SIMPLE),
			reportField: isWanted === true ? readFieldName(field) : undefined,
		};
	},
	async carryOut({ subject, shape, reportField }, requests, item) {
		const counted = await requests.find(
			{ endpoint: request, qs: { category: subject } },
			readCategoryStatistics,
		);
		// A category that the service doesn't know has as many answers as one without messages.
		const isNothing = CATEGORY_COUNTERS.every((name) => !counted?.[name]);
		const statistics = isNothing ? { ...NOTHING, ...counted } : counted!;
		if (isNothing) {
			requests.note(nothingIn(subject, 'There are no messages in'));
		}
		const raw = fieldsOf(statistics);
		const shaped = shape(raw);
		const json = shaped === raw ? raw : { category: subject, ...shaped };
		if (reportField === undefined) return json;
		const html = reportHtml(subject, statistics, new Date(), item.timeZone);
		const file = await item.file(Buffer.from(html), reportFileName(subject), 'text/html');
		return [{ json, binary: { [reportField]: file } }];
	},
});

const NOTHING: CategoryStatistics = Object.fromEntries(
	CATEGORY_COUNTERS.map((name) => [name, 0] as const),
);

/** What most workflows look at. */
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

/** @throws InputError */
function readFieldName(value: unknown): string {
	return requireTrimmed(value ?? 'data', 'Output Data Field Name', 'Enter a name such as data.');
}

import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { InputError, requireText } from '../shared/service/InputError';
import { readCategoryStatistics, type CategoryStatistics } from '../shared/service/statistics';
import { categoryField, parseCategory } from './category';
import { reportFileName, reportHtml } from './report';

const report: INodeProperties = {
	displayName: 'Report',
	name: 'report',
	type: 'boolean',
	default: false,
	description:
		'Whether to add an HTML file that shows how many messages were sent, delivered, opened, clicked and replied to, ready to be mailed or posted',
};

const binaryPropertyName: INodeProperties = {
	displayName: 'Output Data Field Name',
	name: 'binaryPropertyName',
	type: 'string',
	default: 'data',
	placeholder: 'e.g. data',
	hint: 'The name of the output field to put the binary file data in',
	description: "With 'Report': name of the binary field of the result that holds the file",
};

/** The counters of a category (interface document 2.8, 4.4), with a report of them if wanted. */
export const category: Operation = {
	option: {
		name: 'Get Category Statistics',
		value: 'category',
		action: 'Get statistics of category',
		description:
			'Count how many messages of a category were sent, delivered, opened, clicked and replied to',
		routing: routed({
			method: 'GET',
			url: '/v2/messages/stats',
			prepare() {
				const tag = parseCategory(this.getNodeParameter('category'));
				const options = this.getNodeParameter('options', {}) as IDataObject;
				return {
					qs: { category: tag },
					subject: tag,
					report:
						options.report === true
							? { category: tag, field: readFieldName(options.binaryPropertyName) }
							: undefined,
				};
			},
			read: (body) => readCategoryStatistics(body) as IDataObject | undefined,
			async finish(item, { report: wanted }) {
				if (wanted === undefined) return item;
				const html = reportHtml(
					wanted.category,
					item.json as CategoryStatistics,
					new Date(),
					this.getTimezone(),
				);
				const file = await this.helpers.prepareBinaryData(
					Buffer.from(html),
					reportFileName(wanted.category),
					'text/html',
				);
				return { ...item, binary: { [wanted.field]: file } };
			},
		}),
	},
	fields: [categoryField, optionsField([binaryPropertyName, report, ...paceOptions])],
};

/** @throws InputError */
function readFieldName(value: unknown): string {
	const name = requireText(value ?? 'data', 'Output Data Field Name').trim();
	if (name !== '') return name;
	throw new InputError("'Output Data Field Name' is empty", 'Give a name such as data.');
}

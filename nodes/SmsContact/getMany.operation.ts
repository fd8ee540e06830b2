import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { limitFields, readLimit } from '../shared/fields/limit';
import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField } from '../shared/fields/options';
import { runForEachItem, toItems } from '../shared/run/CustomRun';
import { readChoice, readOption } from '../shared/service/choices';
import { listPath, readColumns } from '../shared/service/lists';
import { asRecords } from '../shared/service/records';
import { namedBy } from './attributes';
import { hasValues, readContact, type Rename } from './contacts';

/** Interface document 4.5, "Get contacts of a list". */
export const getMany: Operation = {
	option: {
		name: 'Get Many',
		value: 'getMany',
		action: 'Get many contacts of list',
		description: 'Retrieve the contacts of a list with the values of its columns',
	},
	fields: [
		listLocatorField,
		...limitFields,
		optionsField([
			{
				displayName: 'Attribute Keys',
				name: 'attributeKeys',
				type: 'options',
				options: [
					{
						name: 'Column IDs',
						value: 'ids',
						description:
							'As the service gives them; they stay when a column is renamed',
					},
					{
						name: 'Column Names',
						value: 'names',
						description: 'As the columns are named in the list',
					},
				],
				default: 'names',
				description: 'By what the values of a contact are called',
			},
		]),
	],
};

/** A custom operation: the service answers all contacts at once, and n8n's router crashes on many. */
export async function getManyItems(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	return await runForEachItem(this, {
		prepare: (context, index) => {
			const options = context.getNodeParameter('options', index, {}) as IDataObject;
			const list = context.getNodeParameter('list', index, '', { extractValue: true });
			const keys = readOption(options, 'attributeKeys', 'Attribute Keys') ?? 'names';
			return {
				listId: parseId(list, 'List'),
				limit: readLimit(
					context.getNodeParameter('returnAll', index, false),
					context.getNodeParameter('limit', index, 50),
				),
				keys: readChoice(keys, ['names', 'ids'], 'Attribute Keys'),
			};
		},
		async run({ listId, limit, keys }, requests, index) {
			const request = { method: 'GET' as const, url: listPath(listId, '/contacts') };
			const records = await requests.step('contacts', request, asRecords);
			const contacts = records.slice(0, limit);
			const rename: Rename =
				keys === 'names' && contacts.some(hasValues)
					? namedBy(await requests.once(listPath(listId), readColumns))
					: (attributes) => attributes;
			return await toItems(contacts, index, (contact) => readContact(contact, rename));
		},
	});
}

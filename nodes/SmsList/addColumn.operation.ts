import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { listLocatorField, parseId } from '../shared/fields/list';
import type { Operation } from '../shared/fields/operation';
import { optionsField, repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { routed } from '../shared/run/routing';
import { readSwitch } from '../shared/service/choices';
import { listPath, LISTS_PATH } from '../shared/service/lists';
import { readCreated } from '../shared/service/records';
import { columnTypeField, dateFormatField, parseColumn } from './columnFields';

const columnNameField: INodeProperties = {
	displayName: 'Column Name',
	name: 'columnName',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Nom de famille',
	description:
		'Name of the new column. A campaign inserts its values with a token made of the name in lower case with underscores, such as ${nom_de_famille}.',
};

/** Interface document 4.5, "Add a column". */
export const addColumn: Operation = {
	option: {
		name: 'Add Column',
		value: 'addColumn',
		action: 'Add column to list',
		description: 'Add a column for text, dates, numbers or yes and no to a contact list',
		routing: routed({
			method: 'POST',
			url: LISTS_PATH,
			prepare() {
				const list = this.getNodeParameter('list', undefined, { extractValue: true });
				const listId = parseId(list, 'List');
				const column = parseColumn(
					this.getNodeParameter('columnName'),
					this.getNodeParameter('columnType'),
					this.getNodeParameter('dateFormat', ''),
				);
				const options = this.getNodeParameter('options', {}) as IDataObject;
				return {
					url: listPath(listId, '/fields'),
					body: { ...column },
					subject: column.name,
					extra: { listId, ...column },
					resendUnknown: readSwitch(options, 'resendUnknown', 'Repeat if Unknown'),
				};
			},
			read: readCreated,
			howToFindOut: () => 'The operation Get tells which columns the list has.',
		}),
	},
	fields: [
		listLocatorField,
		columnNameField,
		columnTypeField,
		{ ...dateFormatField, displayOptions: { show: { columnType: ['DATE'] } } },
		optionsField([repeatUnknown, ...paceOptions]),
	],
};

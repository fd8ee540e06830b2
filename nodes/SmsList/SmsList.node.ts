import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { getColumns } from '../shared/lookups/columns';
import { searchLists } from '../shared/lookups/searchLists';
import { ACTION_NODE, relatedNodes, toCustomOperations, toProperties } from '../shared/properties';
import { addColumn } from './addColumn.operation';
import { create } from './create.operation';
import { deleteList } from './delete.operation';
import { deleteColumn } from './deleteColumn.operation';
import { empty } from './empty.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';

const operations = [addColumn, empty, create, deleteColumn, deleteList, get, getMany];
const properties = toProperties({ resource: 'list', title: 'List' }, operations, 'getMany');

/** Contact lists and their columns (interface document 4.5). */
export class SmsList implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS List',
		name: 'smsList',
		icon: {
			light: 'file:../shared/icons/smsList.svg',
			dark: 'file:../shared/icons/smsList.dark.svg',
		},
		group: ['transform'],
		...ACTION_NODE,
		subtitle: undefined, // the editor then shows the name of the operation
		description: 'Create, read and change the contact lists that SMS campaigns are sent to',
		defaults: { name: 'SMS List' },
		builderHint: {
			searchHint:
				'Contact lists that the service stores, and their columns. Only campaigns need them: SMS sends to any number without a list.',
			relatedNodes: relatedNodes({
				smsContact: 'Contacts of a list',
				smsCampaign: 'Sends one message to a list',
			}),
		},
		usableAsTool: true,
		get properties() {
			return [...properties];
		},
	};

	methods = {
		credentialTest: { smsServiceApiTest },
		listSearch: { searchLists },
		loadOptions: { getColumns },
	};

	customOperations = toCustomOperations('list', operations);
}

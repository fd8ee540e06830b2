import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { getColumnFields } from '../shared/lookups/columns';
import { searchLists } from '../shared/lookups/searchLists';
import { ACTION_NODE, relatedNodes, toCustomOperations, toProperties } from '../shared/properties';
import { add } from './add.operation';
import { deleteContact } from './delete.operation';
import { get } from './get.operation';
import { getMany } from './getMany.operation';
import { importContacts } from './import.operation';
import { sync } from './sync.operation';
import { upsert } from './upsert.operation';

const operations = [add, upsert, deleteContact, get, getMany, importContacts, sync];
const properties = toProperties({ resource: 'contact', title: 'Contact' }, operations, 'getMany');

/** Contacts of a list (interface document 4.5). */
export class SmsContact implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS Contact',
		name: 'smsContact',
		icon: {
			light: 'file:../shared/icons/smsContact.svg',
			dark: 'file:../shared/icons/smsContact.dark.svg',
		},
		group: ['transform'],
		...ACTION_NODE,
		subtitle: undefined, // the editor then shows the name of the operation
		description:
			'Add, sync, read and delete the contacts of the lists that SMS campaigns are sent to',
		defaults: { name: 'SMS Contact' },
		builderHint: {
			searchHint:
				'Contacts of a list that the service stores, for campaigns. SMS sends to any number without a contact.',
			relatedNodes: relatedNodes({
				smsList: 'Makes the list and its columns',
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
		resourceMapping: { getColumnFields },
	};

	customOperations = toCustomOperations('contact', operations);
}

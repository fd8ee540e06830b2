import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { searchLists } from '../shared/lookups/searchLists';
import { getTestRuns } from '../shared/lookups/testRuns';
import { ACTION_NODE, relatedNodes, toCustomOperations, toProperties } from '../shared/properties';
import { create } from './create.operation';
import { get } from './get.operation';
import { getBlacklists } from './getBlacklists.operation';
import { getMany } from './getMany.operation';
import { getReplies } from './getReplies.operation';
import { getStatistics } from './getStatistics.operation';
import { preview } from './preview.operation';
import { searchCampaigns } from './searchCampaigns';
import { send } from './send.operation';
import { sendTest } from './sendTest.operation';

const operations = [
	create,
	get,
	getBlacklists,
	getReplies,
	getStatistics,
	getMany,
	preview,
	send,
	sendTest,
];
const properties = toProperties({ resource: 'campaign', title: 'Campaign' }, operations, 'create');

/** Campaigns: one message to all contacts of a list (interface document 2.5, 4.2; extended). */
export class SmsCampaign implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS Campaign',
		name: 'smsCampaign',
		icon: {
			light: 'file:../shared/icons/smsCampaign.svg',
			dark: 'file:../shared/icons/smsCampaign.dark.svg',
		},
		group: ['output'],
		...ACTION_NODE,
		subtitle: undefined, // the editor then shows the name of the operation
		description: 'Send one SMS to all contacts of a list, and see what became of it',
		defaults: { name: 'SMS Campaign' },
		builderHint: {
			searchHint:
				'Sends one message to all contacts of a list that the service stores. For rows of a sheet or database, use SMS with the operation sendBatch instead: it needs no list.',
			relatedNodes: relatedNodes({
				smsList: 'Makes the list and its columns',
				smsContact: 'Puts contacts on the list',
			}),
		},
		usableAsTool: true,
		hints: [
			{
				message:
					"The node creates one campaign for each input item, unless it is the same as an earlier one. To create a single one, turn on 'Execute Once' in the settings of this node.",
				type: 'info',
				location: 'ndv',
				whenToDisplay: 'always',
				displayCondition:
					'={{ $parameter["operation"] === "create" && $input.all().length > 1 }}',
			},
		],
		get properties() {
			return [...properties];
		},
	};

	methods = {
		credentialTest: { smsServiceApiTest },
		listSearch: { searchCampaigns, searchLists },
		loadOptions: { getTestRuns },
	};

	customOperations = toCustomOperations('campaign', operations);
}

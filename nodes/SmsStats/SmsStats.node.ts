import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { ACTION_NODE, relatedNodes, toCustomOperations, toProperties } from '../shared/properties';
import { account } from './account.operation';
import { category } from './category.operation';
import { categoryBlacklists } from './categoryBlacklists.operation';
import { messageStatus } from './messageStatus.operation';
import { replies } from './replies.operation';

const operations = [account, categoryBlacklists, replies, category, messageStatus];
const properties = toProperties(
	{ resource: 'stats', title: 'Statistic' },
	operations,
	'messageStatus',
);

/** Messages after the send: status, statistics, replies (interface document 4.4, 4.6). */
export class SmsStats implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS Stats',
		name: 'smsStats',
		icon: {
			light: 'file:../shared/icons/smsStats.svg',
			dark: 'file:../shared/icons/smsStats.dark.svg',
		},
		group: ['transform'],
		...ACTION_NODE,
		subtitle: undefined, // the editor then shows the name of the operation
		description:
			'Look up the status of SMS messages, and the statistics, replies and blacklists of a category or the account',
		defaults: { name: 'SMS Stats' },
		builderHint: {
			searchHint:
				'Reads what became of messages that were sent: status, replies, statistics, credits left. To react to what is new, use SMS Trigger: it polls by itself.',
			relatedNodes: relatedNodes({
				smsTrigger: 'Starts a workflow on new replies, status changes or low credits',
				sms: 'Sends the messages',
			}),
		},
		usableAsTool: true,
		get properties() {
			return [...properties];
		},
	};

	methods = { credentialTest: { smsServiceApiTest } };

	customOperations = toCustomOperations('stats', operations);
}

import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { ACTION_NODE, relatedNodes, toCustomOperations, toProperties } from '../shared/properties';
import { add } from './add.operation';
import { check } from './check.operation';
import { getMany } from './getMany.operation';
import { remove } from './remove.operation';

const operations = [add, check, getMany, remove];
const properties = toProperties(
	{ resource: 'blacklist', title: 'Blacklist' },
	operations,
	'getMany',
);

/** The account's blacklists: unsubscribers and bounces (interface document 4.1). */
export class SmsBlacklist implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS Blacklist',
		name: 'smsBlacklist',
		icon: {
			light: 'file:../shared/icons/smsBlacklist.svg',
			dark: 'file:../shared/icons/smsBlacklist.dark.svg',
		},
		group: ['transform'],
		...ACTION_NODE,
		subtitle: undefined, // the editor then shows the name of the operation
		description:
			'Read and change the lists of numbers that get no SMS: people who replied STOP, and unassigned numbers',
		defaults: { name: 'SMS Blacklist' },
		builderHint: {
			searchHint:
				"Numbers that must not be texted: people who replied STOP (unsubscribers), and numbers that don't exist (bounces).",
			relatedNodes: relatedNodes({
				smsTrigger: 'Starts a workflow when somebody replies STOP',
				sms: "Its option 'Skip Blacklisted Numbers' leaves them out",
			}),
		},
		usableAsTool: true,
		get properties() {
			return [...properties];
		},
	};

	methods = { credentialTest: { smsServiceApiTest } };

	customOperations = toCustomOperations('blacklist', operations);
}

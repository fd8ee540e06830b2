import type { INodeType, INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { getTestRuns } from '../shared/lookups/testRuns';
import { ACTION_NODE, relatedNodes, toCustomOperations, toProperties } from '../shared/properties';
import { answerWebhooks, takeAnswer } from './waiting';
import { preview } from './preview.operation';
import { send } from './send.operation';
import { sendAndWait } from './sendAndWait.operation';
import { sendBatch } from './sendBatch.operation';
import { sendByUrl } from './sendByUrl.operation';

/** The usual operations first and the legacy one last; other nodes list theirs in alphabetical order. */
const operations = [send, sendBatch, sendAndWait, preview, sendByUrl];
const properties = toProperties({ resource: 'sms', title: 'SMS' }, operations, 'send');

/** Sends SMS (interface document 4.3). */
export class Sms implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS',
		name: 'sms',
		icon: { light: 'file:../shared/icons/sms.svg', dark: 'file:../shared/icons/sms.dark.svg' },
		group: ['output'],
		...ACTION_NODE,
		subtitle: undefined, // the editor then shows the name of the operation
		description: 'Send marketing and notification SMS to mobile phones',
		defaults: { name: 'SMS' },
		builderHint: {
			searchHint:
				'Sends SMS (text messages) to phone numbers through one SMS service. One node takes all input items: no Loop Over Items needed. Numbers may be typed in any usual form. For one message to a stored contact list, use SMS Campaign; to react to replies, use SMS Trigger.',
			relatedNodes: relatedNodes({
				smsTrigger: 'Starts a workflow when somebody replies, opts out or bounces',
				smsStats: 'Tells whether a message arrived, and what was replied',
				smsBlacklist: 'Who must not be texted',
				smsCampaign: 'One message to all contacts of a list that the service stores',
			}),
		},
		usableAsTool: true,
		webhooks: answerWebhooks,
		waitingNodeTooltip: 'The workflow continues when the recipient has answered',
		get properties() {
			return [...properties];
		},
	};

	methods = { credentialTest: { smsServiceApiTest }, loadOptions: { getTestRuns } };

	webhook = takeAnswer;

	customOperations = toCustomOperations('sms', operations);
}

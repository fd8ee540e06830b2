import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { requestOptions } from './requestOptions';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { REQUEST_DEFAULTS } from '../shared/http/request';
import { toCustomOperations, toProperties } from '../shared/run/node';
import { answerWebhooks, takeAnswer } from './answer.webhook';
import { preview } from './preview.operation';
import { send } from './send.operation';
import { sendAndWait } from './sendAndWait.operation';
import { sendBatch } from './sendBatch.operation';
import { sendByUrl } from './sendByUrl.operation';

const operations = [send, sendBatch, sendAndWait, preview, sendByUrl];

/** Sends SMS (interface document 4.3). */
export class Sms implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS',
		name: 'sms',
		icon: { light: 'file:../shared/icons/sms.svg', dark: 'file:../shared/icons/sms.dark.svg' },
		group: ['output'],
		version: 1,
		subtitle: undefined, // the editor then shows the name of the operation
		description: 'Send marketing and notification SMS to mobile phones',
		defaults: { name: 'SMS' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'smsServiceApi', required: true, testedBy: 'smsServiceApiTest' }],
		webhooks: answerWebhooks,
		waitingNodeTooltip: 'The workflow goes on when the recipient has answered',
		requestDefaults: REQUEST_DEFAULTS,
		properties: [
			...toProperties({ resource: 'sms', title: 'SMS' }, operations, 'send'),
			requestOptions,
		],
	};

	methods = { credentialTest: { smsServiceApiTest } };

	webhook = takeAnswer;

	customOperations = toCustomOperations('sms', operations);
}

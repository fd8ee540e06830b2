import { NodeConnectionTypes, type INodeType, type INodeTypeDescription } from 'n8n-workflow';
import { smsServiceApiTest } from '../shared/http/credentialTest';
import { relatedNodes } from '../shared/properties';
import { EVENTS } from './events';
import { poll } from './poll';
import { EVENTS_IN_WORDS, properties } from './properties';

/** Polls for replies, STOPs, bounces, statuses, statistics and the balance. */
export class SmsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'SMS Trigger',
		name: 'smsTrigger',
		icon: {
			light: 'file:../shared/icons/smsTrigger.svg',
			dark: 'file:../shared/icons/smsTrigger.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: EVENTS_IN_WORDS,
		// n8n shows it for SMS and its trigger, which it merges into one entry of the node panel.
		description: 'Send SMS, and start workflows on replies, opt-outs and status changes',
		defaults: { name: 'SMS Trigger' },
		eventTriggerDescription: 'Waiting for an event of the SMS service',
		activationMessage: 'The workflow now polls the SMS service for what is new.',
		triggerPanel: {
			activationHint:
				"Once you publish the workflow, only what is new starts it, unless you add 'Also Emit What Is Already There' under Options.",
		},
		builderHint: {
			searchHint: `Starts a workflow, and sends nothing itself: to send, use the SMS node. It polls, so it needs no public URL, for what 'events' has: ${EVENTS.map(({ value, description }) => `${value} (${description})`).join(', ')}.`,
			relatedNodes: relatedNodes({
				sms: 'Sends the answer',
				smsBlacklist: 'Keeps who opted out from being texted',
			}),
		},
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'smsServiceApi', required: true, testedBy: 'smsServiceApiTest' }],
		properties,
	};

	methods = { credentialTest: { smsServiceApiTest } };

	poll = poll;
}

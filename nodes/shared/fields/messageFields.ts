import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** The two types of messages and campaigns. */
export const messageTypes: INodePropertyOptions[] = [
	{
		name: 'Marketing',
		value: 'marketing',
		description: 'Promotions and other advertising. Recipients can reply STOP to unsubscribe.',
	},
	{
		name: 'Notification',
		value: 'notification',
		description: 'Alerts, reminders and confirmations. Must not contain advertising.',
	},
];

export const sendAt: INodeProperties = {
	displayName: 'Send At',
	name: 'date',
	type: 'dateTime',
	default: '',
	description:
		"When to send the message, in the workflow's time zone. Leave empty to send it now. A scheduled message can't be cancelled from n8n.",
};

export const unsupportedCharacters: INodeProperties = {
	displayName: 'Unsupported Characters',
	name: 'unsupportedCharacters',
	type: 'options',
	options: [
		{
			name: 'Keep',
			value: 'keep',
			description: 'Send them as they are. The service may refuse or change the message.',
		},
		{
			name: 'Reject',
			value: 'reject',
			description: "Don't send the message. The error names the characters.",
		},
		{
			name: 'Replace',
			value: 'replace',
			description:
				"Replace them with similar characters (’ → ', ç → c, œ → oe) and remove emoji",
		},
	],
	default: 'replace',
	description: "What to do with characters that the service doesn't accept",
};

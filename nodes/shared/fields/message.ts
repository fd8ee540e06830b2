import type { INodeProperties } from 'n8n-workflow';

export const sendAt: INodeProperties = {
	displayName: 'Send At',
	name: 'date',
	type: 'dateTime',
	default: '',
	description:
		"When the message is to leave, in the workflow's time zone. Leave empty to send it at once.",
};

export const unsupportedCharacters: INodeProperties = {
	displayName: 'Unsupported Characters',
	name: 'unsupportedCharacters',
	type: 'options',
	options: [
		{
			name: 'Keep',
			value: 'keep',
			description: 'Send them as they are; the service may refuse or alter the message',
		},
		{
			name: 'Reject',
			value: 'reject',
			description: 'Stop before sending and say which characters they are',
		},
		{
			name: 'Replace',
			value: 'replace',
			description: "Put readable ones in their place (’ → ', ç → c, œ → oe) and drop emoji",
		},
	],
	default: 'replace',
	description: 'What to do with characters that the service does not accept',
};

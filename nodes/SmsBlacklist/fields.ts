import type { INodeProperties } from 'n8n-workflow';

export const blacklistField: INodeProperties = {
	displayName: 'Blacklist',
	name: 'blacklist',
	type: 'options',
	options: [
		{
			name: 'Bounces',
			value: 'bounces',
			description: 'Numbers that are not assigned to anyone',
		},
		{
			name: 'Unsubscribers',
			value: 'unsubscribers',
			description: 'People who replied STOP and must get no more messages',
		},
	],
	default: 'unsubscribers',
	description: 'Which of the two blacklists of the account',
};

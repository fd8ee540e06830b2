import type { INodeProperties } from 'n8n-workflow';
import { readOption } from '../service/choices';
import { requireMessage } from '../service/messageText';
import { parseSender } from '../service/sender';
import { refuseNoValue } from './expressions';
import type { Item } from './item';

/** The fields of one message, most of them those of a campaign, too. */
export const messageTypeField: INodeProperties = {
	displayName: 'Message Type',
	name: 'messageType',
	type: 'options',
	options: [
		{
			name: 'Marketing',
			value: 'marketing',
			description:
				'Promotions and other advertising. Recipients can reply STOP to unsubscribe.',
		},
		{
			name: 'Notification',
			value: 'notification',
			description: 'Alerts, reminders and confirmations. Must not contain advertising.',
		},
	],
	default: 'notification',
	description: 'Whether the message is advertising',
};

export const messageField: INodeProperties = {
	displayName: 'Message',
	name: 'message',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Your order 1042 has been shipped and will arrive tomorrow.',
	description: 'Text of the SMS',
};

export const senderField: INodeProperties = {
	displayName: 'Sender',
	name: 'sender',
	type: 'string',
	default: '',
	placeholder: 'e.g. MyShop',
	description:
		'Name that recipients see as the sender: 3 to 11 letters and digits, with at least one letter. Leave empty to send from a short number.',
};

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

/** The text as it was typed. @throws InputError */
export function readMessageText(item: Pick<Item, 'parameter' | 'parts'>, advice?: string): string {
	const typed = requireMessage(item.parameter('message'), advice);
	refuseNoValue(item, 'message', typed, 'Message');
	return typed;
}

/** @returns undefined for a short number @throws InputError */
export function readSender(item: Pick<Item, 'parameter' | 'parts'>): string | undefined {
	const given = { sender: item.parameter('sender', '') };
	const sender = parseSender(readOption(given, 'sender', 'Sender'));
	refuseNoValue(item, 'sender', sender ?? '', 'Sender');
	return sender;
}

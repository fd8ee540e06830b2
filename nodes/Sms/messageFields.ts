import type { INodeProperties } from 'n8n-workflow';
import { allowedHours } from '../shared/fields/allowedHours';
import { sendAt, unsupportedCharacters } from '../shared/fields/message';
import { numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { sendForReal } from '../shared/run/testRun';

/** The fields of one message; which operation shows which is said in the operation's own file. */
export const messageTypeField: INodeProperties = {
	displayName: 'Message Type',
	name: 'messageType',
	type: 'options',
	options: [
		{
			name: 'Marketing',
			value: 'marketing',
			description: 'Advertising: recipients can reply STOP to unsubscribe',
		},
		{
			name: 'Notification',
			value: 'notification',
			description: 'Alerts, reminders, confirmations. Marketing content is forbidden here.',
		},
	],
	default: 'notification',
	description: 'Whether the message advertises something or notifies of something',
};

export const recipientField: INodeProperties = {
	...numberField,
	description: 'Mobile number of the recipient, in national or international format',
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

const campaignName: INodeProperties = {
	displayName: 'Campaign Name',
	name: 'campaignName',
	type: 'string',
	default: '',
	placeholder: 'e.g. Order updates',
	description: 'Name of a group of messages, for statistics over all of them',
};

const category: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'string',
	default: '',
	placeholder: 'e.g. orders',
	description:
		"Tag by which statistics, replies and blacklists can be looked up later. Best given together with 'Campaign Name'.",
};

const fieldNames: INodeProperties = {
	displayName: 'Field Names',
	name: 'fieldNames',
	type: 'options',
	options: [
		{
			name: 'Legacy',
			value: 'legacy',
			description:
				'Names the recipient identifier and the category tag, as some older samples do',
		},
		{
			name: 'Standard',
			value: 'standard',
			description: 'Names the recipient number and the category category',
		},
	],
	default: 'standard',
	description:
		'How the fields are named in the request. Change it only if the service asks for it.',
};

const resendUnknown: INodeProperties = {
	displayName: 'Resend if Unknown',
	name: 'resendUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether a retry of the execution sends a message again when it is unknown whether the first try went through. The recipient may get it twice.',
};

const skipDuplicates: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: false,
	description:
		'Whether to send only once when the same recipient and text come up again in this run',
};

export const senderField: INodeProperties = {
	displayName: 'Sender',
	name: 'sender',
	type: 'string',
	default: '',
	placeholder: 'e.g. MyShop',
	description:
		'Name that is shown as the sender: 3 to 11 letters and digits, at least one letter. Without it, the sender is a short number that the recipient can reply to.',
};

/** Options of every operation that sends. */
export const sendingOptions = [sendForReal, skipDuplicates, unsupportedCharacters];

/** Options that the JSON form of the send has beyond those (interface document 2.6). */
export const jsonOptions = [allowedHours, campaignName, category, sendAt];

/** Delivery Settings of every operation that sends. */
export const sendingSettings = [resendUnknown, ...paceOptions];

/** Those of the JSON form. */
export const jsonSettings = [fieldNames, ...sendingSettings];

import type { INodeProperties } from 'n8n-workflow';
import { allowedHours, timeZone } from '../shared/fields/allowedHours';
import { dryRun } from '../shared/fields/dryRun';
import { sendAt, unsupportedCharacters } from '../shared/fields/message';
import { numberField } from '../shared/fields/number';
import { paceOptions } from '../shared/fields/pace';
import { sendForReal } from '../shared/fields/sendForReal';

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

const onceKey: INodeProperties = {
	displayName: 'Once Key',
	name: 'onceKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'Text that is different for each message, such as an order ID. A message whose key was sent before by this node is skipped, also in a later execution.',
};

const skipBlacklisted: INodeProperties = {
	displayName: 'Skip Blacklisted Numbers',
	name: 'skipBlacklisted',
	type: 'boolean',
	default: false,
	description:
		'Whether to look up the STOP and bounce lists of the account once and leave out the numbers on them',
};

const checkBalance: INodeProperties = {
	displayName: 'Check Balance',
	name: 'checkBalance',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		'Whether to ask for the credits of the account first, and send nothing when there are fewer than messages',
};

const maxCredits: INodeProperties = {
	displayName: 'Max Credits',
	name: 'maxCredits',
	type: 'number',
	typeOptions: { minValue: 0, numberPrecision: 2 },
	default: 100,
	description:
		'Credits after which no further message is sent. Messages that are being sent by then still go out.',
};

const lookUpUnknown: INodeProperties = {
	displayName: 'Look Up Unknown',
	name: 'lookUpUnknown',
	type: 'boolean',
	default: false,
	description:
		'Whether to ask the service after the run for the latest message to each recipient whose message is unknown. It stays unknown; the result shows what to compare.',
};

const invalidItems: INodeProperties = {
	displayName: 'Invalid Items',
	name: 'invalidItems',
	type: 'options',
	options: [
		{
			name: 'Report',
			value: 'report',
			description: "Send the others; the item's own result says what is wrong with it",
		},
		{
			name: 'Stop',
			value: 'stop',
			description: 'Send nothing as long as one item is wrong',
		},
	],
	default: 'report',
	description: "What to do when an item can't be sent, such as one without a phone number",
};

const includeInputFields: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	default: false,
	description:
		"Whether each result keeps the fields of its input item, such as an ID of your CRM. Fields that say what became of a message, such as status or reason, are the result's own.",
};

/** The same option, on unless the user turns it off. */
function onByDefault(option: INodeProperties): INodeProperties {
	const { description } = option;
	return { ...option, default: true, description: `${description}. On unless you turn it off.` };
}

/** Options of every operation that sends: what the message is. */
export const sendingOptions = [allowedHours, sendForReal, timeZone, unsupportedCharacters];

/** Those of the JSON form of the send, too (interface document 2.6). */
export const jsonOptions = [...sendingOptions, campaignName, category, sendAt];

/** Delivery Settings of every operation that sends: how requests are made. */
export const sendingSettings = [resendUnknown, ...paceOptions];

/** Those of the JSON form. */
export const jsonSettings = [fieldNames, ...sendingSettings];

const safeguards = [dryRun, maxCredits, onceKey, skipBlacklisted, skipDuplicates];

/** The fields of Send SMS, and of Send SMS in Batch. */
export const sendFields: INodeProperties[] = [
	messageTypeField,
	senderField,
	recipientField,
	messageField,
];

/** Send's collections: what holds for each message, and for all of them. */
export const sendSettings = {
	options: jsonOptions,
	safeguards: [...safeguards, checkBalance, lookUpUnknown],
	delivery: jsonSettings,
};

/** The same for a batch, which asks more by default. */
export const batchSettings = {
	options: [...jsonOptions, includeInputFields],
	safeguards: [
		...safeguards,
		onByDefault(checkBalance),
		onByDefault(lookUpUnknown),
		invalidItems,
	],
	delivery: jsonSettings,
};

/** Safeguards of the URL form. */
export const urlSafeguards = [skipDuplicates];

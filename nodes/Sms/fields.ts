import type { INodeProperties } from 'n8n-workflow';
import { allowedHours } from '../shared/fields/allowedHours';
import { dryRun } from '../shared/fields/dryRun';
import { maxCredits } from '../shared/fields/maxCredits';
import {
	messageField,
	messageTypeField,
	sendAt,
	senderField,
	unsupportedCharacters,
} from '../shared/fields/messageFields';
import { recipientField } from '../shared/fields/number';
import { repeatUnknown } from '../shared/fields/options';
import { paceOptions } from '../shared/fields/pace';
import { testRunsField } from '../shared/lookups/testRuns';
import { onceKey } from './onceKeyField';

const ANY_NUMBER =
	"An agent can text any number, unless you choose 'Allowed Countries' in the credential.";

/** Shown where the node is a tool. */
const agentNotice: INodeProperties = {
	displayName: `${ANY_NUMBER} 'Max Credits' under Safeguards limits what it can spend.`,
	name: 'agentNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { '@tool': [true] } },
};

const campaignName: INodeProperties = {
	displayName: 'Campaign Name',
	name: 'campaignName',
	type: 'string',
	default: '',
	placeholder: 'e.g. Order updates',
	description: 'Name under which the service groups these messages in its statistics',
};

const category: INodeProperties = {
	displayName: 'Category',
	name: 'category',
	type: 'string',
	default: '',
	placeholder: 'e.g. orders',
	description:
		"Label for these messages, so that you can look up their statistics, replies and blacklists later. Works best together with 'Campaign Name'.",
};

export const resendUnknown: INodeProperties = {
	...repeatUnknown,
	displayName: 'Send Again if Unknown',
	description:
		"Whether a retry of the execution sends a message again if its answer got lost and a look-up by phone number doesn't find it. If the service shows messages late, the recipient may get it twice.",
};

const skipDuplicates: INodeProperties = {
	displayName: 'Skip Duplicates',
	name: 'skipDuplicates',
	type: 'boolean',
	default: true,
	description:
		'Whether to send only one message if several items of this execution have the same recipient and text, also in a loop',
};

const refuseEmptyFields: INodeProperties = {
	displayName: 'Refuse Empty Fields',
	name: 'refuseEmptyFields',
	type: 'boolean',
	default: true,
	description:
		'Whether to refuse a message if an expression in its text is empty for this item, as in "Hello , your order is ready"',
};

const skipBlacklisted: INodeProperties = {
	displayName: 'Skip Blacklisted Numbers',
	name: 'skipBlacklisted',
	type: 'boolean',
	default: true,
	description:
		'Whether to skip numbers on the blacklists of your account: people who replied STOP, and unassigned numbers',
};

const checkBalance: INodeProperties = {
	displayName: 'Check Balance',
	name: 'checkBalance',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether to check the credits of your account first, and send nothing if there are fewer credits than messages',
};

/** The same of a batch. */
const onInBatch = [skipDuplicates, checkBalance].map((field) => ({
	...field,
	description: `${field.description}. On unless you turn it off.`,
}));

const invalidItems: INodeProperties = {
	displayName: 'Invalid Items',
	name: 'invalidItems',
	type: 'options',
	options: [
		{
			name: 'Report',
			value: 'report',
			description: 'Send the other items. The result of the item says what is wrong with it.',
		},
		{
			name: 'Stop',
			value: 'stop',
			description: 'Send nothing if any item is invalid',
		},
	],
	default: 'report',
	description: "What to do with an item that can't be sent, such as one without a phone number",
};

const includeInputFields: INodeProperties = {
	displayName: 'Include Input Fields',
	name: 'includeInputFields',
	type: 'boolean',
	// Added to turn it on.
	default: true,
	description:
		"Whether each result also has all fields of its input item, such as an ID of your CRM. The result itself is then in one field, 'sms'.",
};

const failIfIncomplete: INodeProperties = {
	displayName: 'Fail if Any Is Missing',
	name: 'failIfIncomplete',
	type: 'boolean',
	default: true,
	description:
		'Whether the node fails after the last item if one is refused, not sent, unknown or invalid. n8n then shows the execution as failed, starts your error workflow, and offers a retry that sends the rest.',
};

/** Options of every operation that sends: what the message is. */
export const sendingOptions = [allowedHours, unsupportedCharacters];

/** The same, and the options of the JSON form of the send (interface document 2.6). */
export const jsonOptions = [...sendingOptions, campaignName, category, sendAt];

const safeguards = [dryRun, maxCredits, onceKey, refuseEmptyFields, skipBlacklisted];

/** The fields of Send SMS, and of Send SMS in Batch. */
export const sendFields: INodeProperties[] = [
	messageTypeField,
	recipientField,
	agentNotice,
	messageField,
	{ ...senderField, hint: 'Leave empty so that recipients can reply' },
	testRunsField,
];

/** The same for the URL form, which has no Max Credits. */
export const urlFields = sendFields.map((field) =>
	field === agentNotice ? { ...agentNotice, displayName: ANY_NUMBER } : field,
);

const manyOptions = [...jsonOptions, ...paceOptions, resendUnknown];

/** Send's collections: what holds for each message, and for all of them. */
export const sendSettings = {
	options: manyOptions,
	safeguards: [...safeguards, skipDuplicates, checkBalance],
};

/** The same for a batch, which checks the balance by default. */
export const batchSettings = {
	options: [...manyOptions, failIfIncomplete, includeInputFields],
	safeguards: [...safeguards, ...onInBatch, invalidItems],
};

/** Safeguards of the URL form. */
export const urlSafeguards = [refuseEmptyFields, skipDuplicates];

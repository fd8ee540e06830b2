import type { INodeProperties } from 'n8n-workflow';
import { campaignHours } from '../shared/fields/allowedHours';
import { listLocatorField, locatorField } from '../shared/fields/list';
import {
	messageField,
	messageTypeField,
	sendAt,
	senderField,
	unsupportedCharacters,
} from '../shared/fields/messageFields';

/** The fields of one campaign; which operation shows which is said in the operation's own file. */
export const campaignTypeField: INodeProperties = {
	...messageTypeField,
	displayName: 'Campaign Type',
	name: 'campaignType',
	default: 'marketing',
	description: 'Whether the campaign is advertising',
};

/** Needs the node method `searchCampaigns`. */
export const campaignLocatorField = locatorField(
	{
		displayName: 'Campaign',
		name: 'campaign',
		description: 'The campaign, as returned by Create Campaign',
	},
	'searchCampaigns',
	'Returned by the operations Create Campaign and Get Many Campaigns',
);

const nameField: INodeProperties = {
	displayName: 'Campaign Name',
	name: 'name',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Summer sale',
	description: "Name of the campaign in your account. Recipients don't see it.",
};

const campaignMessage: INodeProperties = {
	...messageField,
	placeholder: 'e.g. Hello ${first_name}, -20% this weekend in our shop!',
	hint: 'Type ${first_name} to insert the column "First Name" of each contact',
	description:
		'Text of the SMS. To insert a value of each contact, write the name of its column as a token: in lowercase, with underscores for spaces, such as ${first_name}.',
};

const landingPage: INodeProperties = {
	displayName: 'Landing Page',
	name: 'landingPage',
	type: 'options',
	options: [
		{ name: 'External', value: 'external', description: 'A page on your own website' },
		{
			name: 'Hosted',
			value: 'hosted',
			description: 'A page that the service hosts for you, with your HTML',
		},
		{ name: 'None', value: 'none', description: 'No page' },
	],
	default: 'none',
	description: 'Web page that the message links to',
};

const landingPageNotice: INodeProperties = {
	displayName:
		"Write <code>${rich_message}</code> in 'Message' where you want the link to the landing page",
	name: 'landingPageNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { landingPage: ['external', 'hosted'] } },
};

const landingPageTitle: INodeProperties = {
	displayName: 'Page Title',
	name: 'landingPageTitle',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Summer sale',
	description: 'Title of the landing page',
	displayOptions: { show: { landingPage: ['hosted'] } },
};

const landingPageHtml: INodeProperties = {
	displayName: 'HTML',
	name: 'landingPageHtml',
	type: 'string',
	typeOptions: { editor: 'htmlEditor', rows: 10 },
	// As in n8n's own nodes: the editor takes {{ expressions }} as they are, and they are resolved.
	noDataExpression: true,
	default: '',
	required: true,
	placeholder: 'e.g. <h1>Summer sale</h1><p>Show this page at the till.</p>',
	description: 'HTML content of the landing page',
	displayOptions: { show: { landingPage: ['hosted'] } },
};

const externalUrl: INodeProperties = {
	displayName: 'External URL',
	name: 'externalUrl',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. https://www.example.com/summer',
	description: 'Address of the page on your website',
	displayOptions: { show: { landingPage: ['external'] } },
};

const campaignSender: INodeProperties = {
	...senderField,
	description:
		'Name that recipients see as the sender: 3 to 11 letters and digits, with at least one letter. The service then adds how to unsubscribe (STOP) to the message. Leave empty to send from a short number (36 XXX) that recipients can reply to.',
};

/** The fields of a campaign that is to be previewed (interface document 2.5). */
export const previewFields: INodeProperties[] = [
	campaignTypeField,
	listLocatorField,
	campaignMessage,
	campaignSender,
	// The three variants of a campaign (interface document 4.2), each with the fields that it needs.
	...[landingPage, landingPageNotice, landingPageTitle, landingPageHtml, externalUrl],
];

/** The fields of a campaign that is to be created. */
export const campaignFields: INodeProperties[] = [
	campaignTypeField,
	nameField,
	...previewFields.slice(1),
];

const date: INodeProperties = {
	...sendAt,
	description:
		"When to send the campaign, in the workflow's time zone. Leave empty if you don't want to schedule it.",
};

export const creationOptions = [campaignHours, date, unsupportedCharacters];

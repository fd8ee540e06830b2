import type { INodeProperties } from 'n8n-workflow';
import { allowedHours } from '../shared/fields/allowedHours';
import { listLocatorField } from '../shared/fields/list';
import { sendAt, unsupportedCharacters } from '../shared/fields/message';

/** The fields of one campaign; which operation shows which is said in the operation's own file. */
export const campaignTypeField: INodeProperties = {
	displayName: 'Campaign Type',
	name: 'campaignType',
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
	default: 'marketing',
	description: 'Whether the campaign advertises something or notifies of something',
};

/** Needs the node method `searchCampaigns`. */
export const campaignLocatorField: INodeProperties = {
	displayName: 'Campaign',
	name: 'campaign',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'A campaign that was created before',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a campaign…',
			typeOptions: {
				searchListMethod: 'searchCampaigns',
				searchable: true,
				slowLoadNotice: {
					message: 'If loading takes too long, give the ID of the campaign instead',
					timeout: 15_000,
				},
			},
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 5ea1b2c3d4e5f60718293a4b',
			hint: "The ID that the operations 'Create Campaign' and 'Get Many Campaigns' give",
		},
	],
};

const nameField: INodeProperties = {
	displayName: 'Campaign Name',
	name: 'name',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. Summer sale',
	description: 'Name by which you find the campaign again; recipients do not see it',
};

const messageField: INodeProperties = {
	displayName: 'Message',
	name: 'message',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
	required: true,
	placeholder: 'e.g. Bonjour ${prenom}, -20% this weekend in our shop!',
	hint: 'A token such as ${nom_de_famille} becomes what the contact has in the column "Nom de famille"',
	description:
		'Text of the SMS. A token in the form of ${column} is replaced by the value of each contact; the column is written in lowercase, with underscores for spaces.',
};

const landingPage: INodeProperties = {
	displayName: 'Landing Page',
	name: 'landingPage',
	type: 'options',
	options: [
		{ name: 'External', value: 'external', description: 'A page on a website of yours' },
		{
			name: 'Hosted',
			value: 'hosted',
			description: 'A page that the service hosts, from your HTML',
		},
		{ name: 'None', value: 'none', description: 'The message has no link to a page' },
	],
	default: 'none',
	description: 'Page that the message links to',
};

const landingPageNotice: INodeProperties = {
	displayName:
		"Write <code>${rich_message}</code> in 'Message' where the link to the landing page is to appear.",
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
	description: 'Address of the landing page',
	displayOptions: { show: { landingPage: ['external'] } },
};

/** The three variants of a campaign (interface document 4.2), each with the fields that it needs. */
const landingPageFields: INodeProperties[] = [
	landingPage,
	landingPageNotice,
	landingPageTitle,
	landingPageHtml,
	externalUrl,
];

const senderField: INodeProperties = {
	displayName: 'Sender',
	name: 'sender',
	type: 'string',
	default: '',
	placeholder: 'e.g. MyShop',
	description:
		'Name that is shown as the sender: 3 to 11 letters and digits, at least one letter. The service then adds a STOP mention to the message. Without it, the sender is a short number (36 XXX).',
};

/** The fields of a campaign that is to be created (interface document 2.5). */
export const campaignFields: INodeProperties[] = [
	campaignTypeField,
	nameField,
	listLocatorField,
	senderField,
	messageField,
	...landingPageFields,
];

const date: INodeProperties = {
	...sendAt,
	description:
		"When the campaign is to leave, in the workflow's time zone. Leave empty for no fixed time.",
};

const checkTokens: INodeProperties = {
	displayName: 'Check Tokens',
	name: 'checkTokens',
	type: 'boolean',
	default: true,
	description:
		'Whether to compare the tokens in the message with the columns of the list before the campaign is created. Turn it off if the service knows a token that is refused here.',
};

/** Shows the tokens of the list's columns. What is chosen is checked, and not sent. */
const requiredColumns: INodeProperties = {
	displayName: 'Required Column Names or IDs',
	name: 'requiredColumns',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getColumnTokens', loadOptionsDependsOn: ['list.value'] },
	default: [],
	hint: 'Shows the tokens of the list. What you choose here has to be in the message.',
	description:
		'Columns whose tokens the message has to contain: the campaign is not created if one is missing. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** For the scheduled time; without one, nothing leaves. */
const datedHours: INodeProperties = {
	...allowedHours,
	description:
		"Hours in which 'Send At' may be, in the workflow's time zone. They do nothing to a campaign without it: 'Send Campaign' has hours of its own.",
};

export const creationOptions = [
	datedHours,
	checkTokens,
	date,
	requiredColumns,
	unsupportedCharacters,
];

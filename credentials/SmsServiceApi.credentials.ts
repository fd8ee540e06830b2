import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { authenticateRequest } from '../nodes/shared/http/credential';
import { SPECIAL_NUMBERS } from '../nodes/shared/service/allowedCountries';
import { COUNTRIES, DEFAULT_COUNTRY } from '../nodes/shared/service/countries';

const COUNTRY_OPTIONS = COUNTRIES.map(({ code, name, callingCode }) => ({
	name: `${name} (+${callingCode})`,
	value: code,
}));

/** On its own, because n8n's lint takes a field of the credential with "auth" in its name for a secret. */
const IGNORE_SSL_ISSUES: INodeProperties = {
	displayName: 'Ignore SSL Issues (Insecure)',
	name: 'allowUnauthorizedCerts',
	type: 'boolean',
	default: false,
	description: 'Whether to connect even if SSL certificate validation is not possible',
};

/** An account of the SMS service. Its Test button is the node method `smsServiceApiTest`. */
export class SmsServiceApi implements ICredentialType {
	name = 'smsServiceApi';

	displayName = 'SMS Service API';

	icon = {
		light: 'file:../nodes/shared/icons/smsServiceApi.svg',
		dark: 'file:../nodes/shared/icons/smsServiceApi.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/n8n-nodes-sms-service/n8n-nodes-sms-service/blob/main/README.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://sms.example.com',
			description: 'Web address of the service',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Create a key in the account area of the service and copy it here',
		},
		{
			displayName: 'Default Country',
			name: 'defaultCountry',
			type: 'options',
			options: COUNTRY_OPTIONS,
			default: DEFAULT_COUNTRY,
			description: 'Country of phone numbers without a country code',
		},
		{
			displayName: 'Allowed Countries',
			name: 'allowedCountries',
			type: 'multiOptions',
			noDataExpression: true,
			options: [
				...COUNTRY_OPTIONS,
				...SPECIAL_NUMBERS.map(({ code, name }) => ({ name, value: code })),
			],
			default: [],
			description:
				'Countries whose numbers may get messages and be added to lists. Neither a workflow nor an agent can change this. France includes its territories overseas.',
			hint: 'If you choose none: all countries, without satellite phones and service numbers.',
		},
		{
			displayName: 'Test Runs',
			name: 'manualRuns',
			type: 'options',
			options: [
				{
					name: 'Send for Real',
					value: 'send',
					description: 'Every recipient gets the message, as in production',
				},
				{
					name: 'Send Nothing',
					value: 'preview',
					description: 'Send nothing, and only show what would be sent',
				},
				{
					name: 'Send to a Test Number',
					value: 'testNumber',
					description:
						'Send the first message to the test number, and only show the others',
				},
			],
			default: 'send',
			description:
				'What to do with messages when you run a workflow from the editor. Published workflows always send for real.',
			hint: 'With Send for Real, running a workflow in the editor sends to real people',
		},
		{
			displayName: 'Test Number',
			name: 'testNumber',
			type: 'string',
			default: '',
			placeholder: 'e.g. +33 6 12 34 56 78',
			displayOptions: { show: { manualRuns: ['testNumber'] } },
			description: 'Your own mobile number, to which messages of test runs are sent',
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: 'X-Service-ApiKey',
			description:
				'HTTP header that carries the key. Only change this if your account area names another one.',
		},
		{
			displayName: 'Allow Unencrypted HTTP',
			name: 'allowHttp',
			type: 'boolean',
			default: false,
			description:
				'Whether to accept a base URL with http:// on the public internet. Anyone on the way can then read the key and the messages.',
		},
		IGNORE_SSL_ISSUES,
		{
			displayName: 'Request Field Names',
			name: 'fieldNames',
			type: 'options',
			options: [
				{
					name: 'Legacy',
					value: 'legacy',
					description:
						"Call them 'identifier' and 'tag', as some older examples of the service do",
				},
				{
					name: 'Standard',
					value: 'standard',
					description: "Call them 'number' and 'category'",
				},
			],
			default: 'standard',
			description:
				'Names of the phone number and the category in requests that send messages. Only change this if the service tells you to.',
		},
	];

	/** A function, because an expression costs time for each message (and can't check anything). */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => authenticateRequest(credentials, request);
}

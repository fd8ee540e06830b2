import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { authenticateRequest } from '../nodes/shared/http/credential';
import { COUNTRIES, DEFAULT_COUNTRY } from '../nodes/shared/service/countries';

const COUNTRY_OPTIONS = COUNTRIES.map(({ code, name, callingCode }) => ({
	name: `${name} (+${callingCode})`,
	value: code,
}));

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
			description: 'Address of the service. A slash or /v2 at its end does no harm.',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'The key is made in the account area of the service',
		},
		{
			displayName: 'Header Name',
			name: 'headerName',
			type: 'string',
			default: 'X-Service-ApiKey',
			description:
				'Header that carries the key. Change it only if your reseller of the service uses another one.',
		},
		{
			displayName: 'Allow Unencrypted HTTP',
			name: 'allowHttp',
			type: 'boolean',
			default: false,
			description:
				'Whether to accept a base URL with http:// on the public internet. The key and the messages then travel in clear text.',
		},
		{
			displayName: 'Default Country',
			name: 'defaultCountry',
			type: 'options',
			options: COUNTRY_OPTIONS,
			default: DEFAULT_COUNTRY,
			description:
				'Country of the numbers that are written without a country code. Those of another country than France are sent with their country code.',
		},
		{
			displayName: 'Allowed Countries',
			name: 'allowedCountries',
			type: 'multiOptions',
			noDataExpression: true,
			options: COUNTRY_OPTIONS,
			default: [],
			description:
				'Countries whose numbers may get messages and be added to lists; all if you choose none. Neither a workflow nor an agent can change it. France includes its overseas numbers of +262, +508, +590, +594 and +596.',
		},
		{
			displayName: 'Runs From the Editor',
			name: 'manualRuns',
			type: 'options',
			options: [
				{
					name: 'Send for Real',
					value: 'send',
					description: 'Everybody gets their message, as in production',
				},
				{
					name: 'Send Nothing',
					value: 'preview',
					description: 'The results show what would be sent to whom',
				},
				{
					name: 'Send to a Test Number',
					value: 'testNumber',
					description:
						'The first message goes to the test number; the results show the others',
				},
			],
			default: 'send',
			description:
				'What happens when a workflow is run from the editor, to try it out. Active workflows always send for real.',
		},
		{
			displayName: 'Test Number',
			name: 'testNumber',
			type: 'string',
			default: '',
			placeholder: 'e.g. 06 39 98 12 34',
			displayOptions: { show: { manualRuns: ['testNumber'] } },
			description: 'Your own mobile number',
		},
	];

	/** A function, because an expression costs time for each message (and can't check anything). */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => authenticateRequest(credentials, request);
}

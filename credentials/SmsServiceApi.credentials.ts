import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestOptions,
	INodeProperties,
} from 'n8n-workflow';
import { authenticateRequest } from '../nodes/shared/http/credential';

/** An account of the SMS service. Its Test button is the node method `smsServiceApiTest`. */
export class SmsServiceApi implements ICredentialType {
	name = 'smsServiceApi';

	displayName = 'SMS Service API';

	icon = {
		light: 'file:../nodes/shared/icons/smsServiceApi.svg',
		dark: 'file:../nodes/shared/icons/smsServiceApi.dark.svg',
	} as const;

	documentationUrl = 'https://github.com/n8n-nodes-sms-service/n8n-nodes-sms-service#credential';

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
	];

	/** A function, because an expression costs time for each message (and can't check anything). */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		request: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> => authenticateRequest(credentials, request);
}

import type { INodeProperties } from 'n8n-workflow';

/**
 * The Request Options in the Settings of a node, by n8n's names. n8n adds its own to a declarative node
 * (n8n-core, `applyDeclarativeNodeOptionParameters`); those have a Batching as well, which only n8n's router
 * reads: a run has Concurrency and Requests per Second instead. Ignore SSL Issues is in the credential.
 */
export const requestOptions: INodeProperties = {
	displayName: 'Request Options',
	name: 'requestOptions',
	type: 'collection',
	isNodeSetting: true,
	placeholder: 'Add Option',
	default: {},
	options: [
		{
			displayName: 'Proxy',
			name: 'proxy',
			type: 'string',
			default: '',
			placeholder: 'e.g. http://myproxy:3128',
			description:
				'HTTP proxy to use. If authentication is required it can be defined as follow: http://username:password@myproxy:3128.',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 10000,
			description:
				'Time in ms to wait for the server to send response headers (and start the response body) before aborting the request',
		},
	],
};

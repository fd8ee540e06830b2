/**
 * The declarative twin of the benchmark: the send as n8n's documentation and its starter template write
 * a declarative node, with a routing for each field and nothing else.
 */
'use strict';

class PeerSms {
	description = {
		displayName: 'Peer SMS',
		name: 'peerSms',
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Sends SMS',
		defaults: { name: 'Peer SMS' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'peerSmsApi', required: true }],
		requestDefaults: {
			baseURL: '={{ $credentials.baseUrl }}',
			headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
		},
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				options: [
					{
						name: 'Send',
						value: 'send',
						action: 'Send SMS',
						routing: {
							request: { method: 'POST', url: '/v2/notification/messages/send' },
						},
					},
				],
				default: 'send',
			},
			{
				displayName: 'Phone Number',
				name: 'number',
				type: 'string',
				required: true,
				default: '',
				displayOptions: { show: { operation: ['send'] } },
				routing: { send: { type: 'body', property: 'number' } },
			},
			{
				displayName: 'Message',
				name: 'message',
				type: 'string',
				required: true,
				default: '',
				displayOptions: { show: { operation: ['send'] } },
				routing: { send: { type: 'body', property: 'message' } },
			},
		],
	};
}

module.exports = { PeerSms };

'use strict';

class PeerSmsApi {
	name = 'peerSmsApi';
	displayName = 'Peer SMS API';
	properties = [
		{ displayName: 'Base URL', name: 'baseUrl', type: 'string', default: '' },
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
		},
	];
	authenticate = {
		type: 'generic',
		properties: { headers: { 'X-Service-ApiKey': '={{ $credentials.apiKey }}' } },
	};
}

module.exports = { PeerSmsApi };

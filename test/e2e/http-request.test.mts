/**
 * n8n's own HTTP Request node with our credential: somebody who may use it, but not read it, gets the key by no
 * setting of that node (SECURITY.md). Of the older forms of a request that its versions make, and of the newer one.
 */
import type { IDataObject, INode } from 'n8n-workflow';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { CERTIFICATE, startListeningProxy } from '../harness/listening-proxy.mts';
import { inARow, manual } from '../harness/nodes.mts';
import { credentialName, useEnvironment } from './support.mts';

const { n8n, simulator } = await useEnvironment();
const proxy = await startListeningProxy();
afterAll(async () => await proxy.close());
beforeEach(() => {
	proxy.heard.length = 0;
	proxy.asked.length = 0;
});

const SECURE = 'SMS Service over TLS';
const TRUST = 'CA of somebody else';
const SERVICE = 'https://localhost:4433';
const { apiKey } = simulator;
await n8n.createCredential('smsServiceApi', SECURE, { baseUrl: SERVICE, apiKey });
await n8n.createCredential('httpSslAuth', TRUST, { ca: CERTIFICATE });

interface Asked {
	typeVersion: number;
	url?: string;
	credential?: string;
	options?: IDataObject;
	parameters?: IDataObject;
}

/** @returns the text of the error; undefined where there was none */
async function ask({ typeVersion, url, credential, options, parameters }: Asked) {
	const own = credential && {
		authentication: 'predefinedCredentialType',
		nodeCredentialType: 'smsServiceApi',
	};
	const credentials: INode['credentials'] = {
		...(credential ? { smsServiceApi: { id: null, name: credential } } : {}),
		...(parameters?.provideSslCertificates ? { httpSslAuth: { id: null, name: TRUST } } : {}),
	};
	const { id } = await n8n.createWorkflow({
		name: `HTTP Request ${typeVersion}`,
		...inARow(manual(), {
			name: 'Node',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion,
			parameters: {
				url: url ?? `${SERVICE}/v2/account/stats`,
				...own,
				options: options ?? {},
				...parameters,
			} as never,
			credentials,
		}),
	});
	const { error } = await n8n.run(id);
	return error && `${error.message} ${error.description}`;
}

const TRUSTING = { provideSslCertificates: true };

describe.each([3, 4.2, 4.4, 4.5])('HTTP Request %s', (typeVersion) => {
	test('asks the service', async () => {
		const url = `${simulator.baseUrl}/v2/account/stats`;
		expect(await ask({ typeVersion, url, credential: credentialName })).toBeUndefined();
		expect(simulator.requests).toHaveLength(1);
	});

	test('with a CA, a proxy of one who listens hears what it sends', async () => {
		const parameters = {
			...TRUSTING,
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'X-Own', value: 'of-no-credential' }] },
		};
		const options = { proxy: proxy.url };
		expect(await ask({ typeVersion, options, parameters })).toBeUndefined();
		expect(proxy.heard.join()).toContain('of-no-credential');
	});

	test.each<[what: string, options: IDataObject, parameters: IDataObject]>([
		['SSL Certificates', {}, TRUSTING],
		['Ignore SSL Issues', { allowUnauthorizedCerts: true }, {}],
		['both', { allowUnauthorizedCerts: true }, TRUSTING],
		[
			'SSL Certificates and Pagination',
			{
				pagination: {
					pagination: {
						paginationMode: 'responseContainsNextURL',
						nextURL: `${SERVICE}/v2/account/stats`,
					},
				},
			},
			TRUSTING,
		],
	])('but no key with Proxy and %s', async (_, options, parameters) => {
		const given = { ...options, proxy: proxy.url };
		const error = await ask({ typeVersion, credential: SECURE, options: given, parameters });
		expect(error).toMatch(/'Proxy' can't be used with/);
		expect(proxy.heard).toEqual([]);
		expect(proxy.asked).toEqual([]);
	});
});

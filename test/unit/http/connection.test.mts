/** One run's connection (design, "http"): the credential is read and checked before anything. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';
import {
	Connection,
	type RequestContext,
	type TimeLimits,
} from '../../../nodes/shared/http/connection.ts';
import type { ServiceRequest } from '../../../nodes/shared/http/request.ts';
import { readSendReceipt } from '../../../nodes/shared/service/sentMessages.ts';

const CREDENTIAL = { baseUrl: 'https://sms.example.com', apiKey: 'k3y-s3cret' };
const RECEIPT = { creditsUsed: 1, snapshotId: '362891' };
const REQUEST: ServiceRequest = {
	endpoint: 'POST /v2/{messageType}/messages/send',
	path: { messageType: 'notification' },
};

/** The few functions of n8n that a connection uses, and what they are asked. */
function world(read: () => object | Promise<object>, answer: () => unknown = () => RECEIPT) {
	const asked: IDataObject[] = [];
	let reads = 0;
	const host = {
		getCredentials: async () => {
			reads++;
			return await read();
		},
		getNode: () => ({ credentials: { smsServiceApi: { id: '1', name: 'SMS' } } }),
		helpers: {
			httpRequestWithAuthentication: async (...call: unknown[]) => {
				asked.push({ type: call[0], request: call[1], read: call[2] } as IDataObject);
				return await Promise.resolve({ statusCode: 200, headers: {}, body: answer() });
			},
		},
	} as unknown as RequestContext;
	return { host, asked, reads: () => reads };
}

async function connect({ host }: { host: RequestContext }, options = {}): Promise<Connection> {
	const connection = await Connection.open(host, options);
	expect(connection.problem).toBeUndefined();
	return connection;
}

describe('a credential that can not be used: certainly not sent, for no item, and said in its own words', () => {
	test.each<[what: string, data: object, says: string]>([
		['no address', { ...CREDENTIAL, baseUrl: '' }, "'Base URL' of the credential is empty"],
		['no key', { ...CREDENTIAL, apiKey: ' ' }, "'API Key' of the credential is empty"],
		[
			'an address that is not encrypted',
			{ ...CREDENTIAL, baseUrl: 'http://sms.example.com' },
			"'Base URL' of the credential is not encrypted (http://)",
		],
		[
			'a header that is none',
			{ ...CREDENTIAL, headerName: 'X Key' },
			"'Header Name' of the credential is not a valid header name",
		],
	])('%s', async (_, data, says) => {
		const { host, asked } = world(() => data);
		const connection = await Connection.open(host);
		expect(connection.problem).toMatchObject({
			status: 'notSent',
			message: expect.stringContaining(says),
			transient: false,
			concernsAll: true,
			cause: 'configuration-invalid',
		});
		expect(await connection.request(REQUEST, readSendReceipt)).toBe(connection.problem);
		expect(asked).toEqual([]);
	});

	test.each<[error: unknown, says: string]>([
		[new Error('The vault is sealed'), 'The vault is sealed'],
		[{}, 'The credential could not be read'],
	])('one that can not be read: %s', async (error, says) => {
		const { host } = world(async () => await Promise.reject(error as Error));
		const connection = await Connection.open(host);
		expect(await connection.request(REQUEST, readSendReceipt)).toMatchObject({
			status: 'notSent',
			concernsAll: true,
			message: says,
		});
		expect(connection.account.country).toBe('FR');
		expect(connection.clean('any text')).toBe('any text');
	});
});

test('it is read once, whatever the number of requests, and handed on as it was read', async () => {
	const given = world(() => CREDENTIAL);
	const connection = await connect(given);
	for (let request = 0; request < 3; request++) {
		expect(await connection.request(REQUEST, readSendReceipt)).toEqual({ value: RECEIPT });
	}
	expect(given.reads()).toBe(1);
	expect(given.asked).toHaveLength(3);
	for (const { read } of given.asked) {
		expect(read).toEqual({
			credentialsDecrypted: {
				id: '1',
				name: 'SMS',
				type: 'smsServiceApi',
				data: CREDENTIAL,
			},
		});
	}
});

describe('a request', () => {
	const requestWith = async (options: object, own?: TimeLimits) => {
		const given = world(() => CREDENTIAL);
		await (await connect(given, options)).request(REQUEST, readSendReceipt, own);
		return given.asked[0].request as IDataObject;
	};

	test('leaves every status to the one judge, and does not hold the key', async () => {
		const request = await requestWith({});
		expect(request).toMatchObject({
			method: 'POST',
			url: '/v2/notification/messages/send',
			json: true,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
		});
		expect(JSON.stringify(request)).not.toContain(CREDENTIAL.apiKey);
	});

	test.each<[options: object, own: TimeLimits | undefined, timeout: number]>([
		[{}, undefined, 300_000],
		[{ timeout: 0 }, undefined, 300_000],
		[{ timeout: -1 }, undefined, 300_000],
		[{ timeout: 'soon' }, undefined, 300_000],
		[{ timeout: 700 }, undefined, 700],
		[{ timeout: '700' }, undefined, 700],
		[{ timeout: 1e12 }, undefined, 1e12],
		[{ timeout: 700 }, { timeout: 50 }, 50],
		[{ timeout: 700 }, { timeout: 50, silence: 20 }, 20],
	])('with %j and its own %j: a silence of %i ms at most', async (options, own, timeout) => {
		expect(await requestWith(options, own)).toMatchObject({ timeout });
	});

	test.each<[typed: string, proxy: object]>([
		['http://proxy.example:3128', { host: 'proxy.example', port: 3128, protocol: 'http' }],
		['proxy.example:3128', { host: 'proxy.example', port: 3128, protocol: 'http' }],
		[' localhost:3128/ ', { host: 'localhost', port: 3128, protocol: 'http' }],
		['http://proxy.example', { host: 'proxy.example', port: 80, protocol: 'http' }],
		['HTTPS://proxy.example', { host: 'proxy.example', port: 443, protocol: 'https' }],
		[
			'user:p%40w@proxy.example:3128',
			{
				host: 'proxy.example',
				port: 3128,
				protocol: 'http',
				auth: { username: 'user', password: 'p%40w' },
			},
		],
	])('goes by the proxy %s', async (typed, proxy) => {
		expect(await requestWith({ proxy: typed })).toMatchObject({ proxy });
	});

	test('goes by no proxy, and trusts no certificate that the node would trust', async () => {
		const plain = await requestWith({ allowUnauthorizedCerts: true });
		expect(plain).not.toHaveProperty('proxy');
		expect(plain).not.toHaveProperty('skipSslCertificateValidation');
	});

	test('that fails is judged, never thrown', async () => {
		for (const error of [new Error('terminated'), undefined, 'x']) {
			const given = world(
				() => CREDENTIAL,
				() => {
					// eslint-disable-next-line @typescript-eslint/only-throw-error -- whatever n8n throws
					throw error;
				},
			);
			const connection = await connect(given);
			const result = await connection.request(REQUEST, readSendReceipt);
			expect(result).toMatchObject({ status: 'unknown' });
		}
	});

	test.each([
		'nowhere',
		'socks5://user:hunter2@proxy.example:1080',
		'user:hunter2@proxy.example',
		'http://user:hunter2@proxy.example:99999',
		'http://',
		'proxy.example:99999',
		'ftp://proxy.example:21',
	])('with the proxy %s is certainly not sent, and nothing of it is repeated', async (proxy) => {
		const given = world(() => CREDENTIAL);
		const connection = await Connection.open(given.host, { proxy });
		const result = await connection.request(REQUEST, readSendReceipt);
		expect(result).toMatchObject({
			status: 'notSent',
			message: "'Proxy' in the settings of the node is not the address of an HTTP proxy",
		});
		expect(JSON.stringify(result)).not.toMatch(/hunter2|nowhere|1080|99999/);
		expect(given.asked).toEqual([]);
	});
});

test('an answer that repeats the key is read without it', async () => {
	const given = world(
		() => CREDENTIAL,
		() => ({ snapshotId: '1', creditsUsed: 1, note: 'K3Y-s3cret' }),
	);
	const connection = await connect(given);
	const result = await connection.request(REQUEST, (body) => body);
	expect(result).toEqual({ value: { snapshotId: '1', creditsUsed: 1, note: '*****' } });
});

test('an answer that is nested too deep to be read leaves open what happened', async () => {
	const deep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
	const connection = await connect(world(() => CREDENTIAL, deep));
	expect(await connection.request(REQUEST, (all) => all)).toMatchObject({ status: 'unknown' });
});

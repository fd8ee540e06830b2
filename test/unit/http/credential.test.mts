/** The key: interface document, section 5, and design ("The key never leaves except …"). */
import { describe, expect, test } from 'vitest';
import { InputError } from '../../../nodes/shared/service/InputError.ts';
import { authenticateRequest } from '../../../nodes/shared/http/credential.ts';

const CREDENTIAL = { baseUrl: 'https://sms.example.com/v2/', apiKey: 'k3y-s3cret' };
const REQUEST = {
	method: 'GET',
	url: '/v2/account/stats',
	headers: { Accept: 'application/json' },
};

describe('the header', () => {
	test('carries the key beside the other headers', () => {
		expect(authenticateRequest(CREDENTIAL, REQUEST)).toMatchObject({
			method: 'GET',
			url: 'https://sms.example.com/v2/account/stats',
			headers: { Accept: 'application/json', 'X-Service-ApiKey': 'k3y-s3cret' },
		});
	});

	test.each([undefined, '', '  ', null])('is X-Service-ApiKey with the name %j', (headerName) => {
		expect(authenticateRequest({ ...CREDENTIAL, headerName }, REQUEST).headers).toHaveProperty(
			'X-Service-ApiKey',
			'k3y-s3cret',
		);
	});

	test('has another name where a reseller renamed it', () => {
		expect(
			authenticateRequest({ ...CREDENTIAL, headerName: ' X-Reseller-Key ' }, REQUEST).headers,
		).toEqual({ Accept: 'application/json', 'X-Reseller-Key': 'k3y-s3cret' });
	});

	test.each([
		'X Key',
		'X-Key:',
		'X-Service-ApiKey: k3y-s3cret',
		'X-Key\r\nEvil: 1',
		'Clé',
		'(X)',
		'a,b',
	])('refuses the name %j', (headerName) => {
		const attempt = () => authenticateRequest({ ...CREDENTIAL, headerName }, REQUEST);
		expect(attempt).toThrowError(InputError);
		expect(attempt).toThrowError(
			/^'Header Name' of the credential is not a valid header name$/,
		);
	});
});

describe('the key', () => {
	test.each([' k3y-s3cret', 'k3y-s3cret\n', '\t k3y-s3cret \r\n', '\u00a0k3y-s3cret'])(
		'%j is trimmed',
		(apiKey) => {
			expect(authenticateRequest({ ...CREDENTIAL, apiKey }, REQUEST).headers).toHaveProperty(
				'X-Service-ApiKey',
				'k3y-s3cret',
			);
		},
	);

	test.each(['', '   ', undefined, null, 42, {}])('%j is none', (apiKey) => {
		const attempt = () => authenticateRequest({ ...CREDENTIAL, apiKey }, REQUEST);
		expect(attempt).toThrowError(InputError);
		expect(attempt).toThrowError(/'API Key' of the credential is empty/);
	});

	test.each(['k3y', '1234567', ' 1234567\n'])('%j is too short, and not repeated', (apiKey) => {
		const attempt = () => authenticateRequest({ ...CREDENTIAL, apiKey }, REQUEST);
		expect(attempt).toThrowError(/^'API Key' of the credential is too short for a key$/);
	});

	test.each([
		'top secret',
		'top\nsecret',
		'top\r\nX-Evil: 1',
		'top\u00a0secret',
		'clé',
		'top\u0000',
	])('%j is refused, and not repeated', (apiKey) => {
		const attempt = () => authenticateRequest({ ...CREDENTIAL, apiKey }, REQUEST);
		expect(attempt).toThrowError(InputError);
		expect(attempt).toThrowError(/'API Key' of the credential contains a character/);
		expect(attempt).not.toThrowError(/top|secret|clé/);
	});

	test('goes into the query where the request has a place for it, and then not into a header', () => {
		const request = {
			url: '/v2/notification/messages/send',
			qs: { apiKey: '', identifier: '+33639981234', message: 'Hello' },
			headers: {},
		};
		const { qs, headers, url } = authenticateRequest(CREDENTIAL, request);
		expect(url).toBe('https://sms.example.com/v2/notification/messages/send');
		expect(qs).toEqual({ apiKey: 'k3y-s3cret', identifier: '+33639981234', message: 'Hello' });
		expect(headers).toEqual({});
	});

	test('another query leaves it in the header', () => {
		const { qs, headers } = authenticateRequest(CREDENTIAL, {
			url: '/v2/messages/status',
			qs: { identifier: '+33639981234' },
			headers: {},
		});
		expect(qs).toEqual({ identifier: '+33639981234' });
		expect(headers).toEqual({ 'X-Service-ApiKey': 'k3y-s3cret' });
	});
});

describe('the address', () => {
	test('is below the path of the base URL', () => {
		const credential = { ...CREDENTIAL, baseUrl: 'https://example.com/sms/v2' };
		expect(authenticateRequest(credential, REQUEST).url).toBe(
			'https://example.com/sms/v2/account/stats',
		);
	});

	test('may be complete where it is of the same host', () => {
		const url = 'https://sms.example.com/v2/lists/';
		expect(authenticateRequest(CREDENTIAL, { url }).url).toBe(url);
	});

	test.each([
		'https://evil.example.com/v2/account/stats',
		'https://sms.example.com.evil.com/v2',
		'http://sms.example.com/v2/account/stats',
		'https://sms.example.com:8443/v2/account/stats',
		'https://sms.example.com@evil.com/v2',
		'ftp://sms.example.com/v2',
	])('of another origin is refused: %s', (url) => {
		expect(() => authenticateRequest(CREDENTIAL, { url })).toThrowError(InputError);
		expect(() => authenticateRequest(CREDENTIAL, { url })).toThrowError(/isn't on the host/);
		expect(() => authenticateRequest(CREDENTIAL, { url })).not.toThrowError(/k3y/);
	});

	test('is asked for where there is none', () => {
		const none = { url: ' ' };
		expect(() => authenticateRequest(CREDENTIAL, none)).toThrowError(/has no address/);
	});

	test('that begins with two slashes stays on the host', () => {
		const { url } = authenticateRequest(CREDENTIAL, { url: '//evil.example.com/v2' });
		expect(new URL(url).host).toBe('sms.example.com');
	});

	test('overrides another base URL', () => {
		const { baseURL } = authenticateRequest(CREDENTIAL, {
			...REQUEST,
			baseURL: 'https://evil.example.com',
		});
		expect(baseURL).toBeUndefined();
	});

	test('is checked as the credential has it', () => {
		expect(() =>
			authenticateRequest({ ...CREDENTIAL, baseUrl: 'http://sms.example.com' }, REQUEST),
		).toThrowError(/not encrypted/);
		expect(
			authenticateRequest(
				{ ...CREDENTIAL, baseUrl: 'http://sms.example.com', allowHttp: true },
				REQUEST,
			).url,
		).toBe('http://sms.example.com/v2/account/stats');
		for (const allowHttp of ['true', 1, {}]) {
			expect(() =>
				authenticateRequest(
					{ ...CREDENTIAL, baseUrl: 'http://sms.example.com', allowHttp },
					REQUEST,
				),
			).toThrowError(/not encrypted/);
		}
	});
});

describe('Ignore SSL Issues', () => {
	const IGNORED = { skipSslCertificateValidation: true, rejectUnauthorized: false };

	test('is set in both forms of a request, by exactly true in the credential', () => {
		const given = { ...CREDENTIAL, allowUnauthorizedCerts: true };
		expect(authenticateRequest(given, REQUEST)).toMatchObject(IGNORED);
		for (const allowUnauthorizedCerts of [undefined, false, 'true', 1, {}]) {
			const request = authenticateRequest({ ...CREDENTIAL, allowUnauthorizedCerts }, REQUEST);
			for (const name of Object.keys(IGNORED)) expect(request).not.toHaveProperty(name);
		}
	});

	const proxy = { host: 'proxy.example.com', port: 3128, protocol: 'http' };
	test.each<[what: string, credential: object, request: object, says: RegExp]>([
		['of the credential', { allowUnauthorizedCerts: true }, {}, /'Ignore SSL Issues'$/],
		['of a request', {}, { skipSslCertificateValidation: true }, /'Ignore SSL Issues'$/],
		['of an older request', {}, { rejectUnauthorized: false }, /'Ignore SSL Issues'$/],
		['left off, and http://', { baseUrl: 'http://localhost:4010' }, {}, /begins with http/],
		[
			'left off, and http:// allowed',
			{ baseUrl: 'http://a.example', allowHttp: true },
			{},
			/http/,
		],
	])('%s: a proxy could read the key', (_, credential, request, says) => {
		const attempt = () =>
			authenticateRequest(
				{ ...CREDENTIAL, ...credential },
				{ ...REQUEST, ...request, proxy },
			);
		expect(attempt).toThrowError(InputError);
		expect(attempt).toThrowError(says);
	});

	test('left off, a proxy for https:// is fine: it only passes on what it can not read', () => {
		expect(authenticateRequest(CREDENTIAL, { ...REQUEST, proxy })).toHaveProperty(
			'proxy',
			proxy,
		);
	});
});

test('redirects are not followed', () => {
	expect(authenticateRequest(CREDENTIAL, REQUEST)).toHaveProperty('disableFollowRedirect', true);
	expect(
		authenticateRequest(CREDENTIAL, { ...REQUEST, disableFollowRedirect: false })
			.disableFollowRedirect,
	).toBe(true);
});

test('in the older form of a request, `uri` is its address, and redirects have other names', () => {
	const { url: uri, ...rest } = REQUEST;
	const request = authenticateRequest(CREDENTIAL, { ...rest, uri, url: 'https://else.example' });
	expect(request).toMatchObject({
		uri: 'https://sms.example.com/v2/account/stats',
		url: undefined,
		followRedirect: false,
		followAllRedirects: false,
		headers: { 'X-Service-ApiKey': 'k3y-s3cret' },
	});
	expect(() =>
		authenticateRequest(CREDENTIAL, { ...rest, uri: 'https://else.example/v2/account/stats' }),
	).toThrowError(InputError);
});

test('the request that was given stays as it was, without the key', () => {
	const request = Object.freeze({
		...REQUEST,
		headers: Object.freeze({ Accept: 'application/json' }),
		qs: Object.freeze({ apiKey: '' }),
	});
	const before = JSON.stringify(request);
	authenticateRequest(CREDENTIAL, request);
	authenticateRequest(CREDENTIAL, { ...request, qs: undefined });
	expect(JSON.stringify(request)).toBe(before);
});
